// When the registry is to have other figures of the site's settlements; the figures are in figures.ts.
import { moscowDay, startOf } from '../../settlement/formats/dates.ts'
import { epochOf } from '../rows/site.ts'
import { type Sql, textValue } from '../rows/sql.ts'
import { type Milliseconds, type Seconds, seconds, toMilliseconds } from '../time.ts'
import { stateIn } from './state.ts'

/** Of the deployment: SETTLEMENT_DAYS, and the offset from UTC by which months begin. */
export interface FiguresSettings {
  days: number
  utcOffset: string
}

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

/**
 * Changes when the key can, or soon after: a slice of a matching, and the counts of a deleted file, change the key before. Each write
 * of the site asks for it, and the key reads the counts of all files.
 */
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
