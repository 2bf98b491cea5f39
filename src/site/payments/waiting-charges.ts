// The charges of tokens that a network has not reported (contract, section 14).
import type { PartCursor, WaitingCharge, WaitingChargesQuery } from '../../contract/network-tokens.ts'
import type { Network } from '../../contract/payment.ts'
import type { Context } from '../context.ts'
import { inSeconds, int, orNull, rowsWith, text } from '../rows/columns.ts'
import { firstRows } from '../rows/page.ts'
import { columnOf } from '../rows/sql.ts'

const readRows = rowsWith({
  number: int,
  payment_uid: text,
  link_id: text,
  binding_uid: text,
  binding_reference: orNull(text),
  reference: orNull(text),
  minor_units: int,
  currency: text,
  created_at: inSeconds,
  end_at: inSeconds,
})

const ofToken = (column: string) => columnOf('tokens', 'payments.token', column)
const ofQrCode = (column: string) => columnOf('qr_codes', 'payments.qr_code', column)

/** No payment but a charge waits. */
const WAITING = `SELECT number, payment_uid, link_id, minor_units, currency, created_at,
    ${ofToken('binding_uid')} AS binding_uid, ${ofToken('binding_reference')} AS binding_reference,
    ${ofQrCode('reference')} AS reference, ${ofQrCode('end_at')} AS end_at
  FROM payments INDEXED BY payments_by_time
  WHERE status = 'WAITING' AND (created_at, number) > (?, ?) AND +network = ? ORDER BY created_at, number LIMIT ?`

export interface WaitingChargesPage {
  charges: WaitingCharge[]
  /** After which position there are more; absent on the last page. */
  next?: PartCursor | undefined
}

/** A page of the charges of a network that wait for its report, oldest first. */
export function waitingCharges(
  { sql }: Context,
  network: Network,
  { limit, cursor = { part: 0, at: 0, number: 0 } }: WaitingChargesQuery,
): WaitingChargesPage {
  const read = readRows(sql, WAITING, cursor.at, cursor.number, network, limit + 1)
  const { rows, last } = firstRows(read, limit)
  return {
    charges: rows.map((row) => ({
      paymentUid: row.payment_uid,
      qrcId: row.link_id,
      bindingUid: row.binding_uid,
      reference: row.reference ?? undefined,
      bindingReference: row.binding_reference ?? undefined,
      amount: { minorUnits: row.minor_units, currency: row.currency },
      expiresAt: row.end_at,
      createdAt: row.created_at,
    })),
    next: last && { part: 0, at: last.created_at, number: last.number },
  }
}
