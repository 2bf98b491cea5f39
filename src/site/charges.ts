// Payments by token: a QR code is charged once with a token, without its customer (contract, section 9).
import type { Caller } from '../contract/caller.ts'
import type { QrCode } from '../contract/qr-code.ts'
import { transition } from '../contract/status.ts'
import type { Outcome, Refusal } from '../errors.ts'
import { chargeUid } from '../fps/charge-uid.ts'
import { type Connection, unconnected } from './connection.ts'
import { type Cause, recordEvent } from './events.ts'
import { enqueueInstruction, withdrawInstruction } from './outbox.ts'
import { notAllowed, ok } from './outcomes.ts'
import { findPayment } from './payments.ts'
import { paymentOf } from './rows/payments.ts'
import { type QrCodeRow, qrCodeByNumber, qrCodeOf } from './rows/qr-codes.ts'
import { integer } from './rows/sql.ts'
import { tokenOf } from './rows/tokens.ts'
import { findToken, type TokenKey } from './tokens.ts'
import { changeStatus, recordExpiry } from './transitions.ts'

/** A QR code after a charge, and whether an earlier one had the effect. */
export interface Charged {
  qrCode: QrCode
  isReplayed: boolean
}

/**
 * Charges a token for a QR code, and queues the instruction to the network. The same token on the same QR code is a
 * replay, whatever became of the charge, of the token and of the QR code.
 * @param now Unix seconds
 * @returns validation.error where the account has no such token that can be charged; payin.incorrect-method-invocation
 * where the QR code cannot be charged; site.restored, network.changed or network.not.connected
 */
export function chargeToken(
  sql: SqlStorage,
  siteId: string,
  found: QrCodeRow,
  { hash, account }: TokenKey,
  connection: Connection,
  caller: Caller,
  now: number,
): Outcome<Charged> {
  const token = findToken(sql, hash)
  if (!token?.binding_uid) return UNUSABLE
  const bindingUid = token.binding_uid
  const paymentUid = chargeUid(siteId, found.qr_code_uid, bindingUid)
  if (findPayment(sql, paymentUid)) return ok({ qrCode: qrCodeOf(found, now), isReplayed: true })

  if (tokenOf(token, now).status !== 'CREATED' || token.account !== account) return UNUSABLE
  const row = recordExpiry(sql, found, now)
  const { amount } = qrCodeOf(row, now)
  if (row.type !== 'DYNAMIC') return notAllowed('the QR code has type TOKEN, must be DYNAMIC to be charged')
  if (!amount) return notAllowed('the QR code has no amount, must have one to be charged')
  if (!transition(row.status, 'charge')) {
    return notAllowed(`the QR code is ${row.status}, must be CREATED or DECLINED to be charged`)
  }
  const refusal = unconnected(sql, token.network, connection)
  if (refusal) return refusal

  const number = integer(
    sql,
    `INSERT INTO payments (payment_uid, qr_code, link_id, status, minor_units, currency, created_at, changed_at, applied,
       network, payer_bank, token)
     VALUES (?, ?, ?, 'WAITING', ?, ?, ?, ?, 1, ?, ?, ?) RETURNING number`,
    ...[paymentUid, row.number, row.link_id, amount.minorUnits, amount.currency, now, now],
    ...[token.network, token.bank, token.number],
  )
  const payment = { number, details: { paymentUid, status: 'WAITING', amount, applied: true } } as const
  const { event } = changeStatus(sql, row, { action: 'charge', at: now, by: caller, payment })
  sql.exec('UPDATE payments SET event = ? WHERE number = ?', event, number ?? null)
  enqueueInstruction(sql, { event, qrCode: row.number, now: now * 1000 }, token.network, {
    type: 'payment.charge',
    linkId: row.link_id,
    paymentUid,
    bindingUid,
    amount,
    expiresAt: row.expires_at,
  })
  return ok({ qrCode: qrCodeOf(qrCodeByNumber(sql, row.number) ?? row, now), isReplayed: false })
}

/**
 * Another payment was applied to a QR code whose charge waits for the network: the charge is not applied any more. If the
 * network was never asked for it, it never is.
 * @param row the QR code's row before that payment
 */
export function supersede(sql: SqlStorage, { number, payment_uid }: QrCodeRow, by: Cause, now: number): void {
  const charge = payment_uid === null ? undefined : findPayment(sql, payment_uid)
  if (charge?.status !== 'WAITING' || charge.event === null) return
  sql.exec('UPDATE payments SET applied = 0 WHERE number = ?', charge.number)
  if (!withdrawInstruction(sql, charge.event)) return
  sql.exec(
    "UPDATE payments SET status = 'DECLINED', reason = 'SUPERSEDED', changed_at = ? WHERE number = ?",
    ...[now, charge.number],
  )
  const { paymentUid, amount } = paymentOf(charge)
  const payment = { paymentUid, status: 'DECLINED', amount, applied: false } as const
  recordEvent(sql, { type: 'payment.declined', at: now, by, qrCode: number, status: 'PAYED', payment })
}

/** One text for all: nobody learns whether a token exists elsewhere, or existed. */
const UNUSABLE_TEXT = 'cannot be charged: it is unknown, has ended, or is not of this account'
const UNUSABLE: Refusal = {
  ok: false,
  code: 'validation.error',
  description: `token ${UNUSABLE_TEXT}`,
  fields: { token: [UNUSABLE_TEXT] },
}
