// Compares completed payments and refunds with their documents, and documents with what their cash register states of them.
import { roublesOf } from '../amounts.ts'
import { NotKnown } from '../banks/bank-errors.ts'
import type { Core, OpenSite } from '../core.ts'
import { messageOf } from '../log.ts'
import { listReceipts } from '../service/service.ts'
import { type ReceiptRow, receiptText } from './receipt-row.ts'
import { finishReceipt, idOf } from './receipts.ts'
import { withoutContact } from './without-contact.ts'

/**
 * Compares a period of a site with a cash register; times are Unix milliseconds. What the register states as registered, and was
 * not reported, is recorded: it is a fact.
 * @param notes gets a line for each payment without a document: the service asks for one only where a receipt is wanted
 * @returns a line for each difference
 */
export async function* compareReceipts(
  core: Core,
  site: OpenSite,
  { from, to, notes }: { from: number; to: number; notes: string[] },
): AsyncGenerator<string> {
  const { siteId, cashRegister } = site
  if (!cashRegister) return
  const { disk } = core
  const charges = disk.charges
    .endedWithin(from, to)
    .filter(({ site, state }) => site === siteId && state === 'COMPLETED')
  for (const payment of [...disk.payments.completedWithin(siteId, from, to), ...charges])
    yield* comparePayment(core, { ...payment, site: siteId }, notes)
  const rides = cashRegister.register.rides.includes('refund')
  for (const { site, state, paymentUid, refundUid } of disk.refunds.endedWithin(from, to)) {
    const documents = disk.receipts.ofPayment(siteId, paymentUid)
    // One that rides on the refund does not wait for the document of the sale.
    const isSold = documents.some(({ kind, state }) => kind === 'sale' && (rides || state === 'REGISTERED'))
    if (site !== siteId || state !== 'COMPLETED' || !isSold) continue
    if (!documents.some((each) => each.refundUid === refundUid))
      yield `${siteId} refund ${refundUid} of ${paymentUid}: the payment has a document, and the refund has none`
  }
  yield* compareWaiting(core, site, { from, to })
  for (const receipt of disk.receipts.within(from, to))
    if (receipt.site === siteId) yield* compareDocument(core, receipt)
}

/** What the service waits for: this disk has lost a document that it lacks. */
async function* compareWaiting(
  core: Core,
  site: OpenSite,
  { from, to }: { from: number; to: number },
): AsyncGenerator<string> {
  const { siteId } = site
  for await (const { receiptUid, kind, paymentUid, dateTime } of listReceipts(core, site)) {
    const time = Date.parse(dateTime)
    if (time < from || time >= to || core.disk.receipts.get({ site: siteId, receiptUid })) continue
    yield `${siteId} document ${receiptUid}, ${kind} of the payment ${paymentUid}: the service waits for it, and this disk does not have it`
  }
}

function* comparePayment(
  { disk }: Core,
  { site, paymentUid, amount }: { site: string; paymentUid: string; amount: number },
  notes: string[],
): Generator<string> {
  const name = `${site} payment ${paymentUid}, ${roublesOf(amount)} RUB`
  const sales = disk.receipts.ofPayment(site, paymentUid).filter(({ kind }) => kind === 'sale')
  const registered = sales.filter(({ state }) => state === 'REGISTERED')
  if (sales.length === 0) notes.push(`${name}: no document was asked for`)
  if (registered.length > 1) yield `${name}: it has ${registered.length} documents of its sale`
  for (const document of registered)
    if (document.amount !== amount)
      yield `${name}: its document ${document.receiptUid} is of ${roublesOf(document.amount)} RUB`
}

async function* compareDocument(core: Core, receipt: ReceiptRow): AsyncGenerator<string> {
  const { state, reason, note } = receipt
  const name = receiptText(receipt)
  if (state === 'OVER') return
  if (state !== 'REGISTERED' && state !== 'FAILED') {
    yield `${name}: ${state}${reason && `: ${reason}`}`
    return
  }
  // A later attempt stands for the one that failed.
  const isReplaced = core.disk.receipts
    .ofPayment(receipt.site, receipt.paymentUid)
    .some((other) => other.state === 'REGISTERED' && isOfSame(other, receipt))
  if (state === 'FAILED' && !isReplaced) yield `${name}: failed: ${reason}`
  const register = core.cashRegisters.get(receipt.register)?.register
  if (!register?.state || (note === '' && register.asks !== 'KEY')) return
  try {
    const stated = await register.state(idOf(receipt), note)
    if (stated.status === state) return
    yield `${name}: reported as ${state}, at the cash register it is ${stated.status}`
    if (stated.status === 'REGISTERED')
      finishReceipt(core, receipt, { state: 'REGISTERED', fiscal: stated.fiscal })
  } catch (error) {
    // Of a document that it refused it has none.
    if (state === 'FAILED' && error instanceof NotKnown) return
    yield `${name}: not comparable: ${withoutContact(messageOf(error))}`
  }
}

const isOfSame = (a: ReceiptRow, b: ReceiptRow): boolean =>
  a.kind === b.kind && a.refundUid === b.refundUid && a.closingUid === b.closingUid
