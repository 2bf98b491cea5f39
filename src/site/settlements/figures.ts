// What the registry is to have of the site's settlements: which months there are, and when their figures are other ones.
import { dayOf, dayText } from '../../contract/days.ts'
import { FIGURES, type MonthFigures } from '../../contract/settlements/figures.ts'
import { timesOfMonth } from '../../contract/settlements/month.ts'
import { moscowDay, startOf } from '../../settlement/formats/dates.ts'
import type { Context } from '../context.ts'
import { epochOf } from '../rows/site.ts'
import { integer, type Sql, textValue } from '../rows/sql.ts'
import { type Milliseconds, type Seconds, seconds, toMilliseconds } from '../time.ts'
import { settlementMonth } from './month.ts'
import { IN_GENERATION, stateIn } from './state.ts'

/** Of the deployment: SETTLEMENT_DAYS, and the offset from UTC by which months begin. */
export interface FiguresSettings {
  days: number
  utcOffset: string
}

const MAX_MONTHS = 36
const DAY: Seconds = seconds(86_400)

/** Equal texts mean equal figures: they change with what is published, with an entry that is matched later, with a restore and with the day. */
export function figuresKey(sql: Sql, now: Seconds): string {
  const { generation } = stateIn(sql)
  const counts = textValue(
    sql,
    `SELECT ifnull(sum(matched), 0) || ' ' || ifnull(sum(mismatched), 0) || ' ' || ifnull(sum(unknown), 0)
     FROM settlement_counts WHERE since <= ?`,
    generation,
  )
  return `${moscowDay(now)} ${epochOf(sql)} ${generation} ${counts}`
}

/** Changes whenever the key can: each write of the site asks for it, and the key reads the counts of all files. */
export const figuresStamp = (sql: Sql, now: Seconds): string =>
  `${moscowDay(now)} ${textValue(
    sql,
    `SELECT epoch || ' ' || generation || ' ' || matched_event || ' ' || late_at || ' ' || ifnull(anew_event, '') FROM settlement_state`,
  )}`

/** When the day ends in Moscow: more can be EXPECTED then. */
export const nextDay = (now: Seconds): Milliseconds => toMilliseconds(seconds(startOf(moscowDay(now)) + DAY))

/** The key that the registry has the figures of. */
export const toldKeyIn = (sql: Sql): string | undefined => textValue(sql, 'SELECT told FROM settlement_state')

export const setToldKey = (sql: Sql, key: string): void =>
  void sql.exec('UPDATE settlement_state SET told = ?', key)

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
