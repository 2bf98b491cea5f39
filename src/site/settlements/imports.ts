// Imports a file, batch by batch, and deletes one: what the Worker calls. Nothing of a job is seen before it has ended.
import * as z from 'zod/mini'
import type { DeletionStep, ImportStep, Settlement, SettlementSpec } from '../../contract/settlement.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { Entry, Summary } from '../../settlement/formats/entry.ts'
import type { Context } from '../context.ts'
import { contradicts, notAllowed, ok } from '../outcomes.ts'
import { requiredInteger, type Sql, textValue } from '../rows/sql.ts'
import { fileRows, filesOf, settlementOf } from './files.ts'
import { stage, unstage } from './moving.ts'
import { makeSettlements } from './schema.ts'
import { isAlive, type Job, setJob, stateIn } from './state.ts'
import { step } from './steps.ts'

const IN_PROGRESS: Refusal = {
  ok: false,
  code: 'settlement.in.progress',
  description: 'another file of the site is imported or deleted',
}
const ENDED: Refusal = notAllowed(
  'the import has ended: a minute passed without a part of it, or it was replaced',
)

/** Begins an import. @param token names it from now on */
export function beginImport(
  context: Context,
  { settlementUid, bank, format, isPart = false }: SettlementSpec,
  token: string,
): Outcome<{ token: string; payoutAccounts: string[] }> {
  const { sql, memory, now } = context
  makeSettlements(sql, memory.lastEvent)
  memory.settlementsMade()
  if (isAlive(stateIn(sql).job, now)) return IN_PROGRESS
  unstage(sql)
  setJob(sql, {
    ...{ token, kind: 'import', touchedAt: now, phase: 'staging' },
    ...{ settlementUid, bank, format, isPart, sha256: '', summary: undefined },
    ...{ file: 0, after: 0, event: 0 },
  })
  return ok({ token, payoutAccounts: payoutAccountsOf(sql) })
}

/** The setting, which older settings lack. */
const payoutAccountsOf = (sql: Sql): string[] =>
  z
    .array(z.string())
    .parse(JSON.parse(textValue(sql, "SELECT settings -> 'payoutAccounts' FROM settings") ?? '[]'))

/** The job of a token, if it goes on. */
function jobOf({ sql, memory, now }: Context, token: string): Job | undefined {
  const job = memory.hasSettlements ? stateIn(sql).job : undefined
  return isAlive(job, now) && job.token === token ? job : undefined
}

/** Appends a batch of entries. */
export function appendEntries(context: Context, token: string, entries: readonly Entry[]): Outcome<void> {
  const job = jobOf(context, token)
  if (job?.phase !== 'staging' || job.summary) return ENDED
  stage(context.sql, entries, job)
  setJob(context.sql, { ...job, touchedAt: context.now })
  return ok(undefined)
}

/** Ends the batches: from now on the import is continued until it is done. */
export function completeImport(
  context: Context,
  token: string,
  { sha256, summary }: { sha256: string; summary: Summary },
): Outcome<ImportStep> {
  const { sql } = context
  const job = jobOf(context, token)
  if (job?.phase !== 'staging' || job.summary) return ENDED
  const refusal = refusalOf(context, job, { sha256, summary })
  if (refusal) {
    setJob(sql, undefined)
    unstage(sql)
    return refusal
  }
  return continued(step(context, { ...job, sha256, summary }))
}

