// What a bank says of the documents of its own cash register. It knows no key of ours: payment, type and amount find the document.
import type { DocumentNotice } from '../banks/bank-receipts.ts'
import type { Core, OpenBank } from '../core.ts'
import type { Problem } from '../inbox/rows.ts'
import type { DocumentKind, Fiscal } from './cash-register.ts'
import { hasEnded, type ReceiptRow } from './receipt-row.ts'
import { finishReceipt, holdReceipt } from './receipts.ts'

const KINDS: Readonly<Record<NonNullable<DocumentNotice['type']>, readonly DocumentKind[]>> = {
  INCOME: ['sale', 'closing'],
  RETURN: ['refund'],
}

/** The names of the cash registers that ride on calls of the bank. A bank tells of documents of others, too: they are nobody's here. */
export const ridersOf = ({ cashRegisters }: Core, { bank }: OpenBank): string[] =>
  Array.from(cashRegisters.values())
    .filter(({ register }) => register.rides.length > 0 && register.identity === bank.identity)
    .map(({ name }) => name)

/**
 * Ends the document that a notice is about.
 * @param reference of the payment, without the bank's name
 * @returns why the notice has to stay: its document is not here yet, or it can be of several
 */
export function recordNotice(
  core: Core,
  bank: OpenBank,
  reference: string,
  notice: DocumentNotice,
): Problem | undefined {
  const { type, amount } = notice
  const all = ridersOf(core, bank).flatMap((name) => core.disk.receipts.ofReference(name, reference))
  const documents = all.filter((each) => each.amount === amount && (!type || KINDS[type].includes(each.kind)))
  if (documents.some((each) => isRepeatedNotice(each, notice))) return
  const possible = documents.filter((each) => !hasEnded(each) || lacksFiscalNumber(each))
  // A failed document is matched only if no other document fits.
  const [document, ...others] =
    possible.length > 0 ? possible : documents.filter(({ state }) => state === 'FAILED')
  const { fiscal, failure = 'the bank gives no reason' } = notice
  if (!document || (document.state === 'REGISTERED' && !fiscal)) return 'NO_RECEIPT'
  const mayBeOfLost =
    !all.some(({ kind }) => kind === 'sale') && !isLaterThan(askedAt(core, document), fiscal)
  if (others.length > 0 || mayBeOfLost) {
    const which = mayBeOfLost
      ? 'a document of the payment that this disk lacks'
      : 'several documents of the payment'
    const reason = `${nameOf(notice)} can be of ${which}`
    for (const each of possible)
      if (!hasEnded(each) && each.state !== 'HELD') holdReceipt(core, each, { reason })
    return 'SEVERAL_RECEIPTS'
  }
  // A riding document has no call of its own by which it could be made again.
  const canRetry = document.kind === 'closing'
  finishReceipt(
    core,
    document,
    fiscal ? { state: 'REGISTERED', fiscal } : { state: 'FAILED', reason: failure, canRetry },
  )
}

/** When the document was asked for (milliseconds): that of a refund is made with the refund, before the service asks for it. */
function askedAt({ disk }: Core, { site, paymentUid, refundUid, givenAt }: ReceiptRow): number {
  const refund = refundUid === null ? undefined : disk.refunds.get({ site, paymentUid, refundUid })
  return refund?.givenAt ?? givenAt
}

/**
 * Whether the cash register made it after a time. A disk without the sale of a payment is younger than the payment: a notice that
 * comes again can be of a document that had its result before.
 */
const isLaterThan = (time: number, { dateTime = '' }: Fiscal = {}): boolean =>
  // A cash register states no parts of a minute.
  Date.parse(dateTime) >= time - (time % 60_000)

/** Whether the notice is one that the document had before. */
const isRepeatedNotice = ({ state, reason, fiscal }: ReceiptRow, notice: DocumentNotice): boolean =>
  notice.fiscal
    ? fiscal !== null && isSame(fiscal, notice.fiscal)
    : state === 'FAILED' && reason === notice.failure

/** The operator can have read the number of the document alone. */
const isSame = (a: Fiscal, b: Fiscal): boolean =>
  a.fd === b.fd && (['fn', 'fpd'] as const).every((name) => !a[name] || !b[name] || a[name] === b[name])

/** Whether a notice can be of the document although it has a result: the result was not the bank's word. */
const lacksFiscalNumber = ({ state, fiscal }: ReceiptRow): boolean =>
  state === 'OVER' || (state === 'REGISTERED' && fiscal?.fd === undefined)

const nameOf = ({ fiscal, failure }: DocumentNotice): string =>
  fiscal ? `the document ${fiscal.fd ?? '?'} of the drive ${fiscal.fn ?? '?'}` : `the failure “${failure}”`
