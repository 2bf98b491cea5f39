// Rows of events.

import * as z from 'zod/mini'
import { StoredAmount } from '../../contract/amount.ts'
import {
  ACTORS,
  EVENT_TYPES,
  type Event,
  type EventPayment,
  type EventRefund,
  type EventSale,
} from '../../contract/event.ts'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { SALE_STATUSES } from '../../contract/sale.ts'
import { STATUSES } from '../../contract/status.ts'
import { last4Of, TokenStatus } from '../../contract/token.ts'
import { int, oneOf, orNull, rowsWith, text } from './columns.ts'
import type { PaymentRow } from './payments.ts'
import type { Binding } from './sql.ts'
import type { TokenRow } from './tokens.ts'

/** The payment of an event, as the event stores it: the payment itself can change later. */
const EventPaymentColumn: z.ZodMiniType<EventPayment> = z.object({
  paymentUid: z.string(),
  status: z.enum(PAYMENT_STATUSES),
  amount: StoredAmount,
  applied: z.boolean(),
  saleUid: z.optional(z.string()),
})

export const eventPaymentColumn = (row: PaymentRow | undefined): string | null =>
  row ? JSON.stringify(eventPaymentOf(row)) : null

const eventPaymentOf = (row: PaymentRow): EventPayment => ({
  paymentUid: row.payment_uid,
  status: row.status,
  amount: { minorUnits: row.minor_units, currency: row.currency },
  applied: row.applied === 1,
  ...(row.sale_uid !== null && { saleUid: row.sale_uid }),
})

/** The refund of an event, as the event stores it. */
const EventRefundColumn = z.object({
  refundUid: z.string(),
  paymentUid: z.string(),
  status: z.enum(PAYMENT_STATUSES),
  amount: StoredAmount,
  overRefunded: z.optional(z.boolean()),
})

export const eventRefundColumn = (refund: EventRefund | undefined): string | null =>
  refund ? JSON.stringify(refund) : null

/** The sale of an event, as the event stores it: the sale itself changes later. */
const EventSaleColumn = z.object({
  saleUid: z.string(),
  status: z.enum(SALE_STATUSES),
  amount: StoredAmount,
})

export const eventSaleColumn = (sale: EventSale | undefined): string | null =>
  sale ? JSON.stringify(sale) : null

/** The token of an event, as the event stores it: without its value. */
const EventTokenColumn = z.object({ status: TokenStatus, last4: z.optional(z.string()) })

export const eventTokenColumn = (token: TokenRow | undefined): string | null =>
  token
    ? JSON.stringify({ status: token.status, last4: token.value === null ? undefined : last4Of(token.value) })
    : null

const readRows = rowsWith({
  number: int,
  type: oneOf(EVENT_TYPES),
  at: int,
  actor: oneOf(ACTORS),
  key_id: text,
  qr_code_uid: orNull(text),
  status: orNull(oneOf(STATUSES)),
  payment: orNull(text),
  refund: orNull(text),
  token: orNull(text),
  sale: orNull(text),
})

const EVENTS = `SELECT events.number, events.type, at, actor, key_id, qr_code_uid, events.status, events.payment, refund, token, sale
  FROM events JOIN callers ON callers.number = caller LEFT JOIN qr_codes ON qr_codes.number = qr_code`

/** The events that the clauses after FROM select. */
export const eventsWhere = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): Event[] =>
  readRows(sql, `${EVENTS} ${clauses}`, ...bindings).map(
    ({ key_id: keyId, qr_code_uid: qrCodeUid, status, payment, refund, token, sale, ...event }) => ({
      ...event,
      keyId: keyId || undefined,
      qrCodeUid: qrCodeUid ?? undefined,
      status: status ?? undefined,
      payment: payment === null ? undefined : EventPaymentColumn.parse(JSON.parse(payment)),
      refund: refund === null ? undefined : EventRefundColumn.parse(JSON.parse(refund)),
      sale: sale === null ? undefined : EventSaleColumn.parse(JSON.parse(sale)),
      token: token === null ? undefined : EventTokenColumn.parse(JSON.parse(token)),
    }),
  )
