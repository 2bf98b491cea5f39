// What the alarm does for settlements, when next-work.ts says so: ends jobs that broke, deletes what nobody sees, and matches what was reported later.
import type { Context } from '../context.ts'
import { epochOf } from '../rows/site.ts'
import { type Milliseconds, milliseconds, plus } from '../time.ts'
import { deleteUnseen } from './cleaning.ts'
import { deleteOldCounts } from './files.ts'
import { matchLater } from './late.ts'
import { matchLearned } from './learned.ts'
import { matchingUnder } from './matching.ts'
import { hasFiles, hasLearned, isRestored } from './next-work.ts'
import { isAlive, type State, setJob, stateIn } from './state.ts'

/** Payments that come one after another are matched together. */
const LATE = milliseconds(10_000)

/** Does some of what is due. */
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
