// Which events are notified, and what their notifications say (contract, section 11).
import type { EventType } from '../../contract/event-type.ts'
import { NOTIFIED_STATUSES, type NotificationContent } from '../../contract/notifications/content.ts'
import { isReusable } from '../../contract/qr-code.ts'
import type { NotificationType } from '../../contract/settings.ts'
import type { Context } from '../context.ts'
import type { NewEvent } from '../events/rows.ts'
import { type PaymentRow, paymentOf } from '../payments/rows.ts'
import { pageLinkOf, qrCodeByNumber } from '../qr-codes/rows.ts'
import { documentOf, findReceipt } from '../receipts/rows.ts'
import { toMilliseconds } from '../time.ts'
import { enqueueNotification } from './outbox.ts'
import { receiversOf } from './receivers.ts'
import { queueOf } from './rows.ts'

/** The type of the notification that an event makes; undefined for an event that makes no notification. */
const NOTIFICATION_OF: Record<EventType, NotificationType | undefined> = {
  'qrCode.created': undefined,
  'qrCode.cancelled': 'QR_CODE',
  'qrCode.expired': 'QR_CODE',
  'sale.created': undefined,
  'sale.cancelled': undefined,
  'sale.expired': undefined,
  'payment.waiting': undefined,
  'payment.completed': 'PAYMENT',
  'payment.declined': 'PAYMENT',
  'payment.decided': undefined,
  'refund.waiting': undefined,
  'refund.completed': 'REFUND',
  'refund.declined': 'REFUND',
  'token.created': 'TOKEN',
  'token.rejected': 'TOKEN',
  'token.expired': undefined,
  'token.deleted': 'TOKEN',
  'receipt.requested': undefined,
  'receipt.registered': 'RECEIPT',
  'receipt.failed': 'RECEIPT',
  'receipt.retried': undefined,
  'settlement.imported': 'SETTLEMENT',
  'settlement.deleted': 'SETTLEMENT',
  'settings.changed': undefined,
  'apiKey.created': undefined,
  'apiKey.revoked': undefined,
  'person.invited': undefined,
  'person.joined': undefined,
  'person.changed': undefined,
  'person.removed': undefined,
  'passkey.added': undefined,
  'passkey.removed': undefined,
  'passkey.refused': undefined,
}

/** An event that was recorded. */
type Recorded = NewEvent & { number: number }

/**
 * The types of the notifications that an event makes. A declined attempt that changed nothing makes none, and neither does
 * a deletion that the merchant requested. A payment whose report carries a binding makes two.
 */
function typesOf({ by }: Context, { type, payment, token }: Recorded): NotificationType[] {
  const own = NOTIFICATION_OF[type]
  const isSilent =
    (type === 'payment.declined' && payment?.applied !== 1) ||
    (type === 'token.deleted' && by.actor === 'merchant')
  return [...(own && !isSilent ? [own] : []), ...(own === 'PAYMENT' && token ? ['TOKEN' as const] : [])]
}

/** Queues the notifications of an event, in its transaction: one for each address that takes its type. */
export function notify(context: Context, event: Recorded): void {
  const types = typesOf(context, event)
  if (types.length === 0) return
  const receivers = receiversOf(context.sql, event.qrCode)
  for (const type of types.filter((each) => receivers.some((receiver) => receiver.types.includes(each)))) {
    const content = CONTENTS[type](context, event)
    if (!content) continue
    const isSecond = event.payment !== undefined && type === 'TOKEN'
    const row = { event: event.number, isSecond, qrCode: event.qrCode, now: toMilliseconds(context.now) }
    for (const { id } of receivers.filter((receiver) => receiver.types.includes(type)))
      enqueueNotification(context.sql, row, queueOf(id), content)
  }
}

type Content = (context: Context, event: Recorded) => NotificationContent | undefined

const CONTENTS: Record<NotificationType, Content> = {
  PAYMENT: paymentContent,
  REFUND: refundContent,
  TOKEN: tokenContent,
  QR_CODE: qrCodeContent,
  RECEIPT: receiptContent,
  SETTLEMENT: settlementContent,
}

function paymentContent(_: Context, { payment }: Recorded): NotificationContent | undefined {
  if (!payment || payment.status === 'WAITING') return undefined
  return {
    type: 'PAYMENT',
    ...paymentOf(payment),
    status: payment.status,
    ...customerOf(payment),
  }
}

function refundContent(_: Context, { refund: change }: Recorded): NotificationContent | undefined {
  if (!change) return undefined
  const { payment, refund } = change
  const { status } = refund
  if (status === 'WAITING') return undefined
  return {
    type: 'REFUND',
    ...refund,
    qrCodeUid: payment.qr_code_uid ?? undefined,
    status,
    applied: payment.applied === 1,
    ...customerOf(payment),
  }
}

const customerOf = (payment: PaymentRow) => ({
  account: payment.tokenization_account ?? undefined,
  payer: { bankMemberId: payment.payer_bank ?? undefined, phone: payment.payer_phone ?? undefined },
})

function tokenContent({ sql, now }: Context, { token }: Recorded): NotificationContent | undefined {
  if (!token || token.status === 'WAITING' || token.status === 'EXPIRED') return undefined
  const row = qrCodeByNumber(sql, token.qr_code)
  return {
    type: 'TOKEN',
    qrCodeUid: token.qr_code_uid ?? undefined,
    account: token.account,
    status: token.status,
    changedAt: now,
    reason: token.reason ?? undefined,
    ...(token.value !== null && { value: token.value, expiresAt: token.due_at ?? undefined }),
    bankMemberId: token.bank ?? undefined,
    endedBy: token.ended_by ?? undefined,
    // The link of a code that is paid many times is everybody's.
    pageLink: row && !isReusable(row) ? pageLinkOf(row) : undefined,
  }
}

function qrCodeContent({ sql, now }: Context, { qrCode }: Recorded): NotificationContent | undefined {
  const row = qrCodeByNumber(sql, qrCode)
  const status = NOTIFIED_STATUSES.find((each) => each === row?.status)
  return row && status && { type: 'QR_CODE', qrCodeUid: row.qr_code_uid, status, changedAt: now }
}

function receiptContent({ sql, now }: Context, { receipt }: Recorded): NotificationContent | undefined {
  const row = receipt && findReceipt(sql, receipt.receipt_uid)
  if (!row || (row.state !== 'REGISTERED' && row.state !== 'FAILED')) return undefined
  const { receiptUid, kind, paymentUid, refundUid, closingUid, amount, fiscal, error } = documentOf(row)
  return {
    type: 'RECEIPT',
    ...{ receiptUid, kind, paymentUid, refundUid, closingUid, amount, fiscal, error },
    qrCodeUid: qrCodeByNumber(sql, row.qr_code)?.qr_code_uid,
    status: row.state,
    changedAt: now,
  }
}

function settlementContent({ now }: Context, { type, subject }: Recorded): NotificationContent | undefined {
  if (!subject?.settlement) return undefined
  const status = type === 'settlement.imported' ? 'IMPORTED' : 'DELETED'
  return { type: 'SETTLEMENT', ...subject.settlement, status, changedAt: now }
}
