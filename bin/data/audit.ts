// The audit beside the sites' files: the rows of commands on this machine, and its check (contract, section 16).
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { AUDIT_SCHEMA, addRow } from '../../src/audit/rows.ts'
import { OPERATOR } from '../../src/contract/access-token.ts'
import type { Act, ActDetails, NewAuditRow } from '../../src/contract/audit.ts'
import { EndedBinding, type RemovedPerson } from '../../src/contract/audit.ts'
import { hasTables, migrate } from '../../src/site/database/schema.ts'
import { readablePath } from './backup-directory.ts'
import { auditFile, auditMark, missingAudit } from './data-directory.ts'
import { changeFile } from './side-file.ts'
import { siteStorage } from './site-storage.ts'

type Command = Extract<Act, `command.${string}`>

/**
 * Runs a command on a data directory, whose service is stopped: its intent is in the audit before it, its result after it.
 * @param outcome what the result's row has of what the command gave
 * @throws Error where the audit is lost, or the intent cannot be written: then the command does nothing
 */
export async function recorded<T>(
  data: string,
  act: Command,
  details: ActDetails,
  work: () => T | Promise<T>,
  outcome: (value: T) => ActDetails,
): Promise<T> {
  const missing = missingAudit(data)
  if (missing !== undefined) throw new Error(missing)
  const row = { act, label: userInfo().username, details }
  const intent = add(data, { ...row, result: 'STARTED' })
  let value: T
  try {
    value = await work()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    add(data, { ...row, details: { ...details, error: reason }, result: 'FAILED', intent })
    throw error
  }
  add(data, { ...row, details: { ...details, ...outcome(value) }, result: 'DONE', intent })
  return value
}

function add(data: string, row: Omit<NewAuditRow, 'uid'>): number {
  let number = 0
  changeFile(auditFile(data), (storage) => {
    migrate(storage, AUDIT_SCHEMA)
    number = addRow(storage.sql, { uid: randomUUID(), ...row }, Math.floor(Date.now() / 1000))
  })
  return number
}

/**
 * Makes the audit of a directory that never had one, and marks the directory: from now on a missing one is seen as lost. The
 * folder of the sites is there, or the directory would be that of an interrupted restore.
 */
export function prepareAudit(data: string): void {
  if (!existsSync(auditFile(data))) changeFile(auditFile(data), (storage) => migrate(storage, AUDIT_SCHEMA))
  if (!existsSync(auditMark(data))) writeFileSync(auditMark(data), '', { mode: 0o600 })
}

/** Gives a lost audit up: the next row begins another one. */
export const giveAuditUp = (data: string): void => rmSync(auditMark(data), { force: true })

/** The first error that the check of the audit finds; undefined if it finds none, or there never was an audit. */
export function auditProblem(data: string): string | undefined {
  const file = auditFile(data)
  if (!existsSync(file)) return missingAudit(data)
  try {
    const problem = withAudit(file, problemIn)
    return problem && `the audit ${file}: ${problem}`
  } catch (error) {
    return `the audit ${file} cannot be read, acts of operators are refused: ${error instanceof Error ? error.message : error}`
  }
}

function problemIn(database: DatabaseSync): string | undefined {
  const check = String(database.prepare('PRAGMA quick_check(1)').get()?.quick_check)
  if (check !== 'ok') return `it is corrupted (${check})`
  if (!hasTables(siteStorage(database), AUDIT_SCHEMA)) return undefined
  const { rows, last } =
    database.prepare('SELECT count(*) AS rows, max(number) AS last FROM acts').get() ?? {}
  if (last !== null && rows !== last) return `it has ${rows} rows, the last one is ${last}: rows are missing`
  const orphan = database
    .prepare(
      `SELECT number FROM acts AS results WHERE result <> 'STARTED'
         AND NOT EXISTS (SELECT 1 FROM acts WHERE acts.number = results.intent AND acts.result = 'STARTED')`,
    )
    .get()
  return orphan && `row ${orphan.number} is the result of an act without an intent`
}

/**
 * Copies the audit of a directory or a backup into a data directory, in one step. One that is there already stays: it is that of
 * a restore that was interrupted.
 */
