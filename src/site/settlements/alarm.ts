// What the alarm does for settlements: ends jobs that broke, deletes what nobody sees, and matches what was reported later.
import type { Context } from '../context.ts'
import { lastEvent } from '../events/events.ts'
import { epochOf } from '../rows/site.ts'
import { integer, type Sql } from '../rows/sql.ts'
import { type Milliseconds, milliseconds, plus, seconds, toMilliseconds } from '../time.ts'
import { deleteUnseen, hasUnseen } from './cleaning.ts'
import { deleteOldCounts } from './files.ts'
import { matchLater } from './late.ts'
import { hasLearned, matchLearned } from './learned.ts'
import { matchingUnder } from './matching.ts'
import { isAlive, type State, setJob, stateIn, TOKEN_SECONDS } from './state.ts'

/** Payments that come one after another are matched together. */
const LATE = milliseconds(10_000)
const AT_ONCE = milliseconds(1000)

/** Whether the site is another one than was matched: a restore has changed what is ours. */
const isRestored = (sql: Sql, { epoch }: State): boolean => epoch !== epochOf(sql)

const hasFiles = (sql: Sql): boolean => integer(sql, 'SELECT 1 FROM settlements LIMIT 1') === 1

/** When the alarm has something to do for the settlements of a site that has their tables. */
export function nextSettlementWork(sql: Sql): Milliseconds | undefined {
  const state = stateIn(sql)
  const { job, generation, matchedEvent, lateAt, anewEvent } = state
  if (job) return toMilliseconds(seconds(job.touchedAt + TOKEN_SECONDS))
  if (hasUnseen(sql, generation) || isRestored(sql, state) || anewEvent !== undefined) return AT_ONCE
  const isLate = matchedEvent < lastEvent(sql) && hasFiles(sql)
  return isLate || hasLearned(sql) ? milliseconds(Math.max(lateAt, AT_ONCE)) : undefined
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
  if (isDue && hasLearned(sql)) matchKept(context, state)
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

function matchKept(context: Context, { generation }: State): void {
  const { sql } = context
  matchLearned(published(context, generation, `learned ${generation}`), sql)
  deleteOldCounts(sql, generation)
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
