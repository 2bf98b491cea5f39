// What the registry is to have of the site's settlements: which months there are, and their figures.
import { dayOf, dayText } from '../../contract/days.ts'
import { timesOfMonth } from '../../contract/settlements/month.ts'
import { FIGURES, type MonthFigures } from '../../contract/settlements/month-figures.ts'
import { moscowDay } from '../../settlement/formats/dates.ts'
import type { Context } from '../context.ts'
import { integer } from '../rows/sql.ts'
import type { FiguresSettings } from './figures-key.ts'
import { settlementMonth } from './month.ts'
import { IN_GENERATION, stateIn } from './state.ts'

const MAX_MONTHS = 36

/** The months that can have figures, the latest first, such as `2026-11`: from the first file on until now, at most 36. */
export function monthsOf(
  { sql, now }: Pick<Context, 'sql' | 'now'>,
  { utcOffset }: FiguresSettings,
): string[] {
  const { generation } = stateIn(sql)
  const first = integer(
    sql,
    `SELECT unixepoch(min(from_day)) / 86400 FROM settlements WHERE ${IN_GENERATION} AND from_day IS NOT NULL`,
    ...[generation, generation],
  )
  if (first === undefined) return []
  const months: string[] = []
  // The days of files are Moscow's: in the deployment's offset an operation can be of a neighbouring one.
  const end = monthOf(dayOf(now, utcOffset) + 1)
  for (let month = end; month >= monthOf(first - 1) && months.length < MAX_MONTHS; month = before(month))
    months.push(month)
  return months
}

const monthOf = (day: number): string => dayText(day).slice(0, 7)

/** The month before. */
const before = (month: string): string => monthOf(Date.parse(`${month}-01`) / 86_400_000 - 1)

/** The figures of a month; undefined where there are none. */
export function figuresOf(
  context: Context,
  month: string,
  { days, utcOffset }: FiguresSettings,
): MonthFigures | undefined {
  const times = timesOfMonth(month, utcOffset)
  const { payouts: _, ...figures } = settlementMonth(context, {
    ...times,
    days,
    today: moscowDay(context.now),
  })
  return FIGURES.some((name) => figures[name] !== 0) ? { month, ...figures } : undefined
}
