// Which events are notified: each event of the table has exactly one notification (contract, section 11).
import type { NotificationContent } from '../contract/delivery.ts'
import type { EventPayment, EventRefund, EventType } from '../contract/event.ts'
import { DEFAULT_SETTINGS, type NotificationType } from '../contract/settings.ts'
import type { Cause } from './events.ts'
import { enqueueNotification } from './outbox.ts'
import { findPayment } from './payments.ts'
import { type PaymentRow, paymentOf } from './rows/payments.ts'
import { qrCodeByNumber } from './rows/qr-codes.ts'
import { findRefund, refundOf } from './rows/refunds.ts'
import { notificationKeyRows, settingsRow } from './rows/settings.ts'
import { integer } from './rows/sql.ts'
import type { TokenRow } from './rows/tokens.ts'

const TYPES: Partial<Record<EventType, NotificationType>> = {
  'payment.completed': 'PAYMENT',
  'payment.declined': 'PAYMENT',
  'refund.completed': 'REFUND',
  'refund.declined': 'REFUND',
  'token.created': 'TOKEN',
  'token.rejected': 'TOKEN',
  'token.deleted': 'TOKEN',
  'qrCode.cancelled': 'QR_CODE',
  'qrCode.expired': 'QR_CODE',
}

/** An event that was recorded; `at` is Unix seconds, `qrCode` the number of a row. */
interface Recorded {
  number: number
  type: EventType
  at: number
  by: Cause
  qrCode?: number | undefined
  payment?: EventPayment | undefined
  refund?: EventRefund | undefined
  token?: TokenRow | undefined
}

/**
 * The types of the notifications that an event makes. A declined attempt that changed nothing makes none, and neither does
 * a deletion that the merchant requested. A payment whose report carries a binding makes two.
 */
function typesOf({ type, by, payment, token }: Omit<Recorded, 'number'>): NotificationType[] {
  const own = TYPES[type]
  const isSilent =
    (type === 'payment.declined' && !payment?.applied) ||
    (type === 'token.deleted' && by.actor === 'merchant')
  return [...(own && !isSilent ? [own] : []), ...(own === 'PAYMENT' && token ? ['TOKEN' as const] : [])]
}

/** Queues the notifications of an event, in its transaction. Without a callbackUrl nothing is queued. */
export function notify(sql: SqlStorage, event: Recorded): void {
  const types = typesOf(event)
  if (types.length === 0) return
  const { callbackUrl, notificationTypes } = settingsRow(sql)?.settings ?? DEFAULT_SETTINGS
  if (callbackUrl === undefined) return
  for (const type of types.filter((each) => notificationTypes.includes(each))) {
    const content = CONTENTS[type](sql, event)
    const row = { qrCode: event.qrCode, now: event.at * 1000 }
    const isSecond = event.payment && type === 'TOKEN'
    if (content) enqueueNotification(sql, { ...row, event: isSecond ? -event.number : event.number }, content)
  }
}

type Content = (sql: SqlStorage, event: Recorded) => NotificationContent | undefined

const CONTENTS: Record<NotificationType, Content> = {
  PAYMENT: paymentContent,
  REFUND: refundContent,
  TOKEN: tokenContent,
  QR_CODE: qrCodeContent,
}

function paymentContent(sql: SqlStorage, { payment }: Recorded): NotificationContent | undefined {
  const row = payment && findPayment(sql, payment.paymentUid)
  if (!row || row.status === 'WAITING') return undefined
  return {
    type: 'PAYMENT',
    ...paymentOf(row),
    status: row.status,
    ...customerOf(row),
  }
}

function refundContent(sql: SqlStorage, { refund }: Recorded): NotificationContent | undefined {
  const payment = refund && findPayment(sql, refund.paymentUid)
  const row = payment && findRefund(sql, payment, refund.refundUid)
  if (!row || row.status === 'WAITING') return undefined
  return {
    type: 'REFUND',
    ...refundOf(row),
    qrCodeUid: payment.qr_code_uid ?? undefined,
    status: row.status,
    applied: payment.applied === 1,
    ...customerOf(payment),
  }
}

const customerOf = (payment: PaymentRow) => ({
  account: payment.tokenization_account ?? undefined,
  payer: { bankMemberId: payment.payer_bank ?? undefined, phone: payment.payer_phone ?? undefined },
})

function tokenContent(_: SqlStorage, { token, at }: Recorded): NotificationContent | undefined {
  if (!token || token.status === 'WAITING' || token.status === 'EXPIRED') return undefined
  return {
    type: 'TOKEN',
    qrCodeUid: token.qr_code_uid ?? undefined,
    account: token.account,
    status: token.status,
    changedAt: at,
    reason: token.reason ?? undefined,
    ...(token.value !== null && { value: token.value, expiresAt: token.due_at ?? undefined }),
    bankMemberId: token.bank ?? undefined,
  }
}

function qrCodeContent(sql: SqlStorage, { qrCode, at }: Recorded): NotificationContent | undefined {
  const row = qrCodeByNumber(sql, qrCode)
  return row && { type: 'QR_CODE', qrCodeUid: row.qr_code_uid, status: row.status, changedAt: at }
}

/** Where deliveries go: the address, and the keys that sign, the active one first. */
export interface Endpoint {
  url: string
  keys: readonly [string, ...string[]]
}

/** The merchant's endpoint; undefined without a callbackUrl or a notification key: then notifications stay PENDING. */
export function merchantEndpoint(sql: SqlStorage): Endpoint | undefined {
  const url = settingsRow(sql)?.settings.callbackUrl
  const [active, ...others] = url === undefined ? [] : notificationKeyRows(sql).map(({ key }) => key)
  return url === undefined || active === undefined ? undefined : { url, keys: [active, ...others] }
}

/** Whether there is a merchantEndpoint: asked after every flush, so it reads no key and parses nothing. */
export const hasMerchantEndpoint = (sql: SqlStorage): boolean =>
  integer(
    sql,
    "SELECT 1 FROM settings, notification_keys WHERE settings.settings ->> 'callbackUrl' IS NOT NULL LIMIT 1",
  ) !== undefined
