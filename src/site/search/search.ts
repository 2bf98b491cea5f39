// One search over all that a merchant sees: exact identifiers first, then the newest rows (contract, section 7).
import { parseMinorUnits } from '../../contract/amount.ts'
import {
  type Found,
  KINDS,
  type Kind,
  type SearchPage,
  type SearchPosition,
  type SearchQuery,
  WAYS,
} from '../../contract/search.ts'
import type { Context } from '../context.ts'
import { paymentOf, paymentRows } from '../payments/rows.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { numberOfQrCode, qrCodeRows } from '../qr-codes/rows.ts'
import { refundOf, refundRows } from '../refunds/rows.ts'
import { integer, ofQrCodeOrDeleted, textValue } from '../rows/sql.ts'
import { saleRows } from '../sales/rows.ts'
import { saleOf } from '../sales/sale.ts'
import { areFew, exactHits, prefixHits } from './indexed.ts'
import { type Hit, newestHits, type Sought, TABLES, WINDOW } from './newest.ts'

/** The rows that one way found, by falling numbers, and the number below which it goes on; 0: there are no more. */
interface Way {
  below: number
  hits: readonly Hit[]
  next: number
}

/** Above all numbers of rows. */
const TOP = 999_999_999_999_999

/** A page of results. Each way goes on behind what the page shows of it: pages neither repeat a row nor leave one out. */
export function search(context: Context, { q, limit, cursor }: SearchQuery): SearchPage {
  const { sql } = context
  const at: SearchPosition = cursor ?? {
    below: Array<number>(WAYS).fill(TOP),
    isPrefixIndexed: areFew(sql, q, WINDOW),
  }
  const sought: Sought = {
    q,
    minorUnits: parseMinorUnits(q.replaceAll(/\s/gu, '').replace(',', '.')),
    code: numberOfQrCode(sql, q) ?? 0,
    isPrefixIndexed: at.isPrefixIndexed,
  }
  const ways = at.below.map((below, way) => found(context, way, sought, { below, want: limit + 1 }))
  const exact = merged(ways.slice(0, KINDS.length), limit)
  const shown = [...exact, ...merged(ways.slice(KINDS.length), limit - exact.length)]

  const isShown = new Set(shown)
  const below = ways.map((way) => {
    const left = way.hits.findIndex((hit) => !isShown.has(hit))
    return left < 0 ? way.next : (way.hits[left - 1]?.number ?? way.below)
  })
  return {
    results: shownOf(context, shown),
    searchedFrom: searchedFrom(sql, ways.slice(KINDS.length + 1)),
    ...(below.some((number) => number > 0) && { next: { below, isPrefixIndexed: at.isPrefixIndexed } }),
  }
}

/** Exact identifiers of each kind, then codes that begin with the text, then the newest rows of each kind. */
function found(context: Context, way: number, sought: Sought, page: { below: number; want: number }): Way {
  const { below } = page
  const { sql } = context
  if (below === 0) return { below, hits: [], next: 0 }
  const exact = KINDS[way]
  if (exact) return { below, hits: exactHits(sql, exact, sought, page), next: 0 }
  const newest = KINDS[way - KINDS.length - 1]
  if (newest) return { below, ...newestHits(context, newest, sought, page) }
  return { below, hits: sought.isPrefixIndexed ? prefixHits(sql, sought.q, page) : [], next: 0 }
}

/** The newest of the first hits of each way, again and again: within a way they keep their order. */
function merged(ways: readonly Way[], limit: number): Hit[] {
  const queues = ways.map(({ hits }) => [...hits])
  const taken: Hit[] = []
  while (taken.length < limit) {
    const [first] = queues
      .filter(([hit]) => hit)
      .sort(([a], [b]) => (b?.createdAt ?? 0) - (a?.createdAt ?? 0))
    const hit = first?.shift()
    if (!hit) break
    taken.push(hit)
  }
  return taken
}

/** The time since which the newest rows of every kind were searched; undefined if there are no others. */
function searchedFrom(sql: SqlStorage, newest: readonly Way[]): number | undefined {
  const times = newest.flatMap(({ next }, i) => {
    const kind = KINDS[i]
    const time =
      next > 0 &&
      kind &&
      integer(sql, `SELECT created_at FROM ${TABLES[kind]} WHERE number >= ? ORDER BY number LIMIT 1`, next)
    return time ? [time] : []
  })
  return times.length > 0 ? Math.max(...times) : undefined
}

/** The rows as they stand, in the order of the hits. */
function shownOf({ sql, now }: Context, hits: readonly Hit[]): SearchPage['results'] {
  const numbers = (kind: Kind) =>
    JSON.stringify(hits.flatMap((hit) => (hit.kind === kind ? [hit.number] : [])))
  const among = (table: string) => `WHERE ${table}.number IN (SELECT value FROM json_each(?))`
  const read: [Kind, [number, Found][]][] = [
    [
      'qrCode',
      qrCodeRows(sql, among('qr_codes'), numbers('qrCode')).map((row) => [
        row.number,
        { kind: 'qrCode', qrCode: qrCodeOf(row, now) },
      ]),
    ],
    [
      'payment',
      paymentRows(sql, among('payments'), numbers('payment')).map((row) => [
        row.number,
        { kind: 'payment', payment: paymentOf(row) },
      ]),
    ],
    [
      'refund',
      refundRows(sql, among('refunds'), numbers('refund')).map((row) => [
        row.number,
        { kind: 'refund', refund: refundOf(row), qrCodeUid: codeOfPayment(sql, row.payment) },
      ]),
    ],
    [
      'sale',
      saleRows(sql, among('sales'), numbers('sale')).flatMap((row): [number, Found][] => {
        const sale = saleOf(row, now)
        return sale ? [[row.number, { kind: 'sale', sale, qrCodeUid: row.qr_code_uid }]] : []
      }),
    ],
  ]
  const rows = new Map(read.map(([kind, each]) => [kind, new Map(each)]))
  return hits.flatMap(({ kind, number, matched }) => {
    const row = rows.get(kind)?.get(number)
    return row ? [{ ...row, matched }] : []
  })
}

const codeOfPayment = (sql: SqlStorage, payment: number): string | undefined =>
  textValue(
    sql,
    `SELECT ${ofQrCodeOrDeleted('qr_code', 'qr_code_uid')} FROM payments WHERE number = ?`,
    payment,
  )
