// Rows of the table `settlements`: the files of the site.
import type { Settlement } from '../../contract/settlement.ts'
import { BANKS, FORMATS } from '../../settlement/sources.ts'
import { int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Binding, Sql } from '../rows/sql.ts'
import type { Source } from './keys.ts'
import { IN_GENERATION } from './state.ts'

const COLUMNS = {
  number: int,
  settlement_uid: text,
  bank: oneOf(BANKS),
  format: oneOf(FORMATS),
  sha256: text,
  from_day: orNull(text),
  to_day: orNull(text),
  imported_at: int,
  lines: int,
  entries: int,
  skipped: int,
  skipped_net: text,
  is_part: int,
  repeated: int,
  since: int,
  until: orNull(int),
}
const readFiles = rowsWith(COLUMNS)
export type FileRow = ReturnType<typeof readFiles>[number]

const FILES = `SELECT ${Object.keys(COLUMNS)} FROM settlements`

/** The files that the clauses after FROM select. */
export const fileRows = (sql: Sql, clauses: string, ...bindings: Binding[]): FileRow[] =>
  readFiles(sql, `${FILES} ${clauses}`, ...bindings)

/** The files that a generation has, by the number of their row. */
export const filesOf = (sql: Sql, generation: number): Map<number, FileRow> =>
  new Map(fileRows(sql, `WHERE ${IN_GENERATION}`, generation, generation).map((row) => [row.number, row]))

export const insertFile = (sql: Sql, row: FileRow): void =>
  void sql.exec(
    `INSERT INTO settlements (${Object.keys(COLUMNS)}) VALUES (${Object.keys(COLUMNS).map(() => '?')})`,
    ...[row.number, row.settlement_uid, row.bank, row.format, row.sha256, row.from_day, row.to_day],
    ...[row.imported_at, row.lines, row.entries, row.skipped, row.skipped_net, row.is_part, row.repeated],
    ...[row.since, row.until],
  )

export const sourceOf = ({ bank, format }: FileRow): Source => ({ bank, format })

/** Of several files with an entry, the one that is shown: which it is does not depend on their order. */
export const shownOf = <Line extends { file: number }>(
  lines: readonly Line[],
  files: ReadonlyMap<number, FileRow>,
): Line | undefined => {
  let shown: { line: Line; uid: string } | undefined
  for (const line of lines) {
    const uid = files.get(line.file)?.settlement_uid
    if (uid !== undefined && (!shown || uid < shown.uid)) shown = { line, uid }
  }
  return shown?.line
}

const readCounts = rowsWith({ matched: int, mismatched: int, unknown: int, other: int })
export type Counts = ReturnType<typeof readCounts>[number]
export const NO_COUNTS: Counts = { matched: 0, mismatched: 0, unknown: 0, other: 0 }

/** The entries of a file by state, as of a generation. */
export const countsOf = (sql: Sql, file: number, generation: number): Counts =>
  readCounts(
    sql,
    `SELECT matched, mismatched, unknown, other FROM settlement_counts
     WHERE file = ? AND since <= ? ORDER BY since DESC LIMIT 1`,
    ...[file, generation],
  )[0] ?? NO_COUNTS

/** Adds to the counts of a file, as of a generation. */
export function addCounts(sql: Sql, file: number, generation: number, more: Counts): void {
  const { matched, mismatched, unknown, other } = countsOf(sql, file, generation)
  sql.exec(
    `INSERT OR REPLACE INTO settlement_counts (file, since, matched, mismatched, unknown, other) VALUES (?, ?, ?, ?, ?, ?)`,
    ...[file, generation, matched + more.matched, mismatched + more.mismatched],
    ...[unknown + more.unknown, other + more.other],
  )
}

/** Deletes the counts but those that a generation has: a row or two of each file. */
export const deleteOldCounts = (sql: Sql, generation: number): void =>
  void sql.exec(
    `DELETE FROM settlement_counts WHERE since > ?1 OR since < (SELECT max(newer.since) FROM settlement_counts AS newer
       WHERE newer.file = settlement_counts.file AND newer.since <= ?1)`,
    generation,
  )

/** A file as an answer shows it. Operations of another product count as skipped. */
export function settlementOf(sql: Sql, row: FileRow, generation: number): Settlement {
  const { other, ...states } = countsOf(sql, row.number, generation)
  return {
    ...{ settlementUid: row.settlement_uid, bank: row.bank, format: row.format, sha256: row.sha256 },
    ...{ from: row.from_day ?? undefined, to: row.to_day ?? undefined, importedAt: row.imported_at },
    ...{ lines: row.lines, entries: row.entries - other, skipped: row.skipped + other },
    ...{ repeated: row.repeated, ...states },
  }
}
