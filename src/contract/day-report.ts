// The figures of one day, hour by hour (contract, section 16).
import * as z from 'zod/mini'
import { AmountAnswer, amountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { Day, dayText, timesOf } from './payments-report.ts'

const HOURS = 24
const SECONDS_AN_HOUR = 3600

/** @param currencies of the deployment */
export const dayReportQuery = (currencies: readonly string[]) =>
  strictObject({
    date: z.optional(Day).apply(meta, {
      format: 'date',
      description: 'A day of the deployment’s offset from UTC, by default today',
      examples: ['2026-11-20'],
    }),
    currency: z.optional(z.enum(currencies, `one of ${currencies.join(', ')}`)).apply(meta, {
      description: 'The currency of the sums, by default RUB, or else the first one of the deployment',
    }),
  })
export type DayReportQuery = z.output<ReturnType<typeof dayReportQuery>>

/** Beginnings of the hours, and the end of the last one, in Unix seconds: whole quarters of an hour. */
export interface DayQuery {
  times: readonly number[]
  currency: string
}

/** What happened in an hour; sums are minor units. */
interface HourFigures {
  created: number
  payments: number
  paid: number
  refunds: number
  refunded: number
}

export interface DayFigures {
  hours: HourFigures[]
  /** How many of the QR codes that were created on the day are DYNAMIC, and how many of these are paid now. */
  createdDynamic: number
  createdAndPaid: number
}

/** The hours of a day. @param offset matches UTC_OFFSET */
export function hoursOf(day: number, offset: string): number[] {
  const { since } = timesOf({ from: day, to: day }, offset)
  return Array.from({ length: HOURS + 1 }, (_, hour) => since + hour * SECONDS_AN_HOUR)
}

const Figures = {
  created: z.int().apply(meta, { description: 'QR codes that were created' }),
  payments: z.int().apply(meta, { description: 'Completed payments, also those that no QR code took' }),
  paidAmount: AmountAnswer.apply(meta, { description: 'Their sum' }),
  refunds: z.int().apply(meta, { description: 'Completed refunds' }),
  refundedAmount: AmountAnswer.apply(meta, { description: 'Their sum' }),
}

export const DayReportAnswer = z
  .object({
    date: z.iso.date(),
    ...Figures,
    createdDynamic: z.int().apply(meta, { description: 'How many of the QR codes are DYNAMIC' }),
    createdAndPaid: z.int().apply(meta, { description: 'How many of these are PAYED now' }),
    hours: z
      .array(z.object({ dateTime: z.iso.datetime({ offset: true }), ...Figures }))
      .apply(meta, { description: 'The same for each of the 24 hours, by its beginning' }),
  })
  .apply(meta, { id: 'DayReport' })
export type DayReportAnswer = z.infer<typeof DayReportAnswer>

/** The figures of all hours together. */
export function totalOf(hours: readonly HourFigures[]): HourFigures {
  const sum = (of: keyof HourFigures) => hours.reduce((total, hour) => total + hour[of], 0)
  return {
    created: sum('created'),
    payments: sum('payments'),
    paid: sum('paid'),
    refunds: sum('refunds'),
    refunded: sum('refunded'),
  }
}

/** The answer that shows a day. @param offset matches UTC_OFFSET */
export function dayReportAnswer(
  { hours, createdDynamic, createdAndPaid }: DayFigures,
  { day, times, currency, offset }: DayQuery & { day: number; offset: string },
): DayReportAnswer {
  const shown = ({ created, payments, paid, refunds, refunded }: HourFigures) => ({
    created,
    payments,
    paidAmount: amountAnswer({ minorUnits: paid, currency }),
    refunds,
    refundedAmount: amountAnswer({ minorUnits: refunded, currency }),
  })
  return {
    date: dayText(day),
    createdDynamic,
    createdAndPaid,
    ...shown(totalOf(hours)),
    hours: hours.map((hour, index) => ({
      dateTime: formatDateTime(times[index] ?? 0, offset),
      ...shown(hour),
    })),
  }
}

const hour = {
  created: 2,
  payments: 1,
  paidAmount: { value: '10.50', currency: 'RUB' },
  refunds: 0,
  refundedAmount: { value: '0.00', currency: 'RUB' },
}

export const DAY_REPORT_EXAMPLE: Example = {
  summary: 'One hour of the 24 is shown',
  value: {
    date: '2026-11-20',
    createdDynamic: 2,
    createdAndPaid: 1,
    ...hour,
    hours: [{ dateTime: '2026-11-20T20:00:00+03:00', ...hour }],
  },
}
