// Matches entries in slices: each writes a limited number of rows, because a cluster limits the pages of a commit (decision 125).
import type { Context } from '../context.ts'
import { fileRows, filesOf } from './files.ts'
import { changedMatches, type NewMatch, type Target, writeMatches } from './matches.ts'
import type { OperationRow } from './operations.ts'
import { partOfEntries, partOfOperations } from './parts.ts'
import { resultsOf } from './results.ts'
import type { Part, Scope } from './scope.ts'
import { integers } from './values.ts'

/** Each match changes at most a page of the table, two of its indexes, and rarely one of settlement_changes: at most 270 pages. */
export const MATCHES_A_SLICE = 80

/** What is left to write of a part that is larger than a slice. It is lost with the object, and then computed again. */
const unwritten = new WeakMap<SqlStorage, { token: string; target: Target; matches: NewMatch[] }>()

export interface Matching {
  scope: Scope
  target: Target
  /** Of what is in progress: the same part is not computed twice. */
  token: string
}

/** @param changing the number of the file that is imported or deleted */
export function matchingUnder(
  { sql, siteId }: Pick<Context, 'sql' | 'siteId'>,
  target: Target,
  token: string,
): Matching {
  const { changing } = target
  const [file] = changing === undefined ? [] : fileRows(sql, 'WHERE number = ?', changing)
  return { scope: { sql, siteId, files: filesOf(sql, target.generation), changing: file }, target, token }
}

/** Goes on with a part of which a slice before has written some. @returns false where there is none */
export function writeRest(sql: SqlStorage, token: string): boolean {
  const rest = unwritten.get(sql)
  if (rest?.token !== token) {
    // What comes now can change what is left of something else.
    unwritten.delete(sql)
    return false
  }
  writeMatches(sql, rest.matches.splice(0, MATCHES_A_SLICE), rest.target)
  if (rest.matches.length === 0) unwritten.delete(sql)
  return true
}

/** Writes how a part matches. @returns false where it is larger than a slice: the rest is left to writeRest */
function writePart({ scope, target, token }: Matching, sql: SqlStorage, part: Part): boolean {
  const { changing } = target
  const isOfChanging = (entry: number) =>
    changing !== undefined && (part.lines.get(entry) ?? []).some(({ file }) => file === changing)
  const matches = changedMatches(sql, resultsOf(scope, part), target, isOfChanging)
  if (matches.length <= MATCHES_A_SLICE) {
    writeMatches(sql, matches, target)
    return true
  }
  // If the object ends before all is written, an entry of the file that has no row yet leads here again.
  const isLast = ({ result }: NewMatch) => isOfChanging(result.entry)
  const ordered = [...matches.filter((each) => !isLast(each)), ...matches.filter(isLast)]
  unwritten.set(sql, { token, target, matches: ordered })
  writeRest(sql, token)
  return false
}

/**
 * Matches the next entries of the file that changes, and all that is connected to them.
 * @param after the number of the last entry that was done
 * @returns that of the last one that is done now; undefined where no entry is left
 */
export function matchNextEntries(matching: Matching, sql: SqlStorage, after: number): number | undefined {
  if (writeRest(sql, matching.token)) return after
  const { changing = 0, generation } = matching.target
  const entries = integers(
    sql,
    'SELECT entry FROM settlement_lines WHERE file = ? AND entry > ? ORDER BY entry LIMIT ?',
    ...[changing, after, MATCHES_A_SLICE],
  )
  const last = entries.at(-1)
  if (last === undefined) return undefined
  const isDone = new Set(
    integers(
      sql,
      'SELECT entry FROM settlement_matches WHERE entry IN (SELECT value FROM json_each(?)) AND since = ?',
      ...[JSON.stringify(entries), generation],
    ),
  )
  const open = entries.filter((entry) => !isDone.has(entry))
  if (open.length === 0) return last
  const { part, count } = partOfEntries(matching.scope, open)
  if (!writePart(matching, sql, part)) return after
  return count === open.length ? last : (open[count - 1] ?? after)
}

/** Matches what is connected to operations. @returns false where they are to be given again */
export const matchOperations = (
  matching: Matching,
  sql: SqlStorage,
  operations: readonly OperationRow[],
): boolean => writePart(matching, sql, partOfOperations(matching.scope, operations))
