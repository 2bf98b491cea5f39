// Opens the files beside the sites' databases that can be rebuilt from them, the alarms and the registry; sets corrupted ones aside.
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TableStorage } from '../../src/site/database/schema.ts'
import { isBackup, readablePath } from './backup-directory.ts'
import { siteStorage } from './site-storage.ts'

/** SQLite's result codes; others say that the file cannot be read at all. */
const [SQLITE_CORRUPT, SQLITE_NOTADB] = [11, 26]

/** Whether an error of SQLite says that the file is corrupted. */
export const isOfCorruption = (error: unknown): error is Error =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  // The lowest byte of an extended result code is the result code.
  [SQLITE_CORRUPT, SQLITE_NOTADB].includes(error.errcode % 256)

/** What is wrong with such a file, and the command that helps a data directory; undefined if it is sound, or missing. */
export function corruption(file: string, data: string): string | undefined {
  if (!existsSync(file)) return undefined
  const found = faultOf(file)
  // A backup is not repaired.
  const remedy = isBackup(data) ? '' : `: npm run sites -- rebuild --data ${data}`
  return found && `${file} is corrupted (${found})${remedy}`
}

function faultOf(file: string): string | undefined {
  try {
    const database = new DatabaseSync(readablePath(file))
    try {
      const result = database.prepare('PRAGMA quick_check(1)').get()?.quick_check
      return result === 'ok' ? undefined : String(result)
    } finally {
      database.close()
    }
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error)) throw error
    return isOfCorruption(error) ? error.message : undefined
  }
}

/** Renames a file that the check finds corrupted, and its log. */
export function setAsideCorrupted(file: string): void {
  if (existsSync(file) && faultOf(file) !== undefined) setAside(file)
}

/**
 * Renames a corrupted file and its log, so that another one can be made. Nothing is deleted: they can still be examined.
 * @returns its new name
 */
export function setAside(file: string): string {
  const aside = `${file}.corrupted`
  // SQLite would use the log with the new file.
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(file + end)) renameSync(file + end, aside + end)
  }
  return aside
}

/** Opens such a file, which is made if it does not exist, and changes it: entirely or not at all. */
export function changeFile(file: string, change: (storage: TableStorage) => void): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const database = new DatabaseSync(file)
  try {
    database.exec('PRAGMA journal_mode = WAL')
    const storage = siteStorage(database)
    storage.transactionSync(() => change(storage))
  } finally {
    database.close()
  }
}
