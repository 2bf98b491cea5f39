// What the registry has of the machine: its last backup, and which starts nobody planned (docs/self-hosting.md).
import type { Sql } from '../site/rows/sql.ts'

/**
 * backed_up_at: Unix milliseconds. was_stopped: the process was told to stop, and the next one has not counted itself yet.
 * counted_process: the one that counted itself last; a call can be repeated that has been carried out.
 */
export const MACHINE = `
  CREATE TABLE machine (
    backed_up_at INTEGER,
    was_stopped INTEGER NOT NULL DEFAULT 1,
    unplanned_starts INTEGER NOT NULL DEFAULT 0,
    counted_process INTEGER
  ) STRICT;
  INSERT INTO machine DEFAULT VALUES;`

/** @param now Unix milliseconds */
export const recordBackup = (sql: Sql, now: number): void =>
  void sql.exec('UPDATE machine SET backed_up_at = ?', now)

export const recordStop = (sql: Sql): void => void sql.exec('UPDATE machine SET was_stopped = 1')

/** A process counts itself once: as unplanned, unless the one before was told to stop. @param process tells it from others */
export const recordStart = (sql: Sql, process: number): void =>
  void sql.exec(
    `UPDATE machine SET unplanned_starts = unplanned_starts + (was_stopped = 0), was_stopped = 0, counted_process = ?1
     WHERE counted_process IS NOT ?1`,
    process,
  )
