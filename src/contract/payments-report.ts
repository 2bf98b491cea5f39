// The report of payments: what was paid and refunded on some days, for an accountant (contract, section 16).
import * as z from 'zod/mini'
import { type Amount, formatMinorUnits } from './amount.ts'
import { csvLine, escapeFormula } from './csv.ts'
import { formatDateTime, secondsOfOffset } from './date-time.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { parsed } from './parsed.ts'

const SECONDS_A_DAY = 86_400
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

/** The days as Unix seconds: from the first one up to, not including, the second. @param offset matches UTC_OFFSET */
export function timesOf({ from, to }: PaymentsReportQuery, offset: string): { since: number; until: number } {
  const shift = secondsOfOffset(offset)
  return { since: from * SECONDS_A_DAY - shift, until: (to + 1) * SECONDS_A_DAY - shift }
}

/** The day of a moment, as the days since 1 January 1970. @param seconds Unix time */
export const dayOf = (seconds: number, offset: string): number =>
  Math.floor((seconds + secondsOfOffset(offset)) / SECONDS_A_DAY)

/** A day as a text: `2026-11-30`. */
export const dayText = (day: number): string =>
  new Date(day * SECONDS_A_DAY * 1000).toISOString().slice(0, 10)

export const REPORT_MEDIA_TYPES = ['text/csv', 'application/x-ndjson'] as const
export type ReportMediaType = (typeof REPORT_MEDIA_TYPES)[number]

const COLUMNS = [
  ...['type', 'dateTime', 'bankDateTime', 'amount', 'currency', 'paymentUid', 'refundUid', 'qrCodeUid'],
  ...['saleUid', 'applied', 'payerBank', 'networkUid', 'paymentPurpose'],
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
})
export type ReportJson = z.infer<typeof ReportJson>

/** The line of a row. @param offset matches UTC_OFFSET */
export function reportLine(row: ReportRow, mediaType: ReportMediaType, offset: string): string {
  const { type, at, bankAt, amount, paymentUid, refundUid, qrCodeUid, saleUid } = row
  const { applied, payerBank, networkUid, paymentPurpose } = row
  const dateTime = (time: number | undefined) =>
    time === undefined ? undefined : formatDateTime(time, offset)
  const value = `${type === 'REFUND' ? '-' : ''}${formatMinorUnits(amount.minorUnits)}`
  const facts = { type, dateTime: dateTime(at), bankDateTime: dateTime(bankAt), amount: value }
  const texts = { paymentUid, refundUid, qrCodeUid, saleUid }
  const more = { payerBank, networkUid, paymentPurpose }
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
