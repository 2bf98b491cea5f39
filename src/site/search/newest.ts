// Finds a text among the newest rows of a kind: in identifiers and purposes, in any case of letters, and as an amount.
//
// SQLite reads the rows where they are, and returns only those that have the text (decision 113). It folds the case of Latin
// letters alone, so a text with others is looked for by patterns that name both cases of each.
import type { Kind, Match } from '../../contract/search.ts'
import type { Context } from '../context.ts'
import { int, orNull, rowsWith, text } from '../rows/columns.ts'
import { integer, ofQrCodeOrDeleted } from '../rows/sql.ts'

/** Rows of a kind that one search reads at most. */
export const WINDOW = 20_000
/** Bytes that a pattern may have: a platform can limit it to 50. */
const PATTERN = 50

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
  /** The row's own identifier. */
  uid: string
  /** The identifier of its QR code. */
  codeUid?: string
  purpose?: string
  /** The rows that are found by an index; ?1 is the text, ?2 the code's number, ?3 whether beginnings are found by the index. */
  indexed: string
}

/** Whether a QR code's identifier begins with ?1: the last character of Unicode sorts behind what can follow. */
export const BEGINS = 'qr_code_uid > ?1 AND qr_code_uid < ?1 || char(1114111)'

const TEXTS: Record<Kind, Texts> = {
  qrCode: {
    uid: 'qr_code_uid',
    purpose: 'payment_purpose',
    indexed: `qr_code_uid = ?1 OR (?3 AND ${BEGINS})`,
  },
  payment: {
    uid: 'payment_uid',
    codeUid: ofQrCodeOrDeleted('payments.qr_code', 'qr_code_uid'),
    indexed: 'payment_uid = ?1 OR ifnull(qr_code = ?2, FALSE)',
  },
  refund: { uid: 'refund_uid', indexed: 'refund_uid = ?1' },
  sale: { uid: 'sale_uid', purpose: 'payment_purpose', indexed: 'sale_uid = ?1' },
}

const readRows = rowsWith({
  number: int,
  created_at: int,
  minor_units: orNull(int),
  uid: text,
  code_uid: orNull(text),
  purpose: orNull(text),
})
type Row = ReturnType<typeof readRows>[number]

/**
 * The rows of a kind below a number that have the text, newest first. Those that an index finds are left out.
 * @param want as many are enough
 * @returns with the number below which there is more to read; 0: all was read
 */
export function newestHits(
  { sql, memory }: Pick<Context, 'sql' | 'memory'>,
  kind: Kind,
  { q, minorUnits, code, isPrefixIndexed }: Sought,
  { below, want }: { below: number; want: number },
): { hits: Hit[]; next: number } {
  const table = TABLES[kind]
  const { uid, codeUid, purpose, indexed } = TEXTS[kind]
  const older = behindWindow(sql, table, below, kind === 'qrCode' ? !memory.hasDeleted : kind !== 'sale')
  const folded = q.toLowerCase()
  const needles = isAscii(folded) ? [folded] : patternsOf(q)
  const has = (cell: string) =>
    needles
      .map((_, i) => (isAscii(folded) ? `instr(lower(${cell}), ?${i + 8})` : `${cell} GLOB ?${i + 8}`))
      .join(' AND ')
  const rows = readRows(
    sql,
    `SELECT number, created_at, minor_units, ${uid} AS uid, ${codeUid ?? 'NULL'} AS code_uid, ${purpose ?? 'NULL'} AS purpose
     FROM ${table} WHERE number < ?4 AND number > ?5 AND NOT (${indexed})
       AND (minor_units = ?6 OR ${[uid, purpose, codeUid].flatMap((cell) => (cell ? [has(cell)] : [])).join(' OR ')})
     ORDER BY number DESC LIMIT ?7`,
    ...[q, code, Number(isPrefixIndexed), below, older ?? 0, minorUnits ?? null, want, ...needles],
  )
  const last = rows.length === want ? rows.at(-1)?.number : undefined
  return {
    hits: rows.flatMap((row) => {
      const matched = matchOf(row, folded, minorUnits)
      return matched ? [{ kind, number: row.number, createdAt: row.created_at, matched }] : []
    }),
    next: last ?? (older === undefined ? 0 : older + 1),
  }
}

/**
 * The number of the first row after the window; undefined if there is none.
 * @param isDense whether the numbers have no gaps: then no row is read to count them
 */
function behindWindow(sql: SqlStorage, table: string, below: number, isDense: boolean): number | undefined {
  const newest = integer(sql, `SELECT max(number) FROM ${table} WHERE number < ?`, below)
  const oldest = integer(sql, `SELECT min(number) FROM ${table}`)
  if (newest === undefined || oldest === undefined || newest - oldest < WINDOW) return undefined
  if (isDense) return newest - WINDOW
  return integer(
    sql,
    `SELECT number FROM ${table} WHERE number < ? ORDER BY number DESC LIMIT 1 OFFSET ${WINDOW}`,
    below,
  )
}

const isAscii = (q: string): boolean => /^\p{ASCII}*$/u.test(q)

/** Patterns of consecutive pieces of a text: what has the text matches all of them. */
function patternsOf(q: string): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const character of q) {
    const cases = new Set([character, character.toLowerCase(), character.toUpperCase()])
    const either = cases.size > 1 || '*?['.includes(character) ? `[${[...cases].join('')}]` : character
    if (new TextEncoder().encode(`*${piece}${either}*`).length > PATTERN) {
      pieces.push(piece)
      piece = ''
    }
    piece += either
  }
  return [...pieces, piece].map((each) => `*${each}*`)
}

/** By what a row has the folded text; undefined where it has only the pieces of it. */
function matchOf(row: Row, folded: string, minorUnits: number | undefined): Match | undefined {
  const [uid, codeUid, purpose] = [row.uid, row.code_uid, row.purpose].map((cell) => cell?.toLowerCase())
  if (uid?.startsWith(folded) || codeUid?.startsWith(folded)) return 'prefix'
  if (uid?.includes(folded) || codeUid?.includes(folded)) return 'part'
  if (purpose?.includes(folded)) return 'purpose'
  return row.minor_units !== null && row.minor_units === minorUnits ? 'amount' : undefined
}
