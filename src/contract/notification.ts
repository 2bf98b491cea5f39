// Bodies of notifications, and the values that `Signature` covers (contract, section 11).
import * as z from 'zod'
import { type Amount, formatMinorUnits } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import { NOT_APPLIED_REASONS, type Payment, type PaymentResult } from './payment.ts'
import { type QrCodeStatus, STATUSES } from './status.ts'

declare global {
  interface JSON {
    /** What JSON.stringify writes as this text (ECMAScript proposal "JSON.parse source text access"). */
    rawJSON(text: string): object
  }
}

/** A payment that is notified: its result, and who paid. */
export type NotifiedPayment = Omit<Payment, 'status'> & {
  status: PaymentResult
  /** The customer's identifier in the merchant's system: tokenizationAccount of the QR code. */
  account?: string | undefined
  payer?: { bankMemberId?: string | undefined; phone?: string | undefined } | undefined
  /** The merchant asked for it: there is no such payment. */
  isTest?: boolean | undefined
}

/** A QR code whose status is notified; `changedAt` is Unix seconds. */
export interface NotifiedQrCode {
  qrCodeUid: string
  status: QrCodeStatus
  changedAt: number
}

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
  const { paymentUid, qrCodeUid, amount, status, reason, applied, notAppliedReason, account, payer } = payment
  const createdDateTime = formatDateTime(payment.createdAt, utcOffset)
  const body = JSON.stringify({
    payment: {
      paymentId: paymentUid,
      ...(applied && { qrCodeUid }),
      type: 'PAYMENT',
      createdDateTime,
      amount: amountBody(amount),
      status: {
        value: RESULTS[status],
        changedDateTime: formatDateTime(payment.changedAt, utcOffset),
        reasonMessage: reason,
      },
      paymentMethod: { type: 'SBP', phone: payer?.phone },
      merchantSiteUid: siteId,
      customer: { ...(applied && { account }), bankMemberId: payer?.bankMemberId },
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

/** The notification of a QR code's status. */
export function qrCodeNotification(
  { qrCodeUid, status, changedAt }: NotifiedQrCode,
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

/** `Signature` covers two fraction digits, so the number has them too: receivers sign the digits that they read. */
const amountBody = ({ minorUnits, currency }: Amount) => ({
  value: JSON.rawJSON(formatMinorUnits(minorUnits)),
  currency,
})

export const PaymentNotification = z
  .object({
    payment: z.object({
      paymentId: z.string(),
      qrCodeUid: z
        .string()
        .optional()
        .meta({ description: 'Absent where the QR code did not take the payment' }),
      type: z.literal('PAYMENT'),
      createdDateTime: z.iso.datetime({ offset: true }),
      amount: z.object({
        value: z.number().meta({ description: 'Exactly two fraction digits: 5.00', examples: [10.5] }),
        currency: z.string().length(3),
      }),
      status: z.object({
        value: z.enum(RESULTS),
        changedDateTime: z.iso.datetime({ offset: true }),
        reasonMessage: z.string().optional(),
      }),
      paymentMethod: z.object({ type: z.literal('SBP'), phone: z.string().optional() }),
      merchantSiteUid: z.string().meta({ description: 'The siteId' }),
      customer: z.object({
        account: z.string().optional().meta({
          description: 'tokenizationAccount of the QR code; absent where it did not take the payment',
        }),
        bankMemberId: z.string().optional(),
      }),
      customFields: z.object({
        test: z.literal('true').optional().meta({ description: 'There is no such payment' }),
      }),
      flags: z.tuple([z.literal('SALE')]),
      applied: z
        .boolean()
        .meta({ description: 'Whether the QR code took the payment; deliver nothing where false' }),
      notAppliedReason: z.enum(NOT_APPLIED_REASONS).optional(),
    }),
    type: z.literal('PAYMENT'),
    version: z.literal('1'),
  })
  .meta({ id: 'PaymentNotification' })

export const QrCodeNotification = z
  .object({
    qrCode: z.object({
      qrCodeUid: z.string(),
      status: z.object({ value: z.enum(STATUSES), changedDateTime: z.iso.datetime({ offset: true }) }),
      merchantSiteUid: z.string().meta({ description: 'The siteId' }),
    }),
    type: z.literal('QR_CODE'),
    version: z.literal('1'),
  })
  .meta({ id: 'QrCodeNotification' })
