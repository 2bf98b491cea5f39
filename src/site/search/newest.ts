// Finds a text among the newest rows of a kind: in identifiers and purposes, in any case of letters, and as an amount.
//
// SQLite folds the case of Latin letters alone, and a platform can limit its patterns to 50 bytes. So it only concatenates the texts
// of some hundred rows, and the search is that of strings: for 20,000 rows 10 to 20 ms.
import type { Kind, Match } from '../../contract/search.ts'
import { int, orNull, rowsWith, text } from '../rows/columns.ts'
import { ofQrCodeOrDeleted } from '../rows/sql.ts'

/** Rows of a kind that one search reads at most. */
export const WINDOW = 20_000
/** Rows that are read at once: their longest texts together are less than the 2 MB that a value may have. */
const CHUNK = 500

/** Between the cells of a row: no identifier has a control character, and a purpose that has one is only cut there. */
const CELL = '\x1f'
const ROW = '\n'

/** Text that is looked for, and the amount that it is. */
export interface Sought {
  q: string
  minorUnits: number | undefined
  /** The number of the code whose identifier is the text, 0 without one. */
  code: number
  isPrefixIndexed: boolean
}

/** A row that was found. */
export interface Hit {
  kind: Kind
  number: number
  createdAt: number
  matched: Match
}

/** The table of each kind. */
export const TABLES: Record<Kind, string> = {
  qrCode: 'qr_codes',
  payment: 'payments',
  refund: 'refunds',
  sale: 'sales',
}

interface Texts {
  /** Identifiers, of which the first is the row's own. */
  uids: readonly [string, ...string[]]
  purpose?: string
  /** The rows that are found by an index; ?1 is the text, ?2 the code's number, ?3 whether beginnings are found by the index. */
  indexed: string
}

/** Whether a QR code's identifier begins with ?1: the last character of Unicode sorts behind what can follow. */
export const BEGINS = 'qr_code_uid > ?1 AND qr_code_uid < ?1 || char(1114111)'

const TEXTS: Record<Kind, Texts> = {
  qrCode: {
    uids: ['qr_code_uid'],
    purpose: 'payment_purpose',
    indexed: `qr_code_uid = ?1 OR (?3 AND ${BEGINS})`,
  },
  payment: {
    uids: ['payment_uid', ofQrCodeOrDeleted('payments.qr_code', 'qr_code_uid')],
    indexed: 'payment_uid = ?1 OR ifnull(qr_code = ?2, FALSE)',
  },
  refund: { uids: ['refund_uid'], indexed: 'refund_uid = ?1' },
  sale: { uids: ['sale_uid'], purpose: 'payment_purpose', indexed: 'sale_uid = ?1' },
}

const readChunk = rowsWith({ rows: int, low: orNull(int), texts: orNull(text) })

/** The query of a chunk. ?4 is the number below which it begins, ?5 how many rows it has. */
function queryOf(kind: Kind): string {
  const { uids, purpose, indexed } = TEXTS[kind]
  const cells = ['number', 'created_at', 'minor_units', ...uids, purpose ?? "''"]
  const line = cells.map((cell) => `ifnull(${cell}, '')`).join(' || char(31) || ')
  return `SELECT count(*) AS rows, min(number) AS low, group_concat(line, char(10)) AS texts FROM (
    SELECT number, iif(${indexed}, '', ${line}) AS line
    FROM ${TABLES[kind]} WHERE number < ?4 ORDER BY number DESC LIMIT ?5)`
}

/**
 * The rows of a kind below a number that have the text, newest first. Those that an index finds are left out.
 * @param want as many are enough
 * @returns with the number below which there is more to read; 0: all was read
 */
export function newestHits(
  sql: SqlStorage,
  kind: Kind,
  sought: Sought,
  { below, want }: { below: number; want: number },
): { hits: Hit[]; next: number } {
  const query = queryOf(kind)
  const hits: Hit[] = []
  let next = below
  for (let read = 0; read < WINDOW && next > 0 && hits.length < want; read += CHUNK) {
    const bindings = [sought.q, sought.code, Number(sought.isPrefixIndexed), next, CHUNK]
    const [chunk] = readChunk(sql, query, ...bindings)
    if (chunk?.texts) hits.push(...hitsIn(chunk.texts, kind, sought))
    next = chunk?.rows === CHUNK ? (chunk.low ?? 0) : 0
  }
  return { hits, next }
}

function hitsIn(texts: string, kind: Kind, { q, minorUnits }: Sought): Hit[] {
  const folded = texts.toLowerCase()
  const needles = [q.toLowerCase(), ...(minorUnits === undefined ? [] : [`${CELL}${minorUnits}${CELL}`])]
  const found = new Map<number, Hit>()
  for (const needle of needles) {
    for (let at = folded.indexOf(needle); at >= 0; ) {
      const begin = folded.lastIndexOf(ROW, at) + 1
      const end = folded.indexOf(ROW, at)
      const line = folded.slice(begin, end < 0 ? undefined : end)
      const hit = hitOf(line.split(CELL), kind, needles[0] ?? '', minorUnits)
      if (hit) found.set(hit.number, hit)
      at = end < 0 ? -1 : folded.indexOf(needle, end)
    }
  }
  return [...found.values()].sort((a, b) => b.number - a.number)
}

/** What of a row has the text: the digits of its number or its time do not count. */
function hitOf(cells: readonly string[], kind: Kind, needle: string, minorUnits?: number): Hit | undefined {
  const [number, createdAt, units, ...texts] = cells
  const uids = texts.slice(0, TEXTS[kind].uids.length)
  const purpose = texts.slice(uids.length)
  const matched: Match | undefined = uids.some((uid) => uid.startsWith(needle))
    ? 'prefix'
    : uids.some((uid) => uid.includes(needle))
      ? 'part'
      : purpose.some((part) => part.includes(needle))
        ? 'purpose'
        : units !== '' && Number(units) === minorUnits
          ? 'amount'
          : undefined
  return matched && { kind, number: Number(number), createdAt: Number(createdAt), matched }
}
