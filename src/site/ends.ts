// Records the ends that have come, in parts; clock.ts says which ones these are.
import {
  DUE_NUMBERS,
  DUE_SALES,
  endingTokens,
  recordQrCodeEnd,
  recordSaleEnd,
  recordTokenEnd,
} from './clock.ts'
import type { Context } from './context.ts'
import { listedQrCodeRows, type QrCodeRow } from './qr-codes/rows.ts'
import { isReadable, type UnreadableRow } from './rows/columns.ts'
import { listedSaleRows } from './sales/rows.ts'
import { listedTokenRows } from './tokens/rows.ts'

/** The ends that one write records: other calls are served between two writes. */
const MAX_ENDS = 500

/** All ends that are due are of rows that this version cannot read. */
export class UnreadableEnds extends Error {}

/**
 * Records ends that have come, of each kind the oldest first, at most MAX_ENDS in all. Those of rows that this version cannot
 * read stay due.
 * @throws UnreadableEnds where there are only such
 */
export function recordEnds(context: Context): void {
  const { sql, now } = context
  const qrCodes = recordQrCodeEnds(context, MAX_ENDS)
  const max = MAX_ENDS - qrCodes.length
  const tokens = listedTokenRows(sql, DUE_TOKENS_BY_TIME, now, max, now, max, max)
  for (const row of tokens.filter(isReadable)) recordTokenEnd(context, row)
  const sales = listedSaleRows(sql, DUE_SALES_BY_TIME, now, max - tokens.length)
  for (const row of sales.filter(isReadable)) recordSaleEnd(context, row)
  const due = [...qrCodes, ...tokens, ...sales]
  if (due.length > 0 && !due.some(isReadable)) {
    throw new UnreadableEnds(`${due.length} rows of a later version are due`)
  }
}

/** Records the ends of QR codes that have come, at most `limit`. @returns the rows that were due */
export function recordQrCodeEnds(context: Context, limit: number): (QrCodeRow | UnreadableRow)[] {
  const { sql, now } = context
  const due = `WHERE qr_codes.number IN (${DUE_NUMBERS}) ORDER BY end_at`
  const rows = listedQrCodeRows(sql, due, now, limit)
  for (const row of rows.filter(isReadable)) recordQrCodeEnd(context, row)
  return rows
}

const dueTokens = (status: string) =>
  `SELECT number FROM (SELECT number FROM ${endingTokens(status)} AND at <= ? ORDER BY at LIMIT ?)`

/** Each status is a range of the index. */
const DUE_TOKENS_BY_TIME = `WHERE tokens.number IN (${dueTokens('WAITING')} UNION ALL ${dueTokens('CREATED')})
  ORDER BY at LIMIT ?`

const DUE_SALES_BY_TIME = `WHERE sales.number IN (SELECT number FROM ${DUE_SALES} ORDER BY due_at LIMIT ?) ORDER BY due_at`
