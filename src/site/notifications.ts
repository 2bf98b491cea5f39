// Which events are notified: each event of the table has exactly one notification (contract, section 11).
import type { NotificationContent } from '../contract/delivery.ts'
import type { EventPayment, EventType } from '../contract/event.ts'
import { DEFAULT_SETTINGS, type NotificationType } from '../contract/settings.ts'
import { enqueue } from './outbox.ts'
import { findPayment } from './payments.ts'
import { paymentOf } from './rows/payments.ts'
import { qrCodeRows } from './rows/qr-codes.ts'
import { notificationKeyRows, settingsRow } from './rows/settings.ts'

const TYPES: Partial<Record<EventType, NotificationType>> = {
  'payment.completed': 'PAYMENT',
  'payment.declined': 'PAYMENT',
  'qrCode.cancelled': 'QR_CODE',
  'qrCode.expired': 'QR_CODE',
}

/** An event that was recorded; `at` is Unix seconds, `qrCode` the number of a row. */
interface Recorded {
  number: number
  type: EventType
  at: number
  qrCode?: number | undefined
  payment?: EventPayment | undefined
}

/** Whether the table names the event. A declined attempt that changed nothing is not notified. */
export const isNotified = ({ type, payment }: Pick<Recorded, 'type' | 'payment'>): boolean =>
  type in TYPES && (type !== 'payment.declined' || payment?.applied === true)

/** Queues the notification of an event, in its transaction. Without a callbackUrl nothing is queued. */
export function notify(sql: SqlStorage, event: Recorded): void {
  const type = TYPES[event.type]
  const { callbackUrl, notificationTypes } = settingsRow(sql)?.settings ?? DEFAULT_SETTINGS
  if (!type || callbackUrl === undefined || !notificationTypes.includes(type)) return
  const content = type === 'PAYMENT' ? paymentContent(sql, event) : qrCodeContent(sql, event)
  if (content) enqueue(sql, event.number, 'merchant', content, event.qrCode, event.at * 1000)
}

function paymentContent(sql: SqlStorage, { payment }: Recorded): NotificationContent | undefined {
  const row = payment && findPayment(sql, payment.paymentUid)
  if (!row || row.status === 'WAITING') return undefined
  return {
    type: 'PAYMENT',
    ...paymentOf(row),
    status: row.status,
    account: row.tokenization_account ?? undefined,
    payer: { bankMemberId: row.payer_bank ?? undefined, phone: row.payer_phone ?? undefined },
  }
}

function qrCodeContent(sql: SqlStorage, { qrCode, at }: Recorded): NotificationContent | undefined {
  const [row] = qrCode === undefined ? [] : qrCodeRows(sql, 'WHERE qr_codes.number = ?', qrCode)
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
