// Charges that are declined because their instructions were withdrawn before the network got them (contract, section 9).
import { qrCodeForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import type { RecordedPayment } from '../events/rows.ts'
import { withdrawInstruction } from '../outbox/outbox.ts'
import type { TokenRow } from '../tokens/rows.ts'
import { record } from './record.ts'
import { type PaymentRow, paymentRows } from './rows.ts'

/**
 * Withdraws the charges of a token that has ended which were not sent: no charge begins after its end. One that was sent waits
 * for its report.
 */
export function withdrawCharges(context: Context, { number }: Pick<TokenRow, 'number'>): void {
  const { sql } = context
  const waiting = paymentRows(sql, "WHERE payments.token = ? AND payments.status = 'WAITING'", number)
  for (const charge of waiting) {
    if (charge.event === null || !withdrawInstruction(sql, charge.event)) continue
    const payment = declineCharge(context, charge, 'TOKEN_DELETED')
    const row = qrCodeForWrite(context, { number: charge.qr_code })
    record(context, row, { payment, action: charge.applied === 1 ? 'decline' : undefined })
  }
}

/** Declines a charge whose instruction was withdrawn. @returns its row after that */
export function declineCharge(
  { sql, now }: Context,
  charge: PaymentRow,
  reason: 'SUPERSEDED' | 'TOKEN_DELETED',
): RecordedPayment {
  sql.exec(
    "UPDATE payments SET status = 'DECLINED', reason = ?, changed_at = ? WHERE number = ?",
    ...[reason, now, charge.number],
  )
  return { ...charge, status: 'DECLINED', reason, changed_at: now }
}
