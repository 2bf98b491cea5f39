// Changes of a token's status, each with its event in the same transaction.
import { ENDED_BY, type EndedBy, type TokenStatus } from '../../contract/token.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { touchQrCode } from '../qr-codes/changes.ts'
import type { QrCodeRow } from '../qr-codes/rows.ts'
import type { TokenRow } from './rows.ts'

const EVENT_OF = {
  CREATED: 'token.created',
  REJECTED: 'token.rejected',
  DELETED: 'token.deleted',
  EXPIRED: 'token.expired',
} as const

/** Who ends a token by the operation: the column of its row; null where the token is rejected. */
export const enderOf = ({ by }: Context, status: TokenStatus): EndedBy | null =>
  status === 'REJECTED' ? null : (ENDED_BY.find((each) => each === by.actor) ?? null)

/**
 * Changes the status of a token and records the event.
 * @param qrCode the QR code of the token, for a write
 * @returns the number of the event
 */
export function changeToken(
  context: Context,
  row: TokenRow,
  status: 'REJECTED' | 'DELETED' | 'EXPIRED',
  qrCode: QrCodeRow | undefined,
): number {
  const { sql, now } = context
  const ended_by = enderOf(context, status)
  sql.exec(
    'UPDATE tokens SET status = ?, changed_at = ?, ended_by = ? WHERE number = ?',
    ...[status, now, ended_by, row.number],
  )
  return recordTokenEvent(context, { ...row, status, changed_at: now, ended_by }, qrCode)
}

/**
 * Records the event of a token's new status. Its QR code shows the token: it has another version.
 * @param qrCode the QR code of the token, for a write
 * @returns the number of the event
 */
export function recordTokenEvent(context: Context, token: TokenRow, qrCode: QrCodeRow | undefined): number {
  const { status } = token
  if (status === 'WAITING') throw new RangeError('the event of a token that waits')
  if (qrCode) touchQrCode(context, qrCode)
  const details = { qrCode: qrCode?.number, status: qrCode?.status, token }
  return recordEvent(context, { type: EVENT_OF[status], ...details })
}
