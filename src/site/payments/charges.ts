// Payments by token: a QR code is charged once with a token, without its customer (contract, section 9).
import type { QrCode } from '../../contract/qr-code.ts'
import { transition } from '../../contract/status.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import { chargeUid } from '../../fps/derived-id.ts'
import { qrCodeForWrite, tokenForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/events.ts'
import { type Connection, refuseInstruction } from '../outbox/connection.ts'
import { enqueueInstruction, withdrawInstruction } from '../outbox/outbox.ts'
import { notAllowed, ok, QR_CODE_NOT_FOUND } from '../outcomes.ts'
import { changeStatus } from '../qr-codes/changes.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { type QrCodeKey, type QrCodeRow, qrCodeByNumber } from '../qr-codes/rows.ts'
import { toMilliseconds } from '../time.ts'
import type { TokenOfAccount } from '../tokens/tokens.ts'
import { findPayment } from './rows.ts'
import { declineCharge } from './withdrawals.ts'

/** A QR code after a charge, and whether an earlier one had the effect. */
export interface Charged {
  qrCode: QrCode
  isReplayed: boolean
}

/**
 * Charges a token for a QR code, and queues the instruction to the network. The same token on the same QR code is a
 * replay, in any later state of the charge, the token and the QR code.
 * @returns payin.resource.not.found for the QR code; validation.error where the account has no such token that can be charged; payin.incorrect-method-invocation
 * where the QR code cannot be charged; site.restored, network.changed or network.not.connected
 */
export function chargeToken(
  context: Context,
  key: QrCodeKey,
  { hash, account }: TokenOfAccount,
  connection: Connection,
): Outcome<Charged> {
  const { sql, siteId, now } = context
  const row = qrCodeForWrite(context, key)
  if (!row) return QR_CODE_NOT_FOUND
  const token = tokenForWrite(context, { hash })
  if (!token?.binding_uid) return UNUSABLE
  const bindingUid = token.binding_uid
  const paymentUid = chargeUid(siteId, row.qr_code_uid, bindingUid)
  if (findPayment(sql, paymentUid)) return ok({ qrCode: qrCodeOf(row, now), isReplayed: true })

  if (token.status !== 'CREATED' || token.account !== account) return UNUSABLE
  const { amount } = qrCodeOf(row, now)
  if (row.type !== 'DYNAMIC' || row.end_at === null)
    return notAllowed(`the QR code has type ${row.type}, must be DYNAMIC to be charged`)
  if (!amount) return notAllowed('the QR code has no amount, must have one to be charged')
  if (!transition(row.status, 'charge')) {
    return notAllowed(`the QR code is ${row.status}, must be CREATED or DECLINED to be charged`)
  }
  const refusal = refuseInstruction(sql, token.network, connection)
  if (refusal) return refusal

  sql.exec(
    `INSERT INTO payments (payment_uid, qr_code, link_id, status, minor_units, currency, created_at, changed_at, applied,
       network, payer_bank, token)
     VALUES (?, ?, ?, 'WAITING', ?, ?, ?, ?, 1, ?, ?, ?)`,
    ...[paymentUid, row.number, row.link_id, amount.minorUnits, amount.currency, now, now],
    ...[token.network, token.bank, token.number],
  )
  const payment = findPayment(sql, paymentUid)
  if (!payment) throw new Error('a charge that was written is missing')
  const { event } = changeStatus(context, row, { action: 'charge', payment })
  sql.exec('UPDATE payments SET event = ? WHERE number = ?', event, payment.number)
  enqueueInstruction(sql, { event, qrCode: row.number, now: toMilliseconds(now) }, token.network, {
    type: 'payment.charge',
    linkId: row.link_id,
    reference: row.reference ?? undefined,
    paymentUid,
    bindingUid,
    bindingReference: token.binding_reference ?? undefined,
    amount,
    paymentPurpose: row.payment_purpose ?? undefined,
    expiresAt: row.end_at,
  })
  return ok({ qrCode: qrCodeOf(qrCodeByNumber(sql, row.number) ?? row, now), isReplayed: false })
}

/**
 * Another payment was applied to a QR code whose charge waits for the network: the charge is not applied any more. If the
 * instruction was not sent yet, it is withdrawn.
 * @param row the QR code's row before that payment
 */
export function supersede(context: Context, { number, payment_uid }: QrCodeRow): void {
  const { sql } = context
  const charge = payment_uid === null ? undefined : findPayment(sql, payment_uid)
  if (charge?.status !== 'WAITING' || charge.event === null) return
  sql.exec('UPDATE payments SET applied = 0 WHERE number = ?', charge.number)
  if (!withdrawInstruction(sql, charge.event)) return
  const payment = { ...declineCharge(context, charge, 'SUPERSEDED'), applied: 0 }
  recordEvent(context, { type: 'payment.declined', qrCode: number, status: 'PAYED', payment })
}

/** One text for all cases, so that it does not reveal whether a token exists elsewhere, or existed. */
const UNUSABLE_TEXT = 'cannot be charged: it is unknown, has ended, or is not of this account'
const UNUSABLE: Refusal = {
  ok: false,
  code: 'validation.error',
  description: `token ${UNUSABLE_TEXT}`,
  fields: { token: [UNUSABLE_TEXT] },
}
