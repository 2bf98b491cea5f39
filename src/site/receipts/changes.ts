// The changes of a document's state, each with its event in the same transaction.
import type { EventType } from '../../contract/event-type.ts'
import { capabilitiesOf } from '../../contract/receipts/cash-register.ts'
import type { Fiscal } from '../../contract/receipts/document.ts'
import { isRateAt } from '../../contract/receipts/vat.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { endInstruction, enqueueInstruction } from '../outbox/outbox.ts'
import { itemsIn } from '../rows/receipts.ts'
import { plus, type Seconds, seconds, toMilliseconds } from '../time.ts'
import { relabel } from './relabel.ts'
import {
  type Failure,
  findReceipt,
  type ReceiptRow,
  receiptByNumber,
  receiptRows,
  saleDocument,
} from './rows.ts'
import { termsOf } from './terms.ts'

/** For how long a document waits for a contact. */
const CONTACT_WAIT = seconds(300)

/** What a document that is not sent does next: it is sent, waits, or has failed. */
type Next = 'send' | { waitsFor: 'contact'; dueAt: Seconds } | { waitsFor: 'sale' | 'failedSale' } | Failure

/** Decides what a new document does, or one that waited. */
export function proceed(context: Context, number: number): void {
  const { sql } = context
  const row = receiptByNumber(sql, number)
  if (!row) return
  const next = nextOf(context, row)
  if (next !== 'send' && 'reason' in next) {
    fail(context, row, next)
    return
  }
  const waits = next === 'send' ? undefined : next
  sql.exec(
    'UPDATE receipts SET waits_for = ?, due_at = ? WHERE number = ?',
    ...[waits?.waitsFor ?? null, waits && 'dueAt' in waits ? waits.dueAt : null, number],
  )
  if (!waits) instruct(context, row)
}

function instruct({ sql, now }: Pick<Context, 'sql' | 'now'>, row: ReceiptRow): void {
  const instruction = { type: 'receipt.register', receiptUid: row.receipt_uid } as const
  // Documents of one code wait for nothing but what `waits_for` says.
  const queued = { event: row.event, qrCode: undefined, now: toMilliseconds(now) }
  enqueueInstruction(sql, queued, row.network, instruction)
}

function nextOf({ sql, now }: Context, row: ReceiptRow): Next {
  const { rides, maxItems } = capabilitiesOf(termsOf(sql, row.terms).register)
  // What rides on a payment's call was registered with it: nothing is decided any more.
  const failure = rides ? undefined : failureAtOnce(row, maxItems)
  if (failure) return failure
  const waits = row.kind === 'closing' || (row.kind === 'refund' && !rides)
  const sale = waits ? saleDocument(sql, row.payment)?.state : undefined
  if (waits && sale !== 'REGISTERED') return { waitsFor: sale === 'FAILED' ? 'failedSale' : 'sale' }
  // The bank had the contact with the payment; of a closing it has none.
  const hasContact = row.contact !== null || (rides && row.kind !== 'closing')
  return hasContact ? 'send' : { waitsFor: 'contact', dueAt: plus(now, CONTACT_WAIT) }
}

/** Why the cash register cannot make the document, as it is known before. */
function failureAtOnce({ kind, items: text, at }: ReceiptRow, maxItems: number): Failure | undefined {
  const items = itemsIn(text)
  if (items.length > maxItems) return { reason: 'tooManyItems', canRetry: true }
  const isRateWrong = kind === 'sale' && items.some(({ vat }) => !isRateAt(vat, at))
  return isRateWrong ? { reason: 'vatRate', canRetry: true } : undefined
}

/** The document has failed; what waits for it waits for its retry. */
export function fail(context: Context, row: ReceiptRow, failure: Failure): void {
  const { sql } = context
  sql.exec(
    `UPDATE receipts SET state = 'FAILED', error = ?, waits_for = NULL, due_at = NULL, held = NULL WHERE number = ?`,
    ...[JSON.stringify(failure), row.number],
  )
  endInstruction(sql, row.event, 'receipt')
  if (row.kind === 'sale' && saleDocument(sql, row.payment)?.number === row.number) {
    sql.exec(
      "UPDATE receipts SET waits_for = 'failedSale' WHERE payment = ? AND waits_for = 'sale'",
      row.payment,
    )
  }
  recordReceipt(context, row.number, 'receipt.failed')
}

