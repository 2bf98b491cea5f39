// Writes how entries match, under a generation; and the counts of the files that have them.
import { int, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Sql } from '../rows/sql.ts'
import { addCounts, type Counts, NO_COUNTS } from './files.ts'
import type { Result } from './results.ts'
import { fieldsOf, namesOf } from './values.ts'

const COLUMNS = {
  entry: int,
  since: int,
  file: orNull(int),
  at: int,
  state: orNull(text),
  payment: orNull(int),
  refund: orNull(int),
  is_own: int,
  differences: orNull(text),
}
const readMatches = rowsWith(COLUMNS)
const NAMES = namesOf(COLUMNS)
type MatchRow = ReturnType<typeof readMatches>[number]

/** A match that is to be written: result, and what stands. */
export interface NewMatch {
  result: Result
  /** The files of the generation that have the entry. */
  files: readonly number[]
  before: MatchRow | undefined
}

/** Under which generation matches are written; changing is the file that it is about, if it is not published. */
export interface Target {
  generation: number
  isPublished: boolean
  changing?: number | undefined
}

/** The matches that a generation has of entries. */
function matchesOf(sql: Sql, entries: readonly number[], generation: number): Map<number, MatchRow> {
  const rows = readMatches(
    sql,
    `SELECT ${NAMES} FROM settlement_matches
     WHERE entry IN (SELECT value FROM json_each(?)) AND since <= ? ORDER BY entry, since`,
    ...[JSON.stringify(entries), generation],
  )
  return new Map(rows.map((row) => [row.entry, row]))
}

/** The results that are to be written: an entry of the file that changes always gets a row, which says that it is matched. */
export function changedMatches(
  sql: Sql,
  results: readonly { result: Result; files: readonly number[] }[],
  { generation }: Target,
  isOfChanging: (entry: number) => boolean,
): NewMatch[] {
  const before = matchesOf(
    sql,
    results.map(({ result }) => result.entry),
    generation,
  )
  return results.flatMap(({ result, files }) => {
    const row = before.get(result.entry)
    const isWritten = row?.since === generation || !isOfChanging(result.entry)
    return row && isSame(row, result) && isWritten ? [] : [{ result, files, before: row }]
  })
}

const isSame = (row: MatchRow, result: Result): boolean =>
  row.file === result.file &&
  row.state === result.state &&
  row.payment === result.payment &&
  row.refund === result.refund &&
  row.is_own === result.is_own &&
  row.differences === result.differences

/** Rows are bound as a JSON array of arrays: one statement for all of them. */
const INSERT = `INSERT OR REPLACE INTO settlement_matches (${NAMES})
  SELECT ${fieldsOf(NAMES)} FROM json_each(?)`

/** Writes matches. A published generation has no other rows of theirs than these; another one keeps those before it until it is published. */
export function writeMatches(sql: Sql, matches: readonly NewMatch[], target: Target): void {
  const { generation, isPublished, changing } = target
  const counts = new Map<number, Counts>()
  const replaced = matches.flatMap(({ result, before }) =>
    before && (isPublished || before.since < generation) ? [result.entry] : [],
  )
  sql.exec(
    isPublished
      ? 'DELETE FROM settlement_matches WHERE entry IN (SELECT value FROM json_each(?))'
      : 'INSERT INTO settlement_changes (entry) SELECT value FROM json_each(?)',
    JSON.stringify(replaced),
  )
  const rows = matches.map(({ result }) => {
    const row: MatchRow = { ...result, since: generation }
    return NAMES.map((name) => row[name])
  })
  sql.exec(INSERT, JSON.stringify(rows))
  for (const { result, files, before } of matches)
    for (const each of files) {
      const isCounted = before && (each !== changing || before.since === generation)
      const sum = added(counts.get(each) ?? NO_COUNTS, result, 1)
      counts.set(each, isCounted ? added(sum, before, -1) : sum)
    }
  for (const [file, more] of counts) addCounts(sql, file, generation, more)
}

/** @param sign 1 or -1 */
function added(counts: Counts, { file, state }: Pick<Result, 'file' | 'state'>, sign: number): Counts {
  if (file === null) return { ...counts, other: counts.other + sign }
  if (state === 'MATCHED') return { ...counts, matched: counts.matched + sign }
  if (state === 'MISMATCHED') return { ...counts, mismatched: counts.mismatched + sign }
  return state === 'UNKNOWN' ? { ...counts, unknown: counts.unknown + sign } : counts
}
