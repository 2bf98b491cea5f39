// Moves the entries of an import from where they were staged to the lines, in the order of their numbers.
import * as z from 'zod/mini'
import type { Refusal } from '../../errors.ts'
import type { Entry, FaultTexts } from '../../settlement/formats/entry.ts'
import { roubles } from '../../settlement/formats/money.ts'
import type { Sql } from '../rows/sql.ts'
import { requiredText } from '../rows/sql.ts'
import { type FileRow, sourceOf } from './files.ts'
import { firstPlaceOf, identityOf } from './keys.ts'
import { ENTRY_KINDS, insertLine, type LineRow, lineOf, lineRows, valuesOf } from './lines.ts'
import { integers } from './values.ts'

/** A cluster refuses a commit of more than about 430 changed pages; decision 125. */
const MAX_PAGES = 240
/** Numbers of staged entries that are kept in memory, in their order. */
const CHUNK = 5000
/** So many entries can have the same number. */
const PLACES = 8
/** Lines that a refusal names. */
const MAX_FAULTS = 10

const orders = new WeakMap<SqlStorage, { token: string; from: number; numbers: number[] }>()

const StagedEntry = z.object({
  kind: z.enum(ENTRY_KINDS),
  type: z.string(),
  line: z.int(),
  identity: z.string(),
  gross: z.optional(z.int()),
  fee: z.optional(z.int()),
  feeVat: z.optional(z.int()),
  feeVatSeparate: z.optional(z.int()),
  net: z.optional(z.int()),
  currency: z.literal('RUB'),
  operatedAt: z.int(),
  hasTime: z.boolean(),
  paidOn: z.optional(z.string()),
  bankIds: z.record(z.string(), z.string()),
})

/** Appends entries to those that are staged: a row each, and no index. */
export function stage(sql: Sql, entries: readonly Entry[], source: Pick<FileRow, 'bank' | 'format'>): void {
  for (const { merchant, terminal, ...entry } of entries)
    sql.exec(
      'INSERT INTO settlement_staged (key, entry) VALUES (?, ?)',
      ...[firstPlaceOf(identityOf(source, entry.identity)), JSON.stringify(entry)],
    )
}

/** Deletes all that is staged. SQLite frees the pages of a whole table without writing them. */
export const unstage = (sql: Sql): void => void sql.exec('DELETE FROM settlement_staged')

export interface Moved {
  /** How many entries are moved by now. */
  moved: number
  /** Of those that were moved now, how many another file has. */
  repeated: number
}

/**
 * Moves the next entries.
 * @param moved how many were moved before
 * @param files those that are published
 * @returns undefined where none is left; settlement.contradicts where a file has other amounts of an entry
 */
export function moveNext(
  { sql, files }: { sql: SqlStorage; files: ReadonlyMap<number, FileRow> },
  { file, token, moved }: { file: FileRow; token: string; moved: number },
): Moved | Refusal | undefined {
  const numbers = nextStaged(sql, token, moved)
  if (numbers.length === 0) return undefined
  const faults: FaultTexts = {}
  let [pages, count, repeated] = [0, 0, 0]
  let earlier: FileRow | undefined
  for (const number of numbers) {
    const entry = StagedEntry.parse(
      JSON.parse(requiredText(sql, 'SELECT entry FROM settlement_staged WHERE number = ?', number)),
    )
    const identity = identityOf(file, entry.identity)
    const { place, known } = placeOf(sql, identity)
    const line = lineOf(entry, { entry: place, file: file.number }, sourceOf(file))
    pages += pagesOf(line)
    if (count > 0 && pages > MAX_PAGES) break
    const [other] = known.flatMap((row) => files.get(row.file) ?? [])
    const [before] = known.filter((row) => files.has(row.file))
    if (before && other) {
      repeated++
      const texts = contradictions(line, before, other.settlement_uid)
      if (texts.length > 0) earlier ??= other
      for (const [field, text] of texts)
        if (Object.keys(faults).length < MAX_FAULTS) faults[`lines[${line.line}].${field}`] = [text]
    }
    insertLine(sql, line, sourceOf(file))
    count++
  }
  return earlier ? contradicting(earlier, faults) : { moved: moved + count, repeated }
}

/** The numbers of the next staged entries, in the order of where they go: neighbours are on the same pages. */
function nextStaged(sql: SqlStorage, token: string, moved: number): number[] {
  const known = orders.get(sql)
  if (known?.token === token && moved >= known.from && moved < known.from + known.numbers.length)
    return known.numbers.slice(moved - known.from, moved - known.from + MAX_PAGES)
  const numbers = integers(
    sql,
    'SELECT number FROM settlement_staged ORDER BY key, number LIMIT ? OFFSET ?',
    ...[CHUNK, moved],
  )
  orders.set(sql, { token, from: moved, numbers })
  return numbers.slice(0, MAX_PAGES)
}

/** Each row can be on a page of its own in each index but that of the file, to which it is appended. */
const pagesOf = (line: LineRow): number => 2 + (line.paid_on === null ? 0 : 1) + valuesOf(line).length

/** Where the row of an entry is, or is to be; and the lines that files have of it. */
export function placeOf(sql: Sql, identity: string): { place: number; known: LineRow[] } {
  const first = firstPlaceOf(identity)
  const near = lineRows(sql, 'WHERE entry >= ? AND entry < ? ORDER BY entry, file', first, first + PLACES)
  const known = near.filter((row) => row.identity === identity)
  const [own] = known
  if (own) return { place: own.entry, known }
  const taken = new Set(near.map(({ entry }) => entry))
  for (let place = first; place < first + PLACES; place++) if (!taken.has(place)) return { place, known }
  throw new Error(`more than ${PLACES} entries have the same number`)
}

const AMOUNTS = {
  gross: 'gross',
  fee: 'fee',
  feeVat: 'fee_vat',
  feeVatSeparate: 'fee_vat_separate',
  net: 'net',
} as const

/** What two lines of an entry state differently, by field. */
function contradictions(line: LineRow, before: LineRow, earlier: string): [string, string][] {
  const money = (value: number | null) => (value === null ? 'not stated' : roubles(value))
  const day = ({ paid_on }: LineRow) => paid_on ?? 'not stated'
  const text = (now: string, known: string) => `is ${now}, differs from ${known} of the file ${earlier}`
  const amounts = Object.entries(AMOUNTS).flatMap(([field, column]): [string, string][] =>
    line[column] === before[column] ? [] : [[field, text(money(line[column]), money(before[column]))]],
  )
  return line.paid_on === before.paid_on ? amounts : [...amounts, ['paidOn', text(day(line), day(before))]]
}

const contradicting = ({ settlement_uid }: FileRow, fields: FaultTexts): Refusal => ({
  ok: false,
  code: 'settlement.contradicts',
  description: `the settlement ${settlement_uid} has the same operations with other values: delete it to take a corrected file`,
  fields,
  settlementUid: settlement_uid,
})
