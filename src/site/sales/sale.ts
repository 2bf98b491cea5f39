// A sale as it stands at a time, from its row.
import type { Sale } from '../../contract/sale.ts'
import { saleAt } from '../clock.ts'
import { latestPaymentOf } from '../payments/rows.ts'
import type { Seconds } from '../time.ts'
import type { SaleRow } from './rows.ts'

/** Undefined while it waits for the bank. */
export function saleOf(row: SaleRow, now: Seconds): Sale | undefined {
  const { status, version } = saleAt(row, now)
  if (status === 'WAITING') return undefined
  return {
    saleUid: row.sale_uid,
    amount: { minorUnits: row.minor_units, currency: row.currency },
    paymentPurpose: row.payment_purpose ?? undefined,
    ttl: row.ttl,
    status,
    createdAt: row.created_at,
    expiresAt: row.due_at,
    version,
    payment: latestPaymentOf(row),
    refunded: row.refunded,
  }
}