/** The answer to a file that the site has, and the refusal of one that contradicts it; undefined of a new one. */
function refusalOf(
  { sql }: Context,
  { settlementUid, bank, format, isPart }: Job,
  { sha256, summary }: { sha256: string; summary: Summary },
): Outcome<ImportStep> | undefined {
  const { generation } = stateIn(sql)
  const files = [...filesOf(sql, generation).values()]
  const own = files.find((file) => file.settlement_uid === settlementUid)
  if (own) {
    const fields = [
      ...(own.sha256 === sha256 ? [] : ['sha256']),
      ...(own.bank === bank ? [] : ['bank']),
      ...(own.format === format ? [] : ['format']),
      ...((own.is_part === 1) === isPart ? [] : ['part']),
    ]
    const earlier = `the file of ${settlementUid}`
    if (fields.length > 0)
      return {
        ...contradicts('another file was imported as this settlementUid', fields, earlier),
        settlementUid,
      }
    return ok({ isDone: true, settlement: settlementOf(sql, own, generation), isReplayed: true })
  }
  const same = summary.lines > 0 && files.find((file) => file.sha256 === sha256)
  if (same)
    return {
      ok: false,
      code: 'payin.resource.already.exists',
      description: `the file was imported as ${same.settlement_uid}`,
      fields: {
        settlementUid: [`is ${settlementUid}, must be ${same.settlement_uid}, which has the same file`],
      },
      settlementUid: same.settlement_uid,
    }
  const staged = requiredInteger(sql, 'SELECT ifnull(max(number), 0) FROM settlement_staged')
  return staged === summary.entries ? undefined : notAllowed('a part of the file is missing')
}

/** Goes on with an import, until it is done. */
export function continueImport(context: Context, token: string): Outcome<ImportStep> {
  const job = jobOf(context, token)
  if (job?.kind !== 'import' || !job.summary) return ENDED
  return continued(step(context, job))
}

const continued = (ended: ReturnType<typeof step>): Outcome<ImportStep> => {
  if (!ended.ok) return ended
  return ok(
    ended.value ? { isDone: true, settlement: ended.value.settlement, isReplayed: false } : { isDone: false },
  )
}

/** Ends an import that failed; of one that has ended it changes nothing. */
export function abandonImport(context: Context, token: string): Outcome<void> {
  const job = jobOf(context, token)
  if (job) {
    setJob(context.sql, undefined)
    unstage(context.sql)
  }
  return ok(undefined)
}

/**
 * Deletes a file, or goes on with that; of a file that the site has not it changes nothing. A call whose answer was lost can be repeated.
 * @param token of the deletion that goes on
 * @param newToken names the deletion that begins
 */
export function deleteSettlement(
  context: Context,
  settlementUid: string,
  { token, newToken }: { token?: string | undefined; newToken: string },
): Outcome<DeletionStep> {
  const { sql, memory, now } = context
  if (!memory.hasSettlements) return ok({ isDone: true })
  const { job, generation } = stateIn(sql)
  const own = jobOf(context, token ?? newToken)
  if (own?.kind === 'deletion') return deleted(step(context, own), own.token)
  const file = [...filesOf(sql, generation).values()].find((each) => each.settlement_uid === settlementUid)
  if (!file) return ok({ isDone: true })
  if (token !== undefined) return ENDED
  if (isAlive(job, now)) return IN_PROGRESS
  const { bank, format, sha256, number } = file
  const begun: Job = {
    ...{ token: newToken, kind: 'deletion', touchedAt: now, phase: 'cleaning', settlementUid, bank, format },
    ...{ isPart: false, sha256, file: number, after: 0, event: 0 },
  }
  return deleted(step(context, begun), newToken)
}

const deleted = (ended: ReturnType<typeof step>, token: string): Outcome<DeletionStep> => {
  if (!ended.ok) return ended
  return ok(ended.value ? { isDone: true, settlement: ended.value.settlement } : { isDone: false, token })
}

/** A file. */
export function readSettlement({ sql, memory }: Context, settlementUid: string): Outcome<Settlement> {
  const [file] = memory.hasSettlements
    ? fileRows(
        sql,
        `WHERE settlement_uid = ?1 AND since <= ?2 AND ifnull(until > ?2, TRUE)`,
        ...[settlementUid, stateIn(sql).generation],
      )
    : []
  return file ? ok(settlementOf(sql, file, stateIn(sql).generation)) : SETTLEMENT_NOT_FOUND
}

const SETTLEMENT_NOT_FOUND: Refusal = {
  ok: false,
  code: 'payin.resource.not.found',
  description: 'there is no such settlement',
}
