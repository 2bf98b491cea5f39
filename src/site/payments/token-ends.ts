// A token is ended by the merchant or by the payer, with its charges that were not sent (contract, section 9).
import type { Outcome } from '../../errors.ts'
import { qrCodeForWrite, tokenForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { type Connection, refuseInstruction } from '../outbox/connection.ts'
import { ok, QR_CODE_NOT_FOUND, TOKEN_NOT_FOUND } from '../outcomes.ts'
import type { QrCodeKey } from '../qr-codes/rows.ts'
import { toMilliseconds } from '../time.ts'
import { changeToken } from '../tokens/changes.ts'
import { endBinding } from '../tokens/end-binding.ts'
import type { TokenRow } from '../tokens/rows.ts'
import type { TokenOfAccount } from '../tokens/tokens.ts'
import { withdrawCharges } from './withdrawals.ts'

/**
 * Deletes a token, and queues the instruction to the network, unless its expiry did; again, it changes nothing.
 * @returns payin.resource.not.found where the account has no such token; site.restored, network.changed or network.not.connected
 */
export function deleteToken(
  context: Context,
  { hash, account }: TokenOfAccount,
  connection: Connection,
): Outcome<void> {
  const { sql } = context
  const found = tokenForWrite(context, { hash })
  if (!found?.binding_uid || found.account !== account) return TOKEN_NOT_FOUND
  if (found.status === 'DELETED') return ok(undefined)
  const refusal = refuseInstruction(sql, found.network, connection)
  if (refusal) return refusal
  endToken(context, found)
  return ok(undefined)
}

/**
 * The payer ends the token that the page of a link showed. One that has ended meanwhile, or is of another QR code, stays as it is.
 * @param bindingUid of the token
 */
export function endTokenByPayer(context: Context, key: QrCodeKey, bindingUid: string): Outcome<void> {
  const row = qrCodeForWrite(context, key)
  if (!row) return QR_CODE_NOT_FOUND
  const found = tokenForWrite(context, { bindingUid })
  if (found?.status === 'CREATED' && found.qr_code === row.number) endToken(context, found)
  return ok(undefined)
}

/** Ends a token that can be charged, or has expired: its binding at the network, and its charges that were not sent. */
function endToken(context: Context, token: TokenRow): void {
  const { sql, now } = context
  const event = changeToken(context, token, 'DELETED', qrCodeForWrite(context, { number: token.qr_code }))
  if (token.event === null) endBinding(sql, token, { event, now: toMilliseconds(now) })
  withdrawCharges(context, token)
}
