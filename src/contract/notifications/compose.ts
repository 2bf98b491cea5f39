// Composes the bodies of notifications, and the values that `Signature` covers (contract, section 11).
import { formatMinorUnits } from '../amount.ts'
import { formatDateTime } from '../date-time.ts'
import { pageBase } from '../page-base.ts'
import { fiscalAnswer } from '../receipts/document.ts'
import { last4Of } from '../token.ts'
import type {
  PaymentNotification,
  QrCodeNotification,
  ReceiptNotification,
  RefundNotification,
  SettlementNotification,
  TokenNotification,
} from './bodies.ts'
import type { NotificationContent } from './content.ts'
import { amountBody, type BodyOf, envelope, payerFields, resultBody } from './parts.ts'

type ContentOf<T extends NotificationContent['type']> = Omit<
  Extract<NotificationContent, { type: T }>,
  'type'
>
export type NotifiedPayment = ContentOf<'PAYMENT'>

/** Where a notification comes from; `utcOffset` is the deployment's. */
interface NotificationOrigin {
  siteId: string
  utcOffset: string
  /** PUBLIC_URL of the deployment. */
  publicUrl?: string | undefined
  /** Whether it is a test site. */
  isTest?: boolean
}

export interface ComposedNotification {
  /** JSON text. */
  body: string
  /** What `Signature` covers, in its order. */
  signedValues: string[]
}

/**
 * The body of a notification, and the values that `Signature` covers.
 * @param showsTokens false where the reader may see the ends of tokens' values alone
 */
export function compose(
  content: NotificationContent,
  origin: NotificationOrigin,
  showsTokens = true,
): ComposedNotification {
  switch (content.type) {
    case 'PAYMENT':
      return paymentNotification(content, origin)
    case 'REFUND':
      return refundNotification(content, origin)
    case 'TOKEN':
      return tokenNotification(content, origin, showsTokens)
    case 'QR_CODE':
      return qrCodeNotification(content, origin)
    case 'RECEIPT':
      return receiptNotification(content, origin)
    case 'SETTLEMENT':
      return settlementNotification(content, origin)
  }
}

/**
 * The notification of a payment. A payment that is not applied has neither the QR code nor the account: a receiver that does
 * not know `applied` must find nothing to deliver goods for. A receiver that knows sales knows `applied` (contract, section 15).
 */
export function paymentNotification(
  payment: NotifiedPayment,
  { siteId, utcOffset, isTest }: NotificationOrigin,
): ComposedNotification {
  const { paymentUid, qrCodeUid, saleUid, amount, status, reason, applied, notAppliedReason, method } =
    payment
  const createdDateTime = formatDateTime(payment.createdAt, utcOffset)
  const body: BodyOf<typeof PaymentNotification> = {
    payment: {
      paymentId: paymentUid,
      ...(applied && { qrCodeUid }),
      saleUid,
      type: 'PAYMENT',
      createdDateTime,
      amount: amountBody(amount),
      status: resultBody(status, payment.changedAt, utcOffset, reason),
      ...payerFields(payment, siteId),
      customFields: payment.isTest ? { test: 'true' } : {},
      flags: ['SALE'],
      ...{ applied, notAppliedReason, method },
    },
    type: 'PAYMENT',
    ...envelope(isTest),
  }
  return {
    body: JSON.stringify(body),
    signedValues: [paymentUid, createdDateTime, formatMinorUnits(amount.minorUnits)],
  }
}

/** The notification of a refund. */
export function refundNotification(
  refund: ContentOf<'REFUND'>,
  { siteId, utcOffset, isTest }: NotificationOrigin,
): ComposedNotification {
  const { refundUid, paymentUid, amount, status, reason } = refund
  const createdDateTime = formatDateTime(refund.createdAt, utcOffset)
  const body: BodyOf<typeof RefundNotification> = {
    refund: {
      paymentId: paymentUid,
      refundId: refundUid,
      type: 'REFUND',
      createdDateTime,
      amount: amountBody(amount),
      status: resultBody(status, refund.changedAt, utcOffset, reason),
      ...payerFields(refund, siteId),
      customFields: {},
      flags: ['REFUND'],
    },
    type: 'REFUND',
    ...envelope(isTest),
  }
  return {
    body: JSON.stringify(body),
    signedValues: [refundUid, createdDateTime, formatMinorUnits(amount.minorUnits)],
  }
}

