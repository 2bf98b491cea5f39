// Which changes are notified: each event of the table has exactly one notification (contract, section 11).
import type { NotificationContent, NotificationType } from '../contract/delivery.ts'
import type { EventType } from '../contract/event.ts'
import { enqueue } from './outbox.ts'
import { paymentRows, qrCodeRows } from './rows.ts'
import { settingsOf } from './settings.ts'

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
  payment?: { paymentUid: string; applied: boolean; status: string } | undefined
}

/** Queues the notification of an event, in its transaction. Without a callbackUrl nothing is queued. */
export function notify(sql: SqlStorage, event: Recorded): void {
  const type = TYPES[event.type]
  // A declined attempt that did not change its QR code is no news for the merchant.
  if (!type || (event.type === 'payment.declined' && !event.payment?.applied)) return
  const { callbackUrl, notificationTypes } = settingsOf(sql)
  if (callbackUrl === undefined || !notificationTypes.includes(type)) return
  const content = type === 'PAYMENT' ? paymentContent(sql, event) : qrCodeContent(sql, event)
  if (content) enqueue(sql, event.number, 'merchant', content, event.qrCode, event.at * 1000)
}

function paymentContent(sql: SqlStorage, { payment }: Recorded): NotificationContent | undefined {
  const [row] = payment ? paymentRows(sql, 'WHERE payment_uid = ?', payment.paymentUid) : []
  if (!row) return undefined
  return {
    type: 'PAYMENT',
    paymentUid: row.payment_uid,
    qrCodeUid: row.qr_code_uid ?? undefined,
    createdAt: row.created_at,
    amount: { minorUnits: row.minor_units, currency: row.currency },
    status: row.status,
    changedAt: row.changed_at,
    reason: row.reason ?? undefined,
    applied: row.applied === 1,
    notAppliedReason: row.not_applied_reason ?? undefined,
    account: row.tokenization_account ?? undefined,
    payer: { bankMemberId: row.payer_bank ?? undefined, phone: row.payer_phone ?? undefined },
  }
}

function qrCodeContent(sql: SqlStorage, { qrCode, at }: Recorded): NotificationContent | undefined {
  const [row] = qrCode === undefined ? [] : qrCodeRows(sql, 'WHERE qr_codes.number = ?', qrCode)
  return row && { type: 'QR_CODE', qrCodeUid: row.qr_code_uid, status: row.status, changedAt: at }
}
