// The tokens of a site: found by the hash of their value, listed, ended by the merchant or the payer (contract, section 9).
import type { PageQuery } from '../../contract/query.ts'
import type { ListedToken } from '../../contract/token.ts'
import type { Outcome } from '../../errors.ts'
import { qrCodeForWrite, recordTokenEnd, tokenForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { type Connection, refuseInstruction } from '../outbox/connection.ts'
import { ok, QR_CODE_NOT_FOUND, TOKEN_NOT_FOUND } from '../outcomes.ts'
import { withdrawCharges } from '../payments/charges.ts'
import type { QrCodeKey } from '../qr-codes/rows.ts'
import { pageOf } from '../rows/page.ts'
import { toMilliseconds } from '../time.ts'
import { changeToken } from './changes.ts'
import { endBinding } from './end-binding.ts'
import { shownToken } from './payer.ts'
import { type TokenRow, tokenRows } from './rows.ts'
import { listedTokenOf } from './token.ts'

/** A token as its holder names it: the hash of its value, and the customer's account. */
export interface TokenOfAccount {
  hash: string
  account: string
}

export interface TokenPage {
  tokens: ListedToken[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A page of the tokens that an account got, or all accounts, newest first. */
export function listTokens(
  { sql, now }: Context,
  account: string | undefined,
  { cursor = Number.MAX_SAFE_INTEGER, limit }: PageQuery,
): TokenPage {
  const [range, ...of] = account === undefined ? [''] : ['account = ? AND', account]
  const read = tokenRows(
    sql,
    `WHERE ${range} value IS NOT NULL AND tokens.number < ? ORDER BY tokens.number DESC LIMIT ?`,
    ...[...of, cursor, limit + 1],
  )
  const { shown, next } = pageOf(read, limit, (row) => listedTokenOf(row, now))
  return { tokens: shown, next }
}

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

/** The payer ends the token that the page of a link shows; where it shows none that can be charged, nothing changes. */
export function endTokenByPayer(context: Context, key: QrCodeKey): Outcome<void> {
  const row = qrCodeForWrite(context, key)
  if (!row) return QR_CODE_NOT_FOUND
  const shown = shownToken(context, row)
  const found = shown === undefined || shown === 'several' ? undefined : recordTokenEnd(context, shown)
  if (found?.status === 'CREATED') endToken(context, found)
  return ok(undefined)
}

/** Ends a token that can be charged, or has expired: its binding at the network, and its charges that were not sent. */
function endToken(context: Context, token: TokenRow): void {
  const { sql, now } = context
  const event = changeToken(context, token, 'DELETED', qrCodeForWrite(context, { number: token.qr_code }))
  if (token.event === null) endBinding(sql, token, { event, now: toMilliseconds(now) })
  withdrawCharges(context, token)
}
