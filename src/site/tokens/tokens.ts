// The tokens of a site: found by the hash of their value, listed, deleted by the merchant (contract, section 9).
import type { PageQuery } from '../../contract/query.ts'
import type { ListedToken } from '../../contract/token.ts'
import type { Outcome } from '../../errors.ts'
import { qrCodeForWrite, tokenForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { type Connection, refuseInstruction } from '../outbox/connection.ts'
import { ok, TOKEN_NOT_FOUND } from '../outcomes.ts'
import { pageOf } from '../rows/page.ts'
import { toMilliseconds } from '../time.ts'
import { changeToken } from './changes.ts'
import { endBinding } from './end-binding.ts'
import { tokenRows } from './rows.ts'
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

/** A page of the tokens that an account got, newest first. */
export function tokensOfAccount(
  { sql, now }: Context,
  account: string,
  { cursor = Number.MAX_SAFE_INTEGER, limit }: PageQuery,
): TokenPage {
  const read = tokenRows(
    sql,
    'WHERE account = ? AND value IS NOT NULL AND tokens.number < ? ORDER BY tokens.number DESC LIMIT ?',
    ...[account, cursor, limit + 1],
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
  const { sql, now } = context
  const found = tokenForWrite(context, { hash })
  if (!found?.binding_uid || found.account !== account) return TOKEN_NOT_FOUND
  if (found.status === 'DELETED') return ok(undefined)
  const refusal = refuseInstruction(sql, found.network, connection)
  if (refusal) return refusal
  const event = changeToken(context, found, 'DELETED', qrCodeForWrite(context, { number: found.qr_code }))
  if (found.event === null) endBinding(sql, found, { event, now: toMilliseconds(now) })
  return ok(undefined)
}
