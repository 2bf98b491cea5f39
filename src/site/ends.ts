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
import { qrCodeRows } from './qr-codes/rows.ts'
import { saleRows } from './sales/rows.ts'
import { tokenRows } from './tokens/rows.ts'

/** The ends that one write records: other calls are served between two writes. */
const MAX_ENDS = 500

/** Records ends that have come, of each kind the oldest first. @param max of all kinds together */
export function recordEnds(context: Context, max = MAX_ENDS): void {
  const { sql, now } = context
  let left = max
  for (const row of qrCodeRows(sql, DUE_QR_CODES_BY_TIME, now, left)) {
    recordQrCodeEnd(context, row)
    left--
  }
  for (const row of tokenRows(sql, DUE_TOKENS_BY_TIME, now, left, now, left, left)) {
    recordTokenEnd(context, row)
    left--
  }
  for (const row of saleRows(sql, DUE_SALES_BY_TIME, now, left)) recordSaleEnd(context, row)
}

const DUE_QR_CODES_BY_TIME = `WHERE qr_codes.number IN (${DUE_NUMBERS}) ORDER BY end_at, number`

const dueTokens = (status: string) =>
  `SELECT number FROM (SELECT number FROM ${endingTokens(status)} AND at <= ? ORDER BY at LIMIT ?)`

/** Each status is a range of the index. */
const DUE_TOKENS_BY_TIME = `WHERE tokens.number IN (${dueTokens('WAITING')} UNION ALL ${dueTokens('CREATED')})
  ORDER BY at, number LIMIT ?`

const DUE_SALES_BY_TIME = `WHERE sales.number IN (SELECT number FROM ${DUE_SALES} ORDER BY due_at LIMIT ?)
  ORDER BY due_at, number`
