// When the alarm has work with settlements; each write of a site that has imported asks it. What it does then is in alarm.ts.
import { lastEvent } from '../events/events.ts'
import { inMilliseconds, int, orNull, rowsWith } from '../rows/columns.ts'
import { epochOf } from '../rows/site.ts'
import { integer, type Sql } from '../rows/sql.ts'
import { type Milliseconds, milliseconds, seconds, toMilliseconds } from '../time.ts'
import { type State, TOKEN_SECONDS } from './state.ts'
import { HAS_UNSEEN } from './unseen.ts'

const AT_ONCE = milliseconds(1000)

/** Whether the site is another one than was matched: a restore has changed what is ours. */
export const isRestored = (sql: Sql, { epoch }: State): boolean => epoch !== epochOf(sql)

const FILES = 'SELECT 1 FROM settlements LIMIT 1'
export const hasFiles = (sql: Sql): boolean => integer(sql, FILES) === 1

const LEARNED = 'SELECT 1 FROM settlement_learned LIMIT 1'
/** Whether a repeated report told what a bank calls a payment or its refunds. */
export const hasLearned = (sql: Sql): boolean => integer(sql, LEARNED) === 1

/** In one question: each write of a site that has imported asks it. */
const readWork = rowsWith({
  touched_at: orNull(int),
  late_at: inMilliseconds,
  is_open: int,
  has_learned: int,
  has_files: int,
  matched_event: int,
})
const WORK = `SELECT job ->> 'touchedAt' AS touched_at, late_at, matched_event,
    anew_event IS NOT NULL OR epoch <> (SELECT epoch FROM site) OR ${HAS_UNSEEN} AS is_open,
    EXISTS (${LEARNED}) AS has_learned, EXISTS (${FILES}) AS has_files
  FROM settlement_state`

/** When the alarm has something to do for the settlements of a site that has their tables. */
export function nextSettlementWork(sql: Sql): Milliseconds | undefined {
  const [work] = readWork(sql, WORK)
  if (!work) return undefined
  if (work.touched_at !== null) return toMilliseconds(seconds(work.touched_at + TOKEN_SECONDS))
  if (work.is_open === 1) return AT_ONCE
  const isLate = work.has_files === 1 && work.matched_event < lastEvent(sql)
  return isLate || work.has_learned === 1 ? milliseconds(Math.max(work.late_at, AT_ONCE)) : undefined
}
