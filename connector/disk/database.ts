// The connector's database: one file, which one running connector owns.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import * as z from 'zod'
import { migrate } from './schema.ts'

const Value = z.object({ value: z.string() })

/**
 * Opens the database of a directory, and makes both where they do not exist.
 * @throws Error where the file is of a later version, or of one before 0.3.0
 */
export function openDatabase(directory: string, now: number): DatabaseSync {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(join(directory, 'connector.sqlite'))
  // First: the statements that follow wait too for a command that opens or closes the database at this moment.
  database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  // What is erased is overwritten: see erasure.ts.
  database.exec('PRAGMA secure_delete = ON')
  prepare(database, now)
  return database
}

/**
 * Overwrites what earlier versions have left of rows that they changed: it rewrites the file, once.
 * @throws Error where it cannot, such as on a full disk: then the next start does it
 */
export function overwriteRemains(database: DatabaseSync): void {
  const meta = new Meta(database)
  if (meta.get('remainsOverwritten') !== undefined) return
  database.exec('VACUUM')
  meta.set('remainsOverwritten', 'yes')
}

/** A database that is gone with the process. */
export function openMemory(now: number): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  prepare(database, now)
  return database
}

/** Whether a connector has run on the directory. */
export const hasDatabase = (directory: string): boolean => existsSync(join(directory, 'connector.sqlite'))

/** @throws Error where nothing is there: a command would make an empty database of a misspelt name */
export function openExistingDatabase(directory: string, now: number): DatabaseSync {
  if (!hasDatabase(directory)) {
    throw new Error(`--data is ${directory}, must be the directory of a connector that has run`)
  }
  return openDatabase(directory, now)
}

/**
 * Takes the lock that a running connector has; the system frees it when the process ends, however it ends.
 * @param waitMs how long to wait for a command that has it for a moment
 * @throws Error where another process has it
 */
export function lockDirectory(directory: string, waitMs = 0): DatabaseSync {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const lock = new DatabaseSync(join(directory, 'connector.lock'))
  try {
    lock.exec(`PRAGMA busy_timeout = ${waitMs}; BEGIN EXCLUSIVE`)
    return lock
  } catch (error) {
    lock.close()
    throw new Error(`another connector runs on ${directory}`, { cause: error })
  }
}

/** Whether a connector runs on the directory. */
export function isLocked(directory: string): boolean {
  if (!existsSync(join(directory, 'connector.lock'))) return false
  try {
    lockDirectory(directory).close()
    return false
  } catch {
    return true
  }
}

/** Runs the function in a transaction; an error undoes it. Within another transaction it is a part of that one. */
export function transaction<T>(database: DatabaseSync, run: () => T): T {
  if (database.isTransaction) return run()
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = run()
    database.exec('COMMIT')
    return result
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

const Count = z.object({ count: z.int() })

/** The `count` that the statement selects. */
export const countOf = (statement: StatementSync, ...parameters: (string | number)[]): number =>
  Count.parse(statement.get(...parameters)).count

const Time = z.object({ time: z.int().nullable() })

/** The `time` that the statement selects; null if there is none. */
export const timeOf = (statement: StatementSync, ...parameters: (string | number)[]): number | null =>
  Time.parse(statement.get(...parameters)).time

function prepare(database: DatabaseSync, now: number): void {
  transaction(database, () => {
    migrate(database)
    const meta = new Meta(database)
    if (meta.get('createdAt') === undefined) meta.set('createdAt', String(now))
  })
}

/** Small values by name. */
export class Meta {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  get(name: string): string | undefined {
    const row = this.#database.prepare('SELECT value FROM meta WHERE name = ?').get(name)
    return row && Value.parse(row).value
  }

  set(name: string, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)').run(name, value)
  }

  delete(name: string): void {
    this.#database.prepare('DELETE FROM meta WHERE name = ?').run(name)
  }

  /** When this disk was new. */
  get createdAt(): number {
    return Number(this.get('createdAt'))
  }
}
