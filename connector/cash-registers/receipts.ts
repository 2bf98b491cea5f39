// Documents of cash registers: taken from the service, ended, and which of them are held (contract, section 18).
import { roublesOf } from '../amounts.ts'
import type { Core } from '../core.ts'
import { ageOf, type Given, UNREAD } from '../disk/disk-age.ts'
import { intervalAt, sinceSent } from '../work/schedule.ts'
import type { CashRegister, DocumentId, DocumentKind, Fiscal } from './cash-register.ts'
import { documentOf, ReceiptRegister, textsOf } from './instruction.ts'
import { hasEnded, type ReceiptRow } from './receipt-row.ts'
import { reportHeld, reportReceipt } from './reports.ts'

/**
 * Takes an instruction; a repeat of one that is held or has its result is reported again.
 * @returns why it cannot be taken now, or undefined
 */
export function takeReceipt(
  core: Core,
  data: unknown,
  given: Pick<Given, 'givenAt' | 'isListed'>,
): string | undefined {
  const { disk, platform, log, sites } = core
  const wanted = ReceiptRegister.parse(data)
  const { siteId: site, receiptUid, paymentUid, qrcId } = wanted
  const before = disk.receipts.get({ site, receiptUid })
  if (before) return takeAgain(core, before, { data, amount: documentOf(wanted).amount })
  const register = sites.get(site)?.cashRegister
  if (!register) return `the site ${site} has no cash register in the configuration`
  if (register.kind !== wanted.register.kind)
    return `the cash register ${register.name} is of the kind ${register.kind}, must be ${wanted.register.kind}`
  const { kind, amount, refundUid, closingUid, reference } = documentOf(wanted)
  const age = ageOf(core, 'receipts', { siteId: site, qrcId, ...given })
  if (age === 'UNDECIDED') return UNREAD
  const state: ReceiptRow['state'] = age === 'OLD' ? stateOfOld(register.register, kind) : 'QUEUED'
  const texts = textsOf(data)
  const receipt = {
    ...{ site, receiptUid, register: register.name, kind, paymentUid, amount, state },
    ...{ refundUid: refundUid ?? null, closingUid: closingUid ?? null, reference: reference ?? '' },
    ...{ data: state === 'HELD' ? '' : texts.data, items: texts.items },
    reason: state === 'HELD' ? 'it may have been registered before this disk knew of it' : '',
    ...{ givenAt: given.givenAt, createdAt: platform.now() },
  }
  disk.transaction(() => {
    disk.receipts.insert(receipt)
    if (state === 'HELD') reportHeld(core, receipt)
    // What a bank has said of it has waited.
    if (reference !== undefined) disk.webhooks.wake({ reference }, platform.now())
  })
  log('info', 'a document was taken', { site, paymentUid, receiptUid, kind, state })
}

/** Another disk may have sent it: it is asked about, where that can be. */
const stateOfOld = ({ asks, rides }: CashRegister, kind: DocumentKind): 'SENDING' | 'HELD' =>
  asks === 'NEVER' && !rides.includes(kind) ? 'HELD' : 'SENDING'

/** The key does not depend on what a document says: a restored service can ask for another amount under it. */
function takeAgain(
  core: Core,
  before: ReceiptRow,
  { data, amount }: { data: unknown; amount: number },
): undefined {
  const { disk, platform } = core
  // Of one that failed there is no document of any amount.
  if (amount !== before.amount && before.state !== 'FAILED') return holdOtherAmount(core, before, amount)
  if (disk.receipts.resume(before, textsOf(data), platform.now())) return
  if (hasEnded(before)) reportReceipt(core, before)
  // A restored service that has the document again was not told.
  else if (before.state === 'HELD') reportHeld(core, before)
}

/** What the register states is compared with the amount that the service asks for now: it does not register this one. */
function holdOtherAmount(core: Core, before: ReceiptRow, amount: number): undefined {
  const reason = `the cash register has it, or can have it, with another amount: ${roublesOf(before.amount)} RUB`
  core.disk.transaction(() => {
    if (core.disk.receipts.change(before, { state: before.state, amount }))
      holdReceipt(core, { ...before, amount }, { reason })
  })
}

type Result = { state: 'REGISTERED'; fiscal: Fiscal } | { state: 'FAILED'; reason: string; canRetry: boolean }

/**
 * Ends a document and reports it. A registered one is a fact, also where the operator has said that it failed while the register
 * was asked.
 * @returns whether its state was still that of `receipt`, or failed where it is registered
 */
export function finishReceipt(core: Core, receipt: ReceiptRow, result: Result): boolean {
  const { disk, log } = core
  const { site, paymentUid, receiptUid, kind } = receipt
  const isDone = disk.transaction(() => {
    const stored = disk.receipts.get(receipt)
    const isLate = result.state === 'REGISTERED' && stored?.state === 'FAILED'
    if (!disk.receipts.change(isLate ? stored : receipt, { note: receipt.note, ...result })) return false
    reportReceipt(core, { ...receipt, ...result })
    return true
  })
  const { state } = result
  const reason = result.state === 'FAILED' ? result.reason : undefined
  if (isDone) log('info', 'a document has ended', { site, paymentUid, receiptUid, kind, state, reason })
  return isDone
}

/** Why a document is held, and what later calls need. */
interface Hold {
  /** For the merchant and the operator. */
  reason: string
  note?: string
}

/** Holds a document, or goes on holding it: it is never sent again. It is asked about where that needs no request. */
export function holdReceipt(core: Core, receipt: ReceiptRow, { reason, note = receipt.note }: Hold): void {
  const { disk, platform, log, cashRegisters } = core
  const now = platform.now()
  const register = cashRegisters.get(receipt.register)?.register
  const isAsked = register?.state !== undefined && (note !== '' || register.asks === 'KEY')
  const dueAt = isAsked ? now + intervalAt(sinceSent(receipt, now)) : 'REST'
  const isNews = receipt.state !== 'HELD' || receipt.reason !== reason || receipt.told !== 'HELD'
  const isHeld = disk.transaction(() => {
    if (!disk.receipts.change(receipt, { state: 'HELD', reason, note, next: { now, dueAt } })) return false
    if (isNews) reportHeld(core, { ...receipt, reason })
    return true
  })
  if (!isHeld || !isNews) return
  const { site, paymentUid, receiptUid, kind } = receipt
  log('error', 'a document is held', { site, paymentUid, receiptUid, kind, reason })
}

/** What a document is of, as the register's calls get it. */
export const idOf = (row: ReceiptRow): DocumentId => ({
  ...{ key: row.receiptUid, kind: row.kind, site: row.site, paymentUid: row.paymentUid, amount: row.amount },
  ...{ refundUid: row.refundUid ?? undefined, closingUid: row.closingUid ?? undefined },
})
