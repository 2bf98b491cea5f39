// The figures of a day, a week or a month, and of the period before (contract, section 16).
import * as z from 'zod/mini'
import { AmountAnswer, addedUp, amountAnswer, SignedAmountAnswer, signedAmountAnswer } from './amount.ts'
import { formatDateTime } from './date-time.ts'
import { dayText, timesOf } from './days.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { Day } from './payments-report.ts'

const SECONDS_AN_HOUR = 3600
const DAY_MS = 86_400_000
const HOURS = 24
const DAYS_A_WEEK = 7
/** 1 January 1970 was a Thursday: the days before it since a Monday. */
const MONDAY_SHIFT = 3
/** Turnover is kept by quarters of an hour. */
const QUARTER = 900

export const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]

/** Weeks and months are computed for days since 1970; the answer shows times behind the day, whose years have four digits. */
const LAST_DAY = Date.UTC(9998, 11, 31) / DAY_MS
const DAY_RULE = 'a day from 1970-01-01 to 9998-12-31'
const ReportDay = Day.check(z.refine((day) => day >= 0 && day <= LAST_DAY, DAY_RULE))

/** @param currencies of the deployment */
export const dayReportQuery = (currencies: readonly string[]) =>
  strictObject({
    date: z.optional(ReportDay).apply(meta, {
      format: 'date',
      description:
        'A day from 1970-01-01 to 9998-12-31, of the deployment’s offset from UTC, by default today',
      examples: ['2026-11-20'],
    }),
    period: z._default(z.enum(PERIODS, `one of ${PERIODS.join(', ')}`), 'day').apply(meta, {
      description: 'The day itself, or the week from Monday to Sunday or the calendar month that it is in',
    }),
    currency: z.optional(z.enum(currencies, `one of ${currencies.join(', ')}`)).apply(meta, {
      description: 'The currency of the sums, by default RUB, or else the first one of the deployment',
    }),
  })
export type DayReportQuery = z.output<ReturnType<typeof dayReportQuery>>

/** Beginnings of the hours or days, and the end of the last one, in Unix seconds: whole quarters of an hour. */
export interface FiguresQuery {
  times: readonly number[]
  currency: string
}

/** A period, and the period before it, which ends where `now` is in the first. */
export interface DayQuery extends FiguresQuery {
  before: readonly number[]
}

/** What happened in an hour or on a day; sums are minor units. */
export interface PartFigures {
  created: number
  payments: number
  paid: number
  refunds: number
  refunded: number
}

/** What happened in a period. */
export interface PeriodFigures {
  /** The hours or days of the period. */
  parts: PartFigures[]
  /** How many of the QR codes that were created in it are DYNAMIC, and how many of these are paid now. */
  createdDynamic: number
  createdAndPaid: number
}

export interface DayFigures extends PeriodFigures {
  before: PeriodFigures
}

/**
 * The times of the period that a day is in, and of the one before. Of a period that is not over, the one before ends at the same
 * moment, to the quarter of an hour.
 * @param day as the days since 1 January 1970 @param now Unix seconds @param offset matches UTC_OFFSET
 */
export function timesOfPeriod(
  { day, period }: { day: number; period: Period },
  now: number,
  offset: string,
): { times: number[]; before: number[] } {
  const { first, end, firstBefore } = boundsOf(day, period)
  const times = partsOf(first, end, period, offset)
  const whole = partsOf(firstBefore, first, period, offset)
  const [since = 0, sinceBefore = 0] = [times[0], whole[0]]
  const elapsed = Math.max(0, now - since)
  const until = sinceBefore + elapsed - (elapsed % QUARTER)
  // A month can be longer than the one before.
  const isWhole = now < since || now >= (times.at(-1) ?? 0) || until >= since
  return { times, before: isWhole ? whole : [...whole.filter((time) => time < until), until] }
}

/** The first day of a period, the day after its last one, and the first day of the period before. */
function boundsOf(day: number, period: Period): { first: number; end: number; firstBefore: number } {
  if (period === 'month') {
    const date = new Date(day * DAY_MS)
    const [first = 0, end = 0, firstBefore = 0] = [0, 1, -1].map(
      (months) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / DAY_MS,
    )
    return { first, end, firstBefore }
  }
  const length = period === 'week' ? DAYS_A_WEEK : 1
  const first = period === 'week' ? day - ((day + MONDAY_SHIFT) % DAYS_A_WEEK) : day
  return { first, end: first + length, firstBefore: first - length }
}

/** The beginnings of the hours of one day, or of several days, and the end. */
function partsOf(first: number, end: number, period: Period, offset: string): number[] {
  const { since } = timesOf({ from: first, to: first }, offset)
  const [count, length] = period === 'day' ? [HOURS, SECONDS_AN_HOUR] : [end - first, HOURS * SECONDS_AN_HOUR]
  return Array.from({ length: count + 1 }, (_, part) => since + part * length)
}

