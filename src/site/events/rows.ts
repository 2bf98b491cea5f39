// Rows of the table `events`, with checked types.

import {
  ACTORS,
  type Event,
  EventPayment,
  EventRefund,
  EventSale,
  EventSubject,
  EventToken,
} from '../../contract/event.ts'
import { EVENT_TYPES, type EventType } from '../../contract/event-type.ts'
import type { DecisionBody } from '../../contract/payment-decision.ts'
import type { Refund } from '../../contract/refund.ts'
import { type QrCodeStatus, STATUSES } from '../../contract/status.ts'
import { last4Of } from '../../contract/token.ts'
import type { PaymentRow } from '../payments/rows.ts'
import { failureOf, type ReceiptRow } from '../receipts/rows.ts'
import { int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { type Binding, ofQrCodeOrDeleted } from '../rows/sql.ts'
import type { TokenRow } from '../tokens/rows.ts'

/**
 * A payment as an event tells of it. isRepeated: an earlier event told of it, before the site had its QR code. decided: what the
 * merchant has decided about it.
 */
export type RecordedPayment = PaymentRow & { isRepeated?: boolean; decided?: DecisionBody }

/** A refund after its change, and the payment that it is of. */
export interface RefundOfPayment {
  refund: Refund
  payment: PaymentRow
  /** The refunds exceed the payment since this event. */
  overRefunded?: boolean | undefined
}

/** What an event tells of a document. */
type RecordedReceipt = Pick<
  ReceiptRow,
  'receipt_uid' | 'kind' | 'state' | 'payment_uid' | 'refund_uid' | 'closing_uid' | 'error'
>

/** An event to record. Its time and its actor come from the context. */
export interface NewEvent {
  type: EventType
  /** The number of the QR code's row, and its status after the event. */
  qrCode?: number | undefined
  status?: QrCodeStatus | undefined
  sale?: EventSale | undefined
  payment?: RecordedPayment | undefined
  refund?: RefundOfPayment | undefined
  token?: TokenRow | undefined
  /** What an event of no QR code is of. */
  subject?: EventSubject | undefined
  /** The document after its change. */
  receipt?: RecordedReceipt | undefined
  /** Whether a row that the same write changes has its number; see named.ts. */
  isNamed?: boolean | undefined
}

export const eventPaymentColumn = (row: RecordedPayment | undefined): string | null =>
  row ? JSON.stringify(eventPaymentOf(row)) : null

const eventPaymentOf = (row: RecordedPayment): EventPayment & { isRepeated?: true } => ({
  paymentUid: row.payment_uid,
  status: row.status,
  amount: { minorUnits: row.minor_units, currency: row.currency },
  applied: row.applied === 1,
  ...(row.method && { method: row.method }),
  ...(row.sale_uid !== null && { saleUid: row.sale_uid }),
  ...(row.decided && { decision: row.decided }),
  ...(row.isRepeated && row.status === 'COMPLETED' && { isRepeated: true }),
})

export const eventRefundColumn = (change: RefundOfPayment | undefined): string | null =>
  change ? JSON.stringify(eventRefundOf(change)) : null

function eventRefundOf({ refund, overRefunded }: RefundOfPayment): EventRefund {
  const { refundUid, paymentUid, status, amount } = refund
  return { refundUid, paymentUid, status, amount, ...(overRefunded && { overRefunded }) }
}

export const eventSaleColumn = (sale: EventSale | undefined): string | null =>
  sale ? JSON.stringify(sale) : null

export const eventTokenColumn = (token: TokenRow | undefined): string | null =>
  token
    ? JSON.stringify({ status: token.status, last4: token.value === null ? undefined : last4Of(token.value) })
    : null

export const eventSubjectColumn = ({ subject, receipt }: NewEvent): string | null =>
  subject || receipt ? JSON.stringify({ ...subject, receipt: receipt && eventReceiptOf(receipt) }) : null

const eventReceiptOf = (row: RecordedReceipt): EventSubject['receipt'] => ({
  receiptUid: row.receipt_uid,
  kind: row.kind,
  state: row.state,
  paymentUid: row.payment_uid,
  refundUid: row.refund_uid ?? undefined,
  closingUid: row.closing_uid ?? undefined,
  reason: failureOf(row)?.reason,
})

const readRows = rowsWith({
  number: int,
  type: oneOf(EVENT_TYPES),
  at: int,
  actor: oneOf(ACTORS),
  key_id: text,
  person: text,
  name: orNull(text),
  qr_code_uid: orNull(text),
  status: orNull(oneOf(STATUSES)),
  payment: orNull(text),
  refund: orNull(text),
  token: orNull(text),
  sale: orNull(text),
  subject: orNull(text),
})

const selected = (
  name: string,
) => `SELECT events.number, type, at, actor, key_id, callers.person, ${name} AS name,
    ${ofQrCodeOrDeleted('events.qr_code', 'qr_code_uid')} AS qr_code_uid,
    status, payment, refund, token, sale, subject
  FROM events JOIN callers ON callers.number = caller`

const EVENTS = selected('NULL')

/** The events that the clauses after FROM select. The name of a key or a person is read once for all its events. */
export function eventRows(sql: SqlStorage, clauses: string, ...bindings: Binding[]) {
  const rows = readRows(sql, `${EVENTS} ${clauses}`, ...bindings)
  const names = new Map([
    ...namesIn(
      sql,
      LABELS,
      'key',
      rows.map(({ key_id }) => key_id),
    ),
    // The operator's people are not of the site.
    ...namesIn(
      sql,
      PEOPLE,
      'person',
      rows.map(({ actor, person }) => (actor === 'merchant' ? person : '')),
    ),
  ])
  return rows.map((row) => ({
    ...row,
    name: names.get(row.person ? `person ${row.person}` : `key ${row.key_id}`) || null,
  }))
}

const readNames = rowsWith({ id: text, name: text })
const LABELS = 'SELECT id, label AS name FROM api_keys WHERE id IN (SELECT value FROM json_each(?))'
const PEOPLE = 'SELECT id, name FROM people WHERE id IN (SELECT value FROM json_each(?))'

function namesIn(sql: SqlStorage, query: string, kind: 'key' | 'person', all: readonly string[]) {
  const ids = new Set(all)
  ids.delete('')
  if (ids.size === 0) return []
  const rows = readNames(sql, query, JSON.stringify([...ids]))
  return rows.map(({ id, name }) => [`${kind} ${id}`, name] as const)
}

const EVENTS_WITH_NAMES = `${selected(`iif(callers.person = '', nullif(label, ''), iif(actor = 'merchant', people.name, NULL))`)}
  LEFT JOIN api_keys ON api_keys.id = key_id LEFT JOIN people ON people.id = callers.person`

/** The same for the export, which no row fails. */
export const exportedEventRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]) =>
  readRows.numbered(sql, `${EVENTS_WITH_NAMES} ${clauses}`, ...bindings)

export const eventOf = (row: ReturnType<typeof readRows>[number]): Event => {
  const {
    key_id: keyId,
    person,
    name,
    qr_code_uid: qrCodeUid,
    status,
    payment,
    refund,
    token,
    sale,
    subject,
    ...event
  } = row
  return {
    ...event,
    keyId: keyId || undefined,
    personId: person || undefined,
    name: name ?? undefined,
    qrCodeUid: qrCodeUid ?? undefined,
    status: status ?? undefined,
    payment: payment === null ? undefined : EventPayment.parse(JSON.parse(payment)),
    refund: refund === null ? undefined : EventRefund.parse(JSON.parse(refund)),
    sale: sale === null ? undefined : EventSale.parse(JSON.parse(sale)),
    token: token === null ? undefined : EventToken.parse(JSON.parse(token)),
    ...(subject !== null && EventSubject.parse(JSON.parse(subject))),
  }
}
