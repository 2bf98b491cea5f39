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
import { listedQrCodeRows } from './qr-codes/rows.ts'
import { isReadable, type UnreadableRow, UnreadableRowError } from './rows/columns.ts'
import { listedSaleRows } from './sales/rows.ts'
import { listedTokenRows } from './tokens/rows.ts'

/** The ends that one write records: other calls are served between two writes. */
const MAX_ENDS = 500
/**
 * Rows that cannot be read stay due, and are the oldest. So many pages of each kind are read to find ends behind them: an alarm must
 * not read a table. Behind more of them ends wait for the version that knows them.
 */
const MAX_PAGES = 10

/** All ends that are due are of rows that this version cannot read, or of QR codes whose row it cannot. */
export class UnreadableEnds extends UnreadableRowError {}

/**
 * Records ends that have come, of each kind the oldest first. Those of rows that this version cannot read stay due.
 * @param max of all kinds together
 * @throws UnreadableEnds where there are only such
 */
export function recordEnds(context: Context, max = MAX_ENDS): void {
  const { sql, now } = context
  let [recorded, unreadable] = [0, 0]
  const recordAll = <Row extends object>(
    list: (limit: number, offset: number) => (Row | UnreadableRow)[],
    record: (context: Context, row: Row) => unknown,
  ) => {
    let skipped = 0
    for (let page = 0; page < MAX_PAGES && recorded < max; page++) {
      const limit = max - recorded
      // Those that are recorded are due no more.
      const rows = list(limit, skipped)
      for (const row of rows) {
        if (isReadable(row) && isRecorded(() => record(context, row))) recorded++
        else skipped++
      }
      if (rows.length < limit) break
    }
    unreadable += skipped
  }
  recordAll(
    (limit, offset) => listedQrCodeRows(sql, DUE_QR_CODES_BY_TIME, now, limit, offset),
    recordQrCodeEnd,
  )
  recordAll((limit, offset) => {
    const all = limit + offset
    return listedTokenRows(sql, DUE_TOKENS_BY_TIME, now, all, now, all, limit, offset)
  }, recordTokenEnd)
  recordAll((limit, offset) => listedSaleRows(sql, DUE_SALES_BY_TIME, now, limit, offset), recordSaleEnd)
  if (recorded === 0 && unreadable > 0) {
    throw new UnreadableEnds(`${unreadable} rows of a later version are due`)
  }
}

/**
 * A function that records an end reads each row that can be of a later version before it writes anything. What it reads after that
 * are its own writes, and the settings, which leave out what they do not know.
 * @returns whether it could read them
 */
function isRecorded(record: () => unknown): boolean {
  try {
    record()
    return true
  } catch (error) {
    if (error instanceof UnreadableRowError) return false
    throw error
  }
}

const DUE_QR_CODES_BY_TIME = `WHERE qr_codes.number IN (${DUE_NUMBERS} OFFSET ?) ORDER BY end_at, number`

const dueTokens = (status: string) =>
  `SELECT number FROM (SELECT number FROM ${endingTokens(status)} AND at <= ? ORDER BY at LIMIT ?)`

/** Each status is a range of the index. */
const DUE_TOKENS_BY_TIME = `WHERE tokens.number IN (${dueTokens('WAITING')} UNION ALL ${dueTokens('CREATED')})
  ORDER BY at, number LIMIT ? OFFSET ?`

const DUE_SALES_BY_TIME = `WHERE sales.number IN (SELECT number FROM ${DUE_SALES} ORDER BY due_at LIMIT ? OFFSET ?)
  ORDER BY due_at, number`
