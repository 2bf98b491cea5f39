// The report of payments: what was paid and refunded on some days, for an accountant (contract, section 16).
import * as z from 'zod/mini'
import { type Amount, formatMinorUnits } from './amount.ts'
import { csvLine, escapeFormula } from './csv.ts'
import { formatDateTime } from './date-time.ts'
import { SECONDS_A_DAY } from './days.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { parsed } from './parsed.ts'
import { PAYMENT_METHODS, type PaymentMethod } from './payment.ts'
import type { LatestReceipt } from './receipts/latest-receipt.ts'

const MAX_DAYS = 31

/** A completed payment, or a completed refund, whose amount is negative in the report; times are Unix seconds. */
export interface ReportRow {
  type: 'PAYMENT' | 'REFUND'
  /** When it was recorded: the time of its event. */
  at: number
  /** When the bank says that it was paid; a refund has no such time. */
  bankAt?: number | undefined
  amount: Amount
  paymentUid: string
  refundUid?: string | undefined
  qrCodeUid?: string | undefined
  saleUid?: string | undefined
  applied: boolean
  payerBank?: string | undefined
  networkUid?: string | undefined
  paymentPurpose?: string | undefined
  /** Of the sale, or of the refund. */
  receipt?: LatestReceipt | undefined
  /** Of the payment. */
  method?: PaymentMethod | undefined
}

/** The last event of a page. */
export interface ReportCursor {
  at: number
  number: number
}

const DAY_RULE = 'a day, such as 2026-11-30'

/** A day as the days since 1 January 1970. */
export const Day = parsed(z.string(DAY_RULE), DAY_RULE, (text): number | undefined => {
  const milliseconds = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Date.parse takes 30 February as 2 March.
  return Number.isNaN(milliseconds) || new Date(milliseconds).toISOString().slice(0, 10) !== text
    ? undefined
    : milliseconds / (SECONDS_A_DAY * 1000)
})

export const PaymentsReportQuery = strictObject({
  from: Day.apply(meta, {
    format: 'date',
    description: 'The first day, of the deployment’s offset from UTC',
    examples: ['2026-11-01'],
  }),
  to: Day.apply(meta, {
    format: 'date',
    description: 'The last day, which is in the report; at most 31 days',
    examples: ['2026-11-30'],
  }),
})
export type PaymentsReportQuery = z.output<typeof PaymentsReportQuery>

/** Why the days are not those of a report; undefined if they are. */
export function daysProblem({ from, to }: PaymentsReportQuery): string | undefined {
  if (to < from) return 'is before from, must be the same day or a later one'
  return to - from >= MAX_DAYS ? `is ${to - from + 1} days with from, must be at most ${MAX_DAYS}` : undefined
}

export const REPORT_MEDIA_TYPES = ['text/csv', 'application/x-ndjson'] as const
export type ReportMediaType = (typeof REPORT_MEDIA_TYPES)[number]

const COLUMNS = [
  ...['type', 'dateTime', 'bankDateTime', 'amount', 'currency', 'paymentUid', 'refundUid', 'qrCodeUid'],
  ...['saleUid', 'applied', 'payerBank', 'networkUid', 'paymentPurpose'],
  ...['receiptNumber', 'receiptDateTime', 'fn', 'fd', 'fpd', 'method'],
] as const

/** The first line of a file; NDJSON has none. */
export const reportHead = (mediaType: ReportMediaType): string =>
  mediaType === 'text/csv' ? csvLine(COLUMNS) : ''

/** A line of NDJSON. */
export const ReportJson = z.object({
  type: z.enum(['PAYMENT', 'REFUND']),
  dateTime: z.string(),
  bankDateTime: z.optional(z.string()),
  amount: z.string(),
  currency: z.string(),
  paymentUid: z.string(),
  refundUid: z.optional(z.string()),
  qrCodeUid: z.optional(z.string()),
  saleUid: z.optional(z.string()),
  applied: z.boolean(),
  payerBank: z.optional(z.string()),
  networkUid: z.optional(z.string()),
  paymentPurpose: z.optional(z.string()),
  receiptNumber: z.optional(z.string()),
  receiptDateTime: z.optional(z.string()),
  fn: z.optional(z.string()),
  fd: z.optional(z.string()),
  fpd: z.optional(z.string()),
  method: z.optional(z.enum(PAYMENT_METHODS)),
})
export type ReportJson = z.infer<typeof ReportJson>

/** The line of a row. @param offset matches UTC_OFFSET */
export function reportLine(row: ReportRow, mediaType: ReportMediaType, offset: string): string {
  const { type, at, bankAt, amount, paymentUid, refundUid, qrCodeUid, saleUid } = row
  const { applied, payerBank, networkUid, paymentPurpose, method } = row
  const { number: receiptNumber, dateTime: receiptAt, fn, fd, fpd } = row.receipt?.fiscal ?? {}
  const dateTime = (time: number | undefined) =>
    time === undefined ? undefined : formatDateTime(time, offset)
  const value = `${type === 'REFUND' ? '-' : ''}${formatMinorUnits(amount.minorUnits)}`
  const facts = { type, dateTime: dateTime(at), bankDateTime: dateTime(bankAt), amount: value }
  const texts = { paymentUid, refundUid, qrCodeUid, saleUid }
  const receipt = { receiptNumber, receiptDateTime: dateTime(receiptAt), fn, fd, fpd }
  const more = { payerBank, networkUid, paymentPurpose, ...receipt, method }
  if (mediaType !== 'text/csv') {
    return `${JSON.stringify({ ...facts, currency: amount.currency, ...texts, applied, ...more })}\n`
  }
  const cells = [
    ...[...Object.values(facts), amount.currency].map((text = '') => text),
    ...[...Object.values(texts)].map(escapeFormula),
    String(applied),
    ...Object.values(more).map(escapeFormula),
  ]
  return csvLine(cells)
}