const Figures = {
  created: z.int().apply(meta, { description: 'QR codes that were created' }),
  payments: z.int().apply(meta, { description: 'Completed payments, also those that no QR code took' }),
  paidAmount: AmountAnswer.apply(meta, { description: 'Their sum' }),
  refunds: z.int().apply(meta, { description: 'Completed refunds' }),
  refundedAmount: AmountAnswer.apply(meta, { description: 'Their sum' }),
  netAmount: SignedAmountAnswer.apply(meta, {
    description: 'What was paid less what was refunded; negative where more was refunded',
  }),
}

/** The figures of a period as an answer shows them. */
const PeriodAnswer = {
  from: z.iso.datetime({ offset: true }).apply(meta, { description: 'The first moment' }),
  to: z.iso.datetime({ offset: true }).apply(meta, { description: 'The first moment after it: not of it' }),
  ...Figures,
  createdDynamic: z.int().apply(meta, { description: 'How many of the QR codes are DYNAMIC' }),
  createdAndPaid: z.int().apply(meta, { description: 'How many of these are PAYED now' }),
  hours: z
    .optional(z.array(z.object({ dateTime: z.iso.datetime({ offset: true }), ...Figures })))
    .apply(meta, { description: 'Of a day, the same for each of its hours, by their beginning' }),
  days: z
    .optional(z.array(z.object({ date: z.iso.date(), ...Figures })))
    .apply(meta, { description: 'Of a week or a month, the same for each of its days' }),
}

export const DayReportAnswer = z
  .object({
    date: z.iso.date(),
    period: z.enum(PERIODS),
    ...PeriodAnswer,
    before: z.object(PeriodAnswer).apply(meta, {
      description:
        'The period before; where the period is not over, up to the same moment in it, rounded down to a quarter of an hour',
    }),
  })
  .apply(meta, { id: 'DayReport' })
export type DayReportAnswer = z.infer<typeof DayReportAnswer>

/** The figures of all parts together. */
export function totalOf(parts: readonly PartFigures[]): PartFigures {
  const sum = (of: keyof PartFigures) => parts.reduce((total, part) => addedUp(total, part[of]), 0)
  return {
    created: sum('created'),
    payments: sum('payments'),
    paid: sum('paid'),
    refunds: sum('refunds'),
    refunded: sum('refunded'),
  }
}

/** The answer that shows a period. @param offset matches UTC_OFFSET */
export function dayReportAnswer(
  { before, ...figures }: DayFigures,
  query: DayQuery & { day: number; period: Period; offset: string },
): DayReportAnswer {
  return {
    date: dayText(query.day),
    period: query.period,
    ...periodAnswer(figures, query),
    before: periodAnswer(before, { ...query, times: query.before }),
  }
}

function periodAnswer(
  { parts, createdDynamic, createdAndPaid }: PeriodFigures,
  { times, currency, period, offset }: FiguresQuery & { period: Period; offset: string },
) {
  const shown = ({ created, payments, paid, refunds, refunded }: PartFigures) => ({
    created,
    payments,
    paidAmount: amountAnswer({ minorUnits: paid, currency }),
    refunds,
    refundedAmount: amountAnswer({ minorUnits: refunded, currency }),
    netAmount: signedAmountAnswer({ minorUnits: paid - refunded, currency }),
  })
  const timeOf = (index: number) => formatDateTime(times.at(index) ?? 0, offset)
  return {
    from: timeOf(0),
    to: timeOf(-1),
    createdDynamic,
    createdAndPaid,
    ...shown(totalOf(parts)),
    ...(period === 'day'
      ? { hours: parts.map((part, index) => ({ dateTime: timeOf(index), ...shown(part) })) }
      : { days: parts.map((part, index) => ({ date: timeOf(index).slice(0, 10), ...shown(part) })) }),
  }
}

const figures = {
  created: 2,
  payments: 1,
  paidAmount: { value: '10.50', currency: 'RUB' },
  refunds: 0,
  refundedAmount: { value: '0.00', currency: 'RUB' },
  netAmount: { value: '10.50', currency: 'RUB' },
}
const total = { createdDynamic: 2, createdAndPaid: 1, ...figures }

export const DAY_REPORT_EXAMPLE: Example = {
  summary: 'One hour of each day is shown',
  value: {
    date: '2026-11-20',
    period: 'day',
    from: '2026-11-20T00:00:00+03:00',
    to: '2026-11-21T00:00:00+03:00',
    ...total,
    hours: [{ dateTime: '2026-11-20T20:00:00+03:00', ...figures }],
    before: {
      from: '2026-11-19T00:00:00+03:00',
      to: '2026-11-20T00:00:00+03:00',
      ...total,
      hours: [{ dateTime: '2026-11-19T20:00:00+03:00', ...figures }],
    },
  },
}
