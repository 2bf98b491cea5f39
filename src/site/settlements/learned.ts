// Matches payments of which a repeated report told what a bank calls them or their refunds.
import { OPERATIONS } from './late.ts'
import { type Matching, matchOperations, writeRest } from './matching.ts'
import { operationRows } from './operations.ts'
import { integers } from './values.ts'

/** Matches the first of the payments that were kept, with their refunds. */
export function matchLearned(matching: Matching, sql: SqlStorage): void {
  if (writeRest(sql, matching.token)) return
  const payments = integers(
    sql,
    'SELECT payment FROM settlement_learned ORDER BY payment LIMIT ?',
    OPERATIONS,
  )
  const seeds = payments.flatMap((payment) => [
    ...operationRows(sql, 'payment', 'WHERE number = ?', payment),
    ...operationRows(sql, 'refund', 'WHERE refunds.payment = ?', payment),
  ])
  if (!matchOperations(matching, sql, seeds)) return
  for (const payment of payments) sql.exec('DELETE FROM settlement_learned WHERE payment = ?', payment)
}
