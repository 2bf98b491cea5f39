// Composes the bodies of notifications, and the values that `Signature` covers (contract, section 11).
import type * as z from 'zod/mini'
import { type Amount, formatMinorUnits } from '../amount.ts'
import { formatDateTime } from '../date-time.ts'
import { pageBase } from '../page-base.ts'
import type { PaymentResult } from '../payment.ts'
import { last4Of } from '../token.ts'
import type {
  PaymentNotification,
  QrCodeNotification,
  RefundNotification,
  TokenNotification,
} from './bodies.ts'
import type { NotificationContent } from './content.ts'

declare global {
  interface JSON {
    /** What JSON.stringify writes as this text (ECMAScript proposal "JSON.parse source text access"). */
    rawJSON(text: string): object
    /** The reviver gets the text of each number, too: 350.00 is 350. */
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown
  }
}

type ContentOf<T extends NotificationContent['type']> = Omit<
  Extract<NotificationContent, { type: T }>,
  'type'
>
export type NotifiedPayment = ContentOf<'PAYMENT'>

/** A body of a schema before it is text: an amount is a JSON.rawJSON, because a number would lose its last digit. */
type BodyOf<Schema extends z.ZodMiniType> = WithRawAmounts<z.input<Schema>>
type WithRawAmounts<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]: K extends 'amount' ? RawAmount : WithRawAmounts<T[K]> }
    : T
interface RawAmount {
  value: object
  currency: string
}

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
  }
}

const RESULTS = { COMPLETED: 'SUCCESS', DECLINED: 'DECLINE' } as const

/**
 * The notification of a payment. A payment that is not applied has neither the QR code nor the account: a receiver that does
 * not know `applied` must find nothing to deliver goods for. A receiver that knows sales knows `applied` (contract, section 15).
 */
export function paymentNotification(
  payment: NotifiedPayment,
  { siteId, utcOffset, isTest }: NotificationOrigin,
): ComposedNotification {
  const { paymentUid, qrCodeUid, saleUid, amount, status, reason, applied, notAppliedReason } = payment
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
      applied,
      notAppliedReason,
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

/** What every body ends with. */
const envelope = (isTest = false) => ({ version: '1' as const, ...(isTest && { test: true as const }) })

/** How, where and by whom it was paid. A payment that its QR code did not take does not name the customer. */
const payerFields = (
  { applied, account, payer }: Pick<NotifiedPayment, 'applied' | 'account' | 'payer'>,
  siteId: string,
) => ({
  paymentMethod: { type: 'SBP' as const, phone: payer?.phone },
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
