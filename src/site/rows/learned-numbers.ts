// Payments of which a repeated report told what a bank calls them or their refunds: that is no event, so they are kept for the alarm.
import type { Sql } from './sql.ts'

/** Keeps a payment, by the number of its row. Without a settlement file there is nothing to match. */
export function keepLearned(
  { sql, memory }: { sql: Sql; memory: { hasSettlements: boolean } },
  payment: number,
): void {
  if (memory.hasSettlements)
    sql.exec(
      'INSERT OR IGNORE INTO settlement_learned (payment) SELECT ? WHERE EXISTS (SELECT 1 FROM settlements)',
      payment,
    )
}