/** The notification of a token. @param showsValue false where the reader may see the end of its value alone */
export function tokenNotification(
  content: ContentOf<'TOKEN'>,
  { siteId, utcOffset, isTest, publicUrl }: NotificationOrigin,
  showsValue = true,
): ComposedNotification {
  const { qrCodeUid, account, status, changedAt, reason, value, expiresAt, bankMemberId } = content
  const { endedBy, pageLink } = content
  const changedDateTime = formatDateTime(changedAt, utcOffset)
  const body: BodyOf<typeof TokenNotification> & { token: { last4?: string } } = {
    token: {
      status: { value: status, changedDateTime, rejectReason: reason },
      merchantSiteUid: siteId,
      account,
      ...(value !== undefined && (showsValue ? { value } : { last4: last4Of(value) })),
      expiredDate: expiresAt === undefined ? undefined : formatDateTime(expiresAt, utcOffset),
      tokenizationSource: { type: 'QR_CODE', uid: qrCodeUid },
      bankMemberId,
      endedBy,
      ...(publicUrl !== undefined &&
        pageLink !== undefined && { pageUrl: `${pageBase(publicUrl, siteId)}/${pageLink}` }),
    },
    type: 'TOKEN',
    ...envelope(isTest),
  }
  return { body: JSON.stringify(body), signedValues: [siteId, account, status, changedDateTime] }
}

/** The notification of a QR code's status. */
export function qrCodeNotification(
  { qrCodeUid, status, changedAt }: ContentOf<'QR_CODE'>,
  { siteId, utcOffset, isTest }: NotificationOrigin,
): ComposedNotification {
  const changedDateTime = formatDateTime(changedAt, utcOffset)
  const body: BodyOf<typeof QrCodeNotification> = {
    qrCode: { qrCodeUid, status: { value: status, changedDateTime }, merchantSiteUid: siteId },
    type: 'QR_CODE',
    ...envelope(isTest),
  }
  return { body: JSON.stringify(body), signedValues: [siteId, qrCodeUid, status, changedDateTime] }
}

/** The notification of a document of a cash register. */
export function receiptNotification(
  content: ContentOf<'RECEIPT'>,
  { siteId, utcOffset, isTest }: NotificationOrigin,
): ComposedNotification {
  const { receiptUid, kind, paymentUid, refundUid, closingUid, qrCodeUid, amount, fiscal, error } = content
  const changedDateTime = formatDateTime(content.changedAt, utcOffset)
  const { reason, text: reasonMessage, canRetry } = error ?? {}
  const body: BodyOf<typeof ReceiptNotification> = {
    receipt: {
      ...{ receiptUid, kind, paymentId: paymentUid, refundId: refundUid, closingUid, qrCodeUid },
      amount: amountBody(amount),
      status: { value: content.status, changedDateTime, reason, reasonMessage, canRetry },
      fiscal: fiscal && fiscalAnswer(fiscal, utcOffset),
      merchantSiteUid: siteId,
    },
    type: 'RECEIPT',
    ...envelope(isTest),
  }
  return { body: JSON.stringify(body), signedValues: [siteId, receiptUid, content.status, changedDateTime] }
}

/** The notification of a settlement file that was imported or deleted. */
export function settlementNotification(
  { settlementUid, sha256, entries, mismatched, unknown, status, changedAt }: ContentOf<'SETTLEMENT'>,
  { siteId, utcOffset, isTest }: NotificationOrigin,
): ComposedNotification {
  const changedDateTime = formatDateTime(changedAt, utcOffset)
  const body: BodyOf<typeof SettlementNotification> = {
    settlement: {
      ...{ settlementUid, sha256, entries, mismatched, unknown },
      status: { value: status, changedDateTime },
      merchantSiteUid: siteId,
    },
    type: 'SETTLEMENT',
    ...envelope(isTest),
  }
  return { body: JSON.stringify(body), signedValues: [siteId, settlementUid, status, changedDateTime] }
}
