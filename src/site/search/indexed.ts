// Finds rows of any age by an index: exact identifiers of every kind, and QR codes whose identifiers begin with a text.
import type { Kind, Match } from '../../contract/search.ts'
import { int, rowsWith } from '../rows/columns.ts'
import { paymentsOfCode } from '../rows/named.ts'
import { integer } from '../rows/sql.ts'
import { BEGINS, type Hit } from './newest.ts'

const readHits = rowsWith({ number: int, created_at: int })

/** Queries of rows: ?1 is the text, ?2 the number of its code, 0 without one, ?3 the number below which they are, ?4 how many. */
const EXACT: Record<Kind, string> = {
  qrCode: 'SELECT number, created_at FROM qr_codes WHERE number = ?2 AND number < ?3 LIMIT ?4',
  payment: `SELECT number, created_at FROM payments WHERE number IN (
      SELECT number FROM payments WHERE payment_uid = ?1 AND +number < ?3
      UNION ALL ${paymentsOfCode('?2', 'AND number < ?3 ORDER BY number DESC LIMIT ?4')})
    AND number < ?3 ORDER BY number DESC LIMIT ?4`,
  refund: `SELECT number, created_at FROM refunds WHERE refund_uid = ?1 AND +number < ?3
    ORDER BY +number DESC LIMIT ?4`,
  sale: 'SELECT number, created_at FROM sales WHERE sale_uid = ?1 AND number < ?3 ORDER BY number DESC LIMIT ?4',
}

/** The rows of a kind below a number whose identifier is the text, and the payments of such a code, newest first. */
export const exactHits = (
  sql: SqlStorage,
  kind: Kind,
  { q, code }: { q: string; code: number },
  { below, want }: { below: number; want: number },
): Hit[] => hits(kind, 'uid', readHits(sql, EXACT[kind], q, code, below, want))

/** Whether as few codes begin with the text. */
export const areFew = (sql: SqlStorage, q: string, few: number): boolean =>
  (integer(sql, `SELECT count(*) FROM (SELECT 1 FROM qr_codes WHERE ${BEGINS} LIMIT ?2)`, q, few + 1) ?? 0) <=
  few

/** The codes below a number whose identifiers begin with the text, newest first: the index alone sorts their numbers. */
export const prefixHits = (
  sql: SqlStorage,
  q: string,
  { below, want }: { below: number; want: number },
): Hit[] =>
  hits(
    'qrCode',
    'prefix',
    readHits(
      sql,
      `SELECT number, created_at FROM qr_codes WHERE number IN (
             SELECT number FROM qr_codes WHERE ${BEGINS} AND +number < ?2 ORDER BY +number DESC LIMIT ?3)
           ORDER BY number DESC`,
      ...[q, below, want],
    ),
  )

const hits = (kind: Kind, matched: Match, rows: ReturnType<typeof readHits>): Hit[] =>
  rows.map(({ number, created_at }) => ({ kind, number, createdAt: created_at, matched }))
