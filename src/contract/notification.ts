// Bodies of notifications, and the values that `Signature` covers (contract, section 11).
import { type Amount, formatMinorUnits } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import type { NotificationContent } from './delivery.ts'
import type { PaymentResult } from './payment.ts'
import { last4Of } from './token.ts'

declare global {
  interface JSON {
    /** What JSON.stringify writes as this text (ECMAScript proposal "JSON.parse source text access"). */
    rawJSON(text: string): object
  }
}

/** What a notification of a type tells. */
type Told<T extends NotificationContent['type']> = Omit<Extract<NotificationContent, { type: T }>, 'type'>
export type NotifiedPayment = Told<'PAYMENT'>

/** Where a notification comes from; `utcOffset` is the deployment's. */
export interface NotificationOrigin {
  siteId: string
  utcOffset: string
}

export interface ComposedNotification {
  /** JSON text. */
  body: string
  /** What `Signature` covers, in its order. */
  signedValues: string[]
}

const RESULTS = { COMPLETED: 'SUCCESS', DECLINED: 'DECLINE' } as const

/**
 * The notification of a payment. One that is not applied has neither the QR code nor the account: a receiver that does
 * not know `applied` must find nothing to deliver goods for.
 */
export function paymentNotification(
  payment: NotifiedPayment,
  { siteId, utcOffset }: NotificationOrigin,
): ComposedNotification {
  const { paymentUid, qrCodeUid, amount, status, reason, applied, notAppliedReason } = payment
  const createdDateTime = formatDateTime(payment.createdAt, utcOffset)
  const body = JSON.stringify({
    payment: {
      paymentId: paymentUid,
      ...(applied && { qrCodeUid }),
      type: 'PAYMENT',
      createdDateTime,
      amount: amountBody(amount),
      status: resultBody(status, payment.changedAt, utcOffset, reason),
      ...payerFields(payment, siteId),
      customFields: payment.isTest ? { test: 'true' } : {},
      flags: ['SALE'],
      applied,
      notAppliedReason,
    },
    type: 'PAYMENT',
    version: '1',
  })
  return { body, signedValues: [paymentUid, createdDateTime, formatMinorUnits(amount.minorUnits)] }
}

/** The notification of a refund. */
export function refundNotification(
  refund: Told<'REFUND'>,
  { siteId, utcOffset }: NotificationOrigin,
): ComposedNotification {
  const { refundUid, paymentUid, amount, status, reason } = refund
  const createdDateTime = formatDateTime(refund.createdAt, utcOffset)
  const body = JSON.stringify({
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
    version: '1',
  })
  return { body, signedValues: [refundUid, createdDateTime, formatMinorUnits(amount.minorUnits)] }
}

/** The notification of a token. @param showsValue false where the reader may see the end of its value alone */
export function tokenNotification(
  { qrCodeUid, account, status, changedAt, reason, value, expiresAt, bankMemberId }: Told<'TOKEN'>,
  { siteId, utcOffset }: NotificationOrigin,
  showsValue = true,
): ComposedNotification {
  const changedDateTime = formatDateTime(changedAt, utcOffset)
  const body = JSON.stringify({
    token: {
      status: { value: status, changedDateTime, rejectReason: reason },
      merchantSiteUid: siteId,
      account,
      ...(value !== undefined && (showsValue ? { value } : { last4: last4Of(value) })),
      expiredDate: expiresAt === undefined ? undefined : formatDateTime(expiresAt, utcOffset),
      tokenizationSource: { type: 'QR_CODE', uid: qrCodeUid },
      bankMemberId,
    },
    type: 'TOKEN',
    version: '1',
  })
  return { body, signedValues: [siteId, account, status, changedDateTime] }
}

/** The notification of a QR code's status. */
export function qrCodeNotification(
  { qrCodeUid, status, changedAt }: Told<'QR_CODE'>,
  { siteId, utcOffset }: NotificationOrigin,
): ComposedNotification {
  const changedDateTime = formatDateTime(changedAt, utcOffset)
  const body = JSON.stringify({
    qrCode: { qrCodeUid, status: { value: status, changedDateTime }, merchantSiteUid: siteId },
    type: 'QR_CODE',
    version: '1',
  })
  return { body, signedValues: [siteId, qrCodeUid, status, changedDateTime] }
}

/** How, where and by whom it was paid. A payment that its QR code did not take does not name the customer. */
const payerFields = (
  { applied, account, payer }: Pick<NotifiedPayment, 'applied' | 'account' | 'payer'>,
  siteId: string,
) => ({
  paymentMethod: { type: 'SBP', phone: payer?.phone },
  merchantSiteUid: siteId,
  customer: { ...(applied && { account }), bankMemberId: payer?.bankMemberId },
})

const resultBody = (status: PaymentResult, changedAt: number, utcOffset: string, reason?: string) => ({
  value: RESULTS[status],
  changedDateTime: formatDateTime(changedAt, utcOffset),
  reasonMessage: reason,
})

/** `Signature` covers two fraction digits, so the number has them too: receivers sign the digits that they read. */
const amountBody = ({ minorUnits, currency }: Amount) => ({
  value: JSON.rawJSON(formatMinorUnits(minorUnits)),
  currency,
})
