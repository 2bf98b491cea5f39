// Changes of a QR code's status, each with its event in the same transaction.
import type { EventType } from '../../contract/event-type.ts'
import { type Action, isFinal, type QrCodeStatus, transition } from '../../contract/status.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import type { RecordedPayment } from '../events/rows.ts'
import type { TokenRow } from '../tokens/rows.ts'
import type { QrCodeRow } from './rows.ts'

const EVENT_OF: Record<Action, EventType> = {
  complete: 'payment.completed',
  decline: 'payment.declined',
  charge: 'payment.waiting',
  accept: 'token.created',
  reject: 'token.rejected',
  cancel: 'qrCode.cancelled',
  expire: 'qrCode.expired',
}

/** Why a status changes. */
interface Change {
  action: Action
  /** The event that is recorded, by default the action's own. */
  type?: EventType
  /** The payment attempt behind it. */
  payment?: RecordedPayment | undefined
  /** The token behind it. */
  token?: TokenRow | undefined
}

/**
 * Changes the status of a QR code and records the event.
 * @returns the new status, and the number of the event
 * @throws RangeError where the status does not allow the action: the caller must check that first
 */
export function changeStatus(
  context: Context,
  row: Pick<QrCodeRow, 'number' | 'status'>,
  { action, type = EVENT_OF[action], payment, token }: Change,
): { status: QrCodeStatus; event: number } {
  const status = transition(row.status, action)
  if (!status) throw new RangeError(`${action} of a QR code that is ${row.status}`)
  // A late payment is the second end of a code, which names the first.
  const isNamed = isFinal(status) && !isFinal(row.status)
  context.sql.exec(
    `UPDATE qr_codes SET status = ?, version = version + 1, payment = ifnull(?, payment), ended_event = ifnull(?, ended_event)
     WHERE number = ?`,
    ...[status, payment?.applied === 1 ? payment.number : null],
    ...[isNamed ? context.memory.lastEvent + 1 : null, row.number],
  )
  const event = recordEvent(context, { type, qrCode: row.number, status, payment, token, isNamed })
  return { status, event }
}

/** The connector cancelled the link of a QR code that stays open: it is not given out again. */
export const forgetLink = ({ sql }: Context, { number }: Pick<QrCodeRow, 'number'>): void =>
  void sql.exec("UPDATE qr_codes SET payload = '' WHERE number = ?", number)

/** Increases the version of a QR code, because something that it shows changes. */
export const touchQrCode = ({ sql }: Context, { number }: Pick<QrCodeRow, 'number'>): void =>
  void sql.exec('UPDATE qr_codes SET version = version + 1 WHERE number = ?', number)
