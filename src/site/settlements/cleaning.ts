// Deletes in slices what no reader sees: what a job that broke has left, and what a newer generation replaced.
import { int, rowsWith } from '../rows/columns.ts'
import type { Sql } from '../rows/sql.ts'
import { deleteOldCounts, fileRows, sourceOf } from './files.ts'
import { deleteLine, lineRows } from './lines.ts'
import { unstage } from './moving.ts'
import type { Job } from './state.ts'
import { hasUnseen, UNSEEN } from './unseen.ts'

/** A line is on at most 9 pages, and its match on 3; an entry of settlement_changes is on 4. A commit is to change at most 300 pages. */
const LINES_A_SLICE = 25
const CHANGES_A_SLICE = 75

const readChanges = rowsWith({ number: int, entry: int })

/** Deletes some of it. @param job in progress: it may have staged entries alone @returns false where nothing is left */
export function deleteUnseen(sql: Sql, generation: number, job?: Job): boolean {
  if (!hasUnseen(sql, generation, job)) return false
  if (!job) unstage(sql)
  // A deletion that broke has deleted nothing, and counted under a generation that the next job is to publish.
  sql.exec('UPDATE settlements SET until = NULL WHERE until > ?', generation)
  deleteOldCounts(sql, generation)
  const changes = readChanges(
    sql,
    'SELECT number, entry FROM settlement_changes ORDER BY number LIMIT ?',
    CHANGES_A_SLICE,
  )
  for (const { number, entry } of changes) {
    deleteMatches(sql, entry, generation)
    sql.exec('DELETE FROM settlement_changes WHERE number = ?', number)
  }
  if (changes.length === 0) deleteOfFile(sql, generation)
  return true
}

/** Deletes lines of a file that the generation has not, and at the end the file. */
function deleteOfFile(sql: Sql, generation: number): void {
  const [file] = fileRows(sql, `${UNSEEN} LIMIT 1`, generation, generation)
  if (!file) return
  const lines = lineRows(sql, 'WHERE file = ? ORDER BY entry LIMIT ?', file.number, LINES_A_SLICE)
  for (const line of lines) {
    deleteLine(sql, line, sourceOf(file))
    deleteMatches(sql, line.entry, generation)
  }
  if (lines.length > 0) return
  sql.exec('DELETE FROM settlement_counts WHERE file = ?', file.number)
  sql.exec('DELETE FROM settlements WHERE number = ?', file.number)
}

/** Deletes the matches of an entry but the one that the generation has; all of an entry without a line. */
function deleteMatches(sql: Sql, entry: number, generation: number): void {
  sql.exec(
    `DELETE FROM settlement_matches WHERE entry = ?1 AND (since > ?2
       OR since < (SELECT max(since) FROM settlement_matches WHERE entry = ?1 AND since <= ?2)
       OR NOT EXISTS (SELECT 1 FROM settlement_lines WHERE entry = ?1))`,
    ...[entry, generation],
  )
}
