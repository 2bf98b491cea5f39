// The row of the site's settlements: the published generation, and the import or the deletion that is in progress.
import * as z from 'zod/mini'
import { BANKS, FORMATS } from '../../settlement/sources.ts'
import { inMilliseconds, int, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Sql } from '../rows/sql.ts'
import { type Milliseconds, milliseconds } from '../time.ts'

/** A job without a call for so long is broken. */
export const TOKEN_SECONDS = 60

const Summary = z.object({
  lines: z.int(),
  entries: z.int(),
  skipped: z.int(),
  skippedNet: z.record(z.string(), z.int()),
  from: z.optional(z.string()),
  to: z.optional(z.string()),
})

/**
 * What is in progress. phase: what it does next; after: the number of the last entry that the phase is done with. file: the number of
 * the row of settlements. event: the last event that is matched under the new generation.
 */
const Job = z.object({
  token: z.string(),
  kind: z.enum(['import', 'deletion']),
  touchedAt: z.int(),
  phase: z.enum(['staging', 'indexing', 'cleaning', 'moving', 'matching', 'publishing']),
  settlementUid: z.string(),
  bank: z.enum(BANKS),
  format: z.enum(FORMATS),
  isPart: z.boolean(),
  sha256: z.string(),
  summary: z.optional(Summary),
  file: z.int(),
  after: z.int(),
  event: z.int(),
})
export type Job = z.output<typeof Job>

export interface State {
  generation: number
  job: Job | undefined
  matchedEvent: number
  lateAt: Milliseconds
  epoch: string
  anewEvent: number | undefined
}

const STATE = {
  generation: int,
  job: orNull(text),
  matched_event: int,
  late_at: inMilliseconds,
  epoch: text,
  anew_event: orNull(int),
}
const readState = rowsWith(STATE)

const NONE: State = {
  ...{ generation: 0, job: undefined, matchedEvent: 0, lateAt: milliseconds(0) },
  ...{ epoch: '', anewEvent: undefined },
}

/** @returns an empty state where the row is missing */
export function stateIn(sql: Sql): State {
  const [row] = readState(sql, `SELECT ${Object.keys(STATE)} FROM settlement_state`)
  if (!row) return NONE
  return {
    generation: row.generation,
    job: row.job === null ? undefined : Job.parse(JSON.parse(row.job)),
    matchedEvent: row.matched_event,
    lateAt: row.late_at,
    epoch: row.epoch,
    anewEvent: row.anew_event ?? undefined,
  }
}

export const setJob = (sql: Sql, job: Job | undefined): void =>
  void sql.exec('UPDATE settlement_state SET job = ?', job ? JSON.stringify(job) : null)

/** Whether a job can go on. @param now Unix seconds */
export const isAlive = (job: Job | undefined, now: number): job is Job =>
  job !== undefined && now < job.touchedAt + TOKEN_SECONDS

/** The condition of a row of settlements that a generation has, which is to be bound twice. */
export const IN_GENERATION = 'since <= ? AND ifnull(until > ?, TRUE)'