/** The cash register has registered the document; what waits for it goes on. */
export function register(context: Context, row: ReceiptRow, fiscal: Fiscal): void {
  const { sql, now } = context
  sql.exec(
    `UPDATE receipts SET state = 'REGISTERED', fiscal = ?2, registered_at = ?1, sent_at = ifnull(sent_at, ?1), error = NULL,
       waits_for = NULL, due_at = NULL, held = NULL WHERE number = ?3`,
    ...[now, JSON.stringify(fiscal), row.number],
  )
  endInstruction(sql, row.event, 'receipt')
  if (row.is_replaced === 1) withdrawLater(context, row)
  recordReceipt(context, row.number, 'receipt.registered')
  if (row.kind === 'sale') release(context, row.payment)
}

const IS_MADE: Failure = { reason: 'refused', text: 'an earlier attempt is registered', canRetry: false }

/** An attempt that had failed is registered: a later one that is not sent would be a second document. */
function withdrawLater(context: Context, row: ReceiptRow): void {
  const { sql } = context
  const last = row.kind === 'sale' ? saleDocument(sql, row.payment) : undefined
  if (last && last.state !== 'REGISTERED') {
    sql.exec('UPDATE payments SET receipt = ? WHERE number = ?', row.number, row.payment)
    const sale = { payment: row.payment, register: termsOf(sql, row.terms).register }
    relabel(sql, sale, itemsIn(last.items), itemsIn(row.items))
  }
  const later = receiptRows(
    sql,
    `WHERE payment = ? AND kind = ? AND refund IS ? AND closing_uid IS ? AND attempt > ? AND state = 'WAITING'`,
    ...[row.payment, row.kind, row.refund, row.closing_uid, row.attempt],
  )
  for (const each of later) fail(context, each, IS_MADE)
}

/** Continues the documents that wait for the sale's document, in order of their numbers. */
export function release(context: Context, payment: number): void {
  const waiting = "WHERE payment = ? AND waits_for IN ('sale', 'failedSale') ORDER BY receipts.number"
  for (const { number } of receiptRows(context.sql, waiting, payment)) proceed(context, number)
}

/** The cash register has the document. @param held why the operator has to look there @returns whether that was not known */
export function send(context: Pick<Context, 'sql' | 'now'>, row: ReceiptRow, held?: string): boolean {
  const { sql, now } = context
  if (row.state === 'SENT' && row.held === (held ?? null)) return false
  // The service of before a restore had sent it: until it has a result, its instruction is repeated.
  if (row.waits_for !== null) instruct(context, row)
  sql.exec(
    `UPDATE receipts SET state = 'SENT', sent_at = ifnull(sent_at, ?), held = ?, waits_for = NULL, due_at = NULL
     WHERE number = ?`,
    ...[now, held ?? null, row.number],
  )
  touchShown(sql, row)
  return true
}

/** The connector has taken the instruction of a document. */
export function markTaken(context: Pick<Context, 'sql' | 'now'>, receiptUid: string): void {
  const row = findReceipt(context.sql, receiptUid)
  if (row?.state === 'WAITING' && row.waits_for === null) send(context, row)
}

/** A code that is for one payment, and a sale, show the document of their payment: they have another version. */
function touchShown(sql: SqlStorage, { kind, payment, qr_code, sale }: ReceiptRow): void {
  if (kind !== 'sale') return
  sql.exec(
    `UPDATE qr_codes SET version = version + 1 WHERE number = ? AND payment = ? AND type NOT IN ('STATIC', 'COUNTER')`,
    ...[qr_code, payment],
  )
  if (sale !== null)
    sql.exec('UPDATE sales SET version = version + 1 WHERE number = ? AND payment = ?', sale, payment)
}

/** Records the event of a change of a document. @returns its number */
export function recordReceipt(
  context: Context,
  number: number,
  type: Extract<EventType, `receipt.${string}`>,
): number {
  const row = receiptByNumber(context.sql, number)
  if (!row) throw new Error('the document of an event is missing')
  touchShown(context.sql, row)
  return recordEvent(context, { type, qrCode: row.qr_code ?? undefined, receipt: row })
}
