// What the alarm does for settlements: ends jobs that broke, deletes what nobody sees, and matches what was reported later.
import type { Context } from '../context.ts'
import { lastEvent } from '../events/events.ts'
import { inMilliseconds, int, orNull, rowsWith } from '../rows/columns.ts'
import { epochOf } from '../rows/site.ts'
import { integer, type Sql } from '../rows/sql.ts'
import { type Milliseconds, milliseconds, plus, seconds, toMilliseconds } from '../time.ts'
import { deleteUnseen, HAS_UNSEEN } from './cleaning.ts'
import { deleteOldCounts } from './files.ts'
import { matchLater } from './late.ts'
import { hasLearned, LEARNED, matchLearned } from './learned.ts'
import { matchingUnder } from './matching.ts'
import { isAlive, type State, setJob, stateIn, TOKEN_SECONDS } from './state.ts'

/** Payments that come one after another are matched together. */
const LATE = milliseconds(10_000)
const AT_ONCE = milliseconds(1000)

/** Whether the site is another one than was matched: a restore has changed what is ours. */
const isRestored = (sql: Sql, { epoch }: State): boolean => epoch !== epochOf(sql)

const FILES = 'SELECT 1 FROM settlements LIMIT 1'
const hasFiles = (sql: Sql): boolean => integer(sql, FILES) === 1

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

/** Does some of it. */
export function workOnSettlements(context: Context, now: Milliseconds): void {
  const { sql, memory } = context
  const state = stateIn(sql)
  const { job, generation } = state
  if (isAlive(job, context.now)) return
  if (job) setJob(sql, undefined)
  if (deleteUnseen(sql, generation)) return
  // All that was reported is matched anew: the events of the backup are those of the site.
  if (isRestored(sql, state)) {
    sql.exec('UPDATE settlement_state SET anew_event = 0, epoch = ?', epochOf(sql))
    return
  }
  const isDue = now >= state.lateAt
  if (isDue && hasLearned(sql)) matchKept(context, state, now)
  else if (isDue && state.matchedEvent < memory.lastEvent && hasFiles(sql)) matchReported(context, state, now)
  else if (state.anewEvent !== undefined) matchAnew(context, state, state.anewEvent)
}

/** What later events told of. */
function matchReported(context: Context, { generation, matchedEvent }: State, now: Milliseconds): void {
  const { sql, memory } = context
  const matching = published(context, generation, `late ${generation} ${matchedEvent}`)
  const event = matchLater(matching, sql, matchedEvent, memory.lastEvent)
  deleteOldCounts(sql, generation)
  const isDone = event >= memory.lastEvent
  sql.exec(
    'UPDATE settlement_state SET matched_event = ?, late_at = ?',
    ...[event, isDone ? plus(now, LATE) : now],
  )
}

function matchKept(context: Context, { generation }: State, now: Milliseconds): void {
  const { sql } = context
  matchLearned(published(context, generation, `learned ${generation}`), sql)
  deleteOldCounts(sql, generation)
  // So that the figures are told; see figuresStamp.
  sql.exec('UPDATE settlement_state SET late_at = ?', now)
}

/** @param after the last event that is matched anew */
function matchAnew(context: Context, { generation, matchedEvent }: State, after: number): void {
  const { sql } = context
  const matching = published(context, generation, `anew ${generation} ${after}`)
  const event = matchLater(matching, sql, after, matchedEvent)
  deleteOldCounts(sql, generation)
  sql.exec('UPDATE settlement_state SET anew_event = ?', event < matchedEvent ? event : null)
}

const published = (context: Context, generation: number, token: string) =>
  matchingUnder(context, { generation, isPublished: true }, token)
