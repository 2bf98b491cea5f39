// What the bodies of several notifications have: amounts with their digits, results, who paid, and their end.
import type * as z from 'zod/mini'
import { type Amount, formatMinorUnits } from '../amount.ts'
import { formatDateTime } from '../date-time.ts'
import type { PaymentResult } from '../payment.ts'
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

/** A body of a schema before it is text: an amount is a JSON.rawJSON, because a number would lose its last digit. */
export type BodyOf<Schema extends z.ZodMiniType> = WithRawAmounts<z.input<Schema>>
type WithRawAmounts<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]: K extends 'amount' ? RawAmount : WithRawAmounts<T[K]> }
    : T
interface RawAmount {
  value: object
  currency: string
}

const RESULTS = { COMPLETED: 'SUCCESS', DECLINED: 'DECLINE' } as const

/** What every body ends with. */
export const envelope = (isTest = false) => ({
  version: '1' as const,
  ...(isTest && { test: true as const }),
})

/** How, where and by whom it was paid. A payment that its QR code did not take does not name the customer. */
export const payerFields = (
  {
    applied,
    account,
    payer,
  }: Pick<Extract<NotificationContent, { type: 'PAYMENT' }>, 'applied' | 'account' | 'payer'>,
  siteId: string,
) => ({
  paymentMethod: { type: 'SBP' as const, phone: payer?.phone },
  merchantSiteUid: siteId,
  customer: { ...(applied && { account }), bankMemberId: payer?.bankMemberId },
})

/** The result of a payment or a refund, in the words of the interface that existing receivers know. */
export const resultBody = (status: PaymentResult, changedAt: number, utcOffset: string, reason?: string) => ({
  value: RESULTS[status],
  changedDateTime: formatDateTime(changedAt, utcOffset),
  reasonMessage: reason,
})

/** `Signature` covers two fraction digits, so the number has them too: receivers sign the digits that they read. */
export const amountBody = ({ minorUnits, currency }: Amount) => ({
  value: JSON.rawJSON(formatMinorUnits(minorUnits)),
  currency,
})
