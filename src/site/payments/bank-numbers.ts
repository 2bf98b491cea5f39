// Pages of the numbers that payments have at their banks, by the time that the bank states, whatever their status is.
import type { BankNumbers, BankNumbersPosition } from '../../contract/bank-numbers.ts'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { SETTLEMENT_BANKS } from '../../contract/settlement-bank.ts'
import type { Context } from '../context.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { LONG_PAGE } from '../rows/page.ts'

/** Payments from a time up to, not including, another, in Unix seconds. */
export interface BankNumbersQuery {
  since: number
  until: number
  after?: BankNumbersPosition | undefined
}

export interface BankNumbersPage {
  rows: BankNumbers[]
  /** Absent at the end. */
  next?: BankNumbersPosition | undefined
}

const readRows = rowsWith({
  number: int,
  created_at: inSeconds,
  payment_uid: text,
  link_id: text,
  bank: orNull(oneOf(SETTLEMENT_BANKS)),
  network_uid: orNull(text),
  bank_order: orNull(text),
})

const PAYMENTS = `SELECT number, created_at, payment_uid, link_id, bank, network_uid, bank_order
  FROM payments INDEXED BY payments_by_time
  WHERE status = ? AND created_at < ? AND (created_at, number) > (?, ?) ORDER BY created_at, number LIMIT ?`

/** Each status is a range of the index. @param limit rows of a page, which are of one status */
export function bankNumbersPage(
  { sql }: Context,
  { since, until, after = { status: 0, at: since, number: 0 } }: BankNumbersQuery,
  limit = LONG_PAGE,
): BankNumbersPage {
  const status = PAYMENT_STATUSES[after.status] ?? ''
  const read = readRows(sql, PAYMENTS, status, until, after.at, after.number, limit)
  const last = read.at(-1)
  const isLast = after.status === PAYMENT_STATUSES.length - 1
  const more = { status: after.status + 1, at: since, number: 0 }
  return {
    rows: read.map((row) => ({
      paymentUid: row.payment_uid,
      qrcId: row.link_id,
      ...(row.bank !== null && { bank: row.bank }),
      ...(row.network_uid !== null && { networkUid: row.network_uid }),
      ...(row.bank_order !== null && { order: row.bank_order }),
    })),
    next:
      read.length === limit && last
        ? { status: after.status, at: last.created_at, number: last.number }
        : isLast
          ? undefined
          : more,
  }
}