export async function copyAudit(from: string, data: string): Promise<void> {
  const [source, target] = [auditFile(from), auditFile(data)]
  if (existsSync(target) || !existsSync(source)) return
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const part = `${target}.part`
  // With what is in its log only.
  const database = new DatabaseSync(readablePath(source), { readOnly: true, timeout: 10_000 })
  try {
    await backup(database, part, { rate: 2 ** 30 })
  } finally {
    database.close()
  }
  renameSync(part, target)
}

/** Whether an audit has the rows of another, and perhaps later ones. */
export function continues(data: string, earlier: string): boolean {
  if (!existsSync(auditFile(earlier))) return true
  const last = withAudit(auditFile(earlier), (database) =>
    hasTables(siteStorage(database), AUDIT_SCHEMA)
      ? database.prepare('SELECT number, uid FROM acts ORDER BY number DESC LIMIT 1').get()
      : undefined,
  )
  if (!last) return true
  if (!existsSync(auditFile(data))) return false
  return withAudit(
    auditFile(data),
    (database) =>
      hasTables(siteStorage(database), AUDIT_SCHEMA) &&
      database
        .prepare('SELECT 1 FROM acts WHERE number = ? AND uid = ?')
        .get(last.number ?? 0, last.uid ?? '') !== undefined,
  )
}

/**
 * The keys of operators that were revoked, and when, in Unix seconds. An act without a result may have happened: its key
 * counts as revoked. @throws Error where the audit cannot be read
 */
export function revokedKeys(data: string): { id: string; at: number }[] {
  if (!existsSync(auditFile(data))) return []
  return withAudit(auditFile(data), (database) =>
    hasTables(siteStorage(database), AUDIT_SCHEMA)
      ? database
          .prepare(
            `SELECT details ->> 'revokedKeyId' AS id, min(at) AS at FROM acts WHERE act = 'key.revoke' AND result = 'STARTED'
               AND NOT EXISTS (SELECT 1 FROM acts AS results WHERE results.intent = acts.number AND results.result = 'REFUSED') GROUP BY 1`,
          )
          .all()
          .map(({ id, at }) => ({ id: String(id), at: Number(at) }))
      : [],
  )
}

/**
 * The bindings that payers ended, by site. One whose result is not known may have been ended, and the payer wants it ended.
 * @throws Error where the audit cannot be read: the sites must not be restored without them
 */
export function endedBindings(data: string): Map<string, EndedBinding[]> {
  const ended = new Map<string, EndedBinding[]>()
  if (!existsSync(auditFile(data))) return ended
  withAudit(auditFile(data), (database) => {
    if (!hasTables(siteStorage(database), AUDIT_SCHEMA)) return
    const rows = database
      .prepare("SELECT site_id, details FROM acts WHERE act = 'token.end' AND result = 'STARTED'")
      .iterate()
    for (const { site_id, details } of rows) {
      const binding = EndedBinding.parse(JSON.parse(String(details)))
      const ofSite = ended.get(String(site_id)) ?? []
      ofSite.push(binding)
      ended.set(String(site_id), ofSite)
    }
  })
  return ended
}

/**
 * The people who were removed, by site; those of the deployment by OPERATOR. Who asked for a removal whose result is not known wants
 * it. @throws Error where the audit cannot be read: the sites must not be restored without them
 */
export function removedPeople(data: string): Map<string, RemovedPerson[]> {
  if (!existsSync(auditFile(data))) return new Map()
  return withAudit(auditFile(data), (database) => {
    if (!hasTables(siteStorage(database), AUDIT_SCHEMA)) return new Map()
    const rows = database
      .prepare(
        `SELECT ifnull(site_id, '${OPERATOR}') AS site, details ->> 'personId' AS person, at FROM acts
         WHERE act = 'person.remove' AND result = 'STARTED'
           AND NOT EXISTS (SELECT 1 FROM acts AS results WHERE results.intent = acts.number AND results.result = 'REFUSED')`,
      )
      .all()
      .map(({ site, person, at }) => ({ site: String(site), personId: String(person), at: Number(at) }))
    return Map.groupBy(rows, ({ site }) => site)
  })
}

function withAudit<T>(file: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(readablePath(file), { readOnly: true, timeout: 10_000 })
  try {
    return work(database)
  } finally {
    database.close()
  }
}
