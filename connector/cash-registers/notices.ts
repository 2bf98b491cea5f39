// What a bank says of the documents of its own cash register. It knows no key of ours: payment, type and amount find the document.
import type { DocumentNotice } from '../banks/bank-receipts.ts'
import type { Core, OpenBank } from '../core.ts'
import { beginOf } from '../disk/disk-age.ts'
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
  const documents = ridersOf(core, bank)
    .flatMap((name) => core.disk.receipts.ofReference(name, reference))
    .filter((each) => each.amount === amount && (!type || KINDS[type].includes(each.kind)))
  if (documents.some((each) => isRepeatedNotice(each, notice))) return
  const possible = documents.filter((each) => !hasEnded(each) || lacksFiscalNumber(each))
  // A failed document is matched only if no other document fits.
  const [document, ...others] =
    possible.length > 0 ? possible : documents.filter(({ state }) => state === 'FAILED')
  const { fiscal, failure = 'the bank gives no reason' } = notice
  if (!document || (document.state === 'REGISTERED' && !fiscal)) return 'NO_RECEIPT'
  const isOfLost = mayBeOfLost(core, document, fiscal)
  if (others.length > 0 || isOfLost) {
    const which = isOfLost
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

/**
 * Whether the notice can be of a document that had its result before this disk was made or restored: then it comes again. The
 * time that it states decides; without one, whether the disk has the sale. A payment has one sale, which cannot be lost where it is here.
 */
function mayBeOfLost({ disk }: Core, document: ReceiptRow, { dateTime = '' }: Fiscal = {}): boolean {
  const { kind, site, paymentUid, refundUid, givenAt } = document
  if (kind === 'sale') return false
  const madeAt = Date.parse(dateTime)
  if (Number.isNaN(madeAt))
    return !disk.receipts.ofPayment(site, paymentUid).some((each) => each.kind === 'sale')
  // The document of a refund is made with the refund, before the service asks for it.
  const refund = refundUid === null ? undefined : disk.refunds.get({ site, paymentUid, refundUid })
  const askedAt = refund?.givenAt ?? givenAt
  // In the same second either can be the earlier one. A time to the minute holds more than that, which is the safe side.
  return madeAt < beginOf(disk) && madeAt <= askedAt
}

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
