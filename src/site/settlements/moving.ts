// Moves the entries of an import from where they were staged to the lines, in the order of their numbers.
import * as z from 'zod/mini'
import type { Refusal } from '../../errors.ts'
import type { Entry, FaultTexts } from '../../settlement/formats/entry.ts'
import { roubles } from '../../settlement/formats/money.ts'
import { int, rowsWith, text } from '../rows/columns.ts'
import type { Sql } from '../rows/sql.ts'
import { type FileRow, sourceOf } from './files.ts'
import { firstPlaceOf, identityOf } from './keys.ts'
import { ENTRY_KINDS, insertLines, type LineRow, lineOf, lineRows, valuesIn } from './lines.ts'
import { integers } from './values.ts'

/** A cluster refuses a commit of more than about 430 changed pages; decision 125. */
const MAX_PAGES = 240
/** Most are on three pages or more; see pagesOf. */
const MAX_ENTRIES = 80
/** So many entries can have the same number. */
const PLACES = 8
/** Lines that a refusal names. */
const MAX_FAULTS = 10

/** The numbers of the staged entries in their order: to sort them takes a tenth of a second, so it is done once. An object that restarts sorts again. */
const orders = new WeakMap<Sql, { token: string; numbers: number[] }>()

const readStaged = rowsWith({ number: int, key: int, entry: text })
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
export function unstage(sql: Sql): void {
  sql.exec('DELETE FROM settlement_staged')
  orders.delete(sql)
}

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
  const staged = nextStaged(sql, token, moved)
  if (staged.length === 0) return undefined
  const places = placesNear(
    sql,
    staged.map(({ first }) => first),
  )
  const faults: FaultTexts = {}
  const lines: LineRow[] = []
  let [pages, repeated] = [0, 0]
  let earlier: FileRow | undefined
  for (const { first, entry } of staged) {
    const { place, known } = placeOf(places, first, identityOf(file, entry.identity))
    const line = lineOf(entry, { entry: place, file: file.number }, sourceOf(file))
    pages += pagesOf(entry)
    if (lines.length > 0 && pages > MAX_PAGES) break
    const other = fileWith(known, files)
    if (other) repeated++
    for (const [field, text] of other ? contradictions(line, other) : []) {
      earlier ??= other?.file
      if (Object.keys(faults).length < MAX_FAULTS) faults[`lines[${line.line}].${field}`] = [text]
    }
    places.set(place, [...(places.get(place) ?? []), line])
    lines.push(line)
  }
  insertLines(sql, lines, sourceOf(file))
  return earlier ? contradicting(earlier, faults) : { moved: moved + lines.length, repeated }
}

/** The next staged entries, each with its first place, in the order of where they go: neighbours are on the same pages. */
function nextStaged(sql: SqlStorage, token: string, moved: number) {
  const numbers = nextNumbers(sql, token, moved)
  const rows = readStaged(
    sql,
    'SELECT number, key, entry FROM settlement_staged WHERE number IN (SELECT value FROM json_each(?))',
    JSON.stringify(numbers),
  )
  const byNumber = new Map(rows.map((row) => [row.number, row]))
  return numbers.map((number) => {
    const row = byNumber.get(number)
    if (!row) throw new Error(`the staged entry ${number} is gone`)
    return { first: row.key, entry: StagedEntry.parse(JSON.parse(row.entry)) }
  })
}

function nextNumbers(sql: SqlStorage, token: string, moved: number): number[] {
  let order = orders.get(sql)
  if (order?.token !== token) {
    order = { token, numbers: integers(sql, 'SELECT number FROM settlement_staged ORDER BY key, number') }
    orders.set(sql, order)
  }
  return order.numbers.slice(moved, moved + MAX_ENTRIES)
}

/** Each row can be on a page of its own in each index but that of the file, to which it is appended. */
const pagesOf = ({ kind, paidOn, bankIds }: z.infer<typeof StagedEntry>): number =>
  2 + (paidOn === undefined ? 0 : 1) + valuesIn(kind, bankIds).length

/** Lines by their place. */
type Places = Map<number, LineRow[]>

/** The lines at all places where the entries can be. */
function placesNear(sql: Sql, firsts: readonly number[]): Places {
  const places = firsts.flatMap(placesFrom)
  const near = lineRows(
    sql,
    'WHERE entry IN (SELECT value FROM json_each(?)) ORDER BY entry, file',
    JSON.stringify(places),
  )
  return Map.groupBy(near, ({ entry }) => entry)
}

const placesFrom = (first: number): number[] => Array.from({ length: PLACES }, (_, index) => first + index)

/** Where the row of an entry is, or is to be; and the lines that files have of it. */
function placeOf(places: Places, first: number, identity: string): { place: number; known: LineRow[] } {
  const possible = placesFrom(first)
  const known = possible
    .flatMap((place) => places.get(place) ?? [])
    .filter((row) => row.identity === identity)
  const place = known[0]?.entry ?? possible.find((each) => !places.has(each))
  if (place === undefined) throw new Error(`more than ${PLACES} entries have the same number`)
  return { place, known }
}

const AMOUNTS = {
  gross: 'gross',
  fee: 'fee',
  feeVat: 'fee_vat',
  feeVatSeparate: 'fee_vat_separate',
  net: 'net',
} as const

/** A file that has an entry, and its line. */
interface Known {
  file: FileRow
  line: LineRow
}

/** The first published file that has one of these lines. */
function fileWith(known: readonly LineRow[], files: ReadonlyMap<number, FileRow>): Known | undefined {
  const line = known.find(({ file }) => files.has(file))
  const file = line && files.get(line.file)
  return file && { file, line }
}

/** What two lines of an entry state differently, by field. */
function contradictions(line: LineRow, { file, line: before }: Known): [string, string][] {
  const money = (value: number | null) => (value === null ? 'not stated' : roubles(value))
  const day = ({ paid_on }: LineRow) => paid_on ?? 'not stated'
  const text = (now: string, known: string) =>
    `is ${now}, differs from ${known} of the file ${file.settlement_uid}`
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
