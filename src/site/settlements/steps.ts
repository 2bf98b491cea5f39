// The steps of an import or of a deletion: each is a transaction that changes few pages, and the site answers between them.
import type { Settlement } from '../../contract/settlement.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { ok } from '../outcomes.ts'
import { requiredInteger } from '../rows/sql.ts'
import { deleteUnseen } from './cleaning.ts'
import { deleteOldCounts, type FileRow, fileRows, filesOf, insertFile, settlementOf } from './files.ts'
import { matchLater } from './late.ts'
import { matchingUnder, matchNextEntries } from './matching.ts'
import { moveNext, unstage } from './moving.ts'
import { makeNextIndex } from './schema.ts'
import { type Job, type State, setJob, stateIn } from './state.ts'

/** Undefined while a job goes on; then the file that was imported or deleted. */
export type Ended = { settlement: Settlement } | undefined

/** Does the next step of a job. A refusal ends the job. */
export function step(context: Context, job: Job): Outcome<Ended> {
  const { sql, now } = context
  const done = STEPS[job.phase](context, { ...job, touchedAt: now }, stateIn(sql))
  if (!done.ok) setJob(sql, undefined)
  return done
}

type Step = (context: Context, job: Job, state: State) => Outcome<Ended>

/** The job goes on later. */
function goesOn(sql: SqlStorage, job: Job): Outcome<Ended> {
  setJob(sql, job)
  return ok(undefined)
}

const STEPS: Record<Job['phase'], Step> = {
  // The last batch is here.
  staging: ({ sql }, job) => goesOn(sql, { ...job, phase: 'indexing' }),

  indexing: ({ sql }, job) => goesOn(sql, makeNextIndex(sql) ? job : { ...job, phase: 'cleaning' }),

  cleaning: ({ sql, memory, now }, job, { generation, matchedEvent }) => {
    if (deleteUnseen(sql, generation, job)) return goesOn(sql, job)
    // Without a file that is published, no earlier event has anything to match.
    const event = filesOf(sql, generation).size === 0 ? memory.lastEvent : matchedEvent
    if (job.kind === 'deletion') {
      sql.exec('UPDATE settlements SET until = ? WHERE number = ?', generation + 1, job.file)
      return goesOn(sql, { ...job, event, after: 0, phase: 'matching' })
    }
    const file = requiredInteger(sql, 'SELECT ifnull(max(number), 0) + 1 FROM settlements')
    insertFile(sql, newFile(job, { number: file, since: generation + 1, now }))
    return goesOn(sql, { ...job, event, file, after: 0, phase: 'moving' })
  },

  moving: ({ sql }, job, { generation }) => {
    const [file] = fileRows(sql, 'WHERE number = ?', job.file)
    if (!file) throw new Error('an import has no file')
    const files = filesOf(sql, generation)
    const moved = moveNext({ sql, files }, { file, token: job.token, moved: job.after })
    if (!moved) {
      unstage(sql)
      return goesOn(sql, { ...job, after: 0, phase: 'matching' })
    }
    if ('ok' in moved) return moved
    if (moved.repeated > 0)
      sql.exec('UPDATE settlements SET repeated = repeated + ? WHERE number = ?', moved.repeated, job.file)
    return goesOn(sql, { ...job, after: moved.moved })
  },

  matching: (context, job, { generation }) => {
    const { sql } = context
    const target = { generation: generation + 1, isPublished: false, changing: job.file }
    const after = matchNextEntries(matchingUnder(context, target, job.token), sql, job.after)
    return goesOn(sql, after === undefined ? { ...job, phase: 'publishing' } : { ...job, after })
  },

  publishing: (context, job, { generation }) => {
    const { sql, memory } = context
    const target = { generation: generation + 1, isPublished: false, changing: job.file }
    const last = memory.lastEvent
    if (job.event < last) {
      const matching = matchingUnder(context, target, `${job.token} ${job.event}`)
      const event = matchLater(matching, sql, job.event, last)
      if (event < last) return goesOn(sql, { ...job, event })
    }
    return ok({ settlement: publish(context, job, generation + 1) })
  },
}

function newFile(job: Job, { number, since, now }: { number: number; since: number; now: number }): FileRow {
  const { summary } = job
  if (!summary) throw new Error('an import has no summary')
  return {
    ...{ number, settlement_uid: job.settlementUid, bank: job.bank, format: job.format, sha256: job.sha256 },
    ...{ from_day: summary.from ?? null, to_day: summary.to ?? null, imported_at: now },
    ...{ lines: summary.lines, entries: summary.entries, skipped: summary.skipped },
    ...{ skipped_net: JSON.stringify(summary.skippedNet), is_part: job.isPart ? 1 : 0, repeated: 0 },
    ...{ since, until: null },
  }
}

/** One row makes the generation what readers see. */
function publish(context: Context, job: Job, generation: number): Settlement {
  const { sql, memory } = context
  const [file] = fileRows(sql, 'WHERE number = ?', job.file)
  if (!file) throw new Error('an import has no file')
  const settlement = settlementOf(sql, file, job.kind === 'import' ? generation : generation - 1)
  const { settlementUid, sha256, entries, mismatched, unknown } = settlement
  recordEvent(context, {
    type: job.kind === 'import' ? 'settlement.imported' : 'settlement.deleted',
    subject: { settlement: { settlementUid, sha256, entries, mismatched, unknown } },
  })
  sql.exec(
    'UPDATE settlement_state SET generation = ?, job = NULL, matched_event = ?',
    ...[generation, memory.lastEvent],
  )
  deleteOldCounts(sql, generation)
  return settlement
}
