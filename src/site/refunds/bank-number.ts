// The refund's identifier at the bank, as its settlement files name it.
import type { RefundReport } from '../../contract/refund.ts'
import type { Context } from '../context.ts'
import { keepLearned } from '../rows/learned-numbers.ts'
import type { RefundRow } from './rows.ts'

/** The first that was reported. */
export const networkUidOf = (row: RefundRow, { networkUid }: RefundReport): string | null =>
  row.bank_number ?? networkUid ?? null

/** Learns it from a report that is no event. */
export function learnNumber(context: Context, row: RefundRow, report: RefundReport): void {
  const networkUid = networkUidOf(row, report)
  if (networkUid === row.bank_number) return
  context.sql.exec('UPDATE refunds SET bank_number = ? WHERE number = ?', networkUid, row.number)
  keepLearned(context, row.payment)
}
