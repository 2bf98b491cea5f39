// The tokens of a site: found by the hash of their value, ended by the clock, deleted by the merchant (contract, section 9).
import type { PageQuery } from '../../contract/query.ts'
import type { ListedToken } from '../../contract/token.ts'
import type { Outcome } from '../../errors.ts'
import { atTime, type Context } from '../context.ts'
import { recordEvent } from '../events.ts'
import { type Connection, refuseInstruction } from '../outbox/connection.ts'
import { enqueueInstruction } from '../outbox/outbox.ts'
import { ok, TOKEN_NOT_FOUND } from '../outcomes.ts'
import { pageOf } from '../page.ts'
import { qrCodeByNumber } from '../rows/qr-codes.ts'
import { dueStatusOf, listedTokenOf, type TokenRow, tokenRows } from '../rows/tokens.ts'
import { toMilliseconds } from '../time.ts'
import { touchQrCode } from '../transitions.ts'

/** A token as its holder names it: the hash of its value, and the customer's account. */
export interface TokenKey {
  hash: string
  account: string
}

/** The row of the token with a value. Values are not compared: the index has their hashes. */
export const findToken = (sql: SqlStorage, hash: string): TokenRow | undefined =>
  tokenRows(sql, 'WHERE hash = ?', hash)[0]

export interface TokenPage {
  tokens: ListedToken[]
  /** After which number there are more; absent on the last page. */
  next?: number | undefined
}

/** A page of the tokens that an account got, newest first. */
export function tokensOf(
  { sql, now }: Context,
  account: string,
  { cursor = Number.MAX_SAFE_INTEGER, limit }: PageQuery,
): TokenPage {
  const read = tokenRows(
    sql,
    'WHERE account = ? AND value IS NOT NULL AND tokens.number < ? ORDER BY tokens.number DESC LIMIT ?',
    ...[account, cursor, limit + 1],
  )
  const { rows, next } = pageOf(read, limit)
  return { tokens: rows.map((row) => listedTokenOf(row, now)), next }
}

/**
 * Deletes a token, and queues the instruction to the network; again, it changes nothing.
 * @returns payin.resource.not.found where the account has no such token; site.restored, network.changed or network.not.connected
 */
export function deleteToken(
  context: Context,
  { hash, account }: TokenKey,
  connection: Connection,
): Outcome<void> {
  const { sql, now } = context
  const found = findToken(sql, hash)
  if (!found?.binding_uid || found.account !== account) return TOKEN_NOT_FOUND
  if (found.status === 'DELETED') return ok(undefined)
  const refusal = refuseInstruction(sql, found.network, connection)
  if (refusal) return refusal
  const event = changeToken(context, recordEnd(context, found), 'DELETED')
  const { number, network, qr_code, binding_uid: bindingUid, link_id: linkId } = found
  const row = { event, qrCode: qr_code ?? undefined, now: toMilliseconds(now) }
  const reference = found.reference ?? undefined
  enqueueInstruction(sql, row, network, { type: 'token.delete', linkId, reference, bindingUid })
  sql.exec('UPDATE tokens SET event = ? WHERE number = ?', event, number)
  return ok(undefined)
}

/** The tokens that the clock ends, as the beginning of a FROM clause that an AND can follow. */
export const ENDING_TOKENS = `tokens INDEXED BY tokens_by_due_at WHERE status IN ('WAITING', 'CREATED')`

/** Records the end of the tokens whose time is over, oldest first, at most `limit`. */
export function recordEnds(context: Context, limit: number): void {
  const due = tokenRows(
    context.sql,
    `WHERE tokens.number IN (SELECT number FROM ${ENDING_TOKENS} AND due_at <= ? ORDER BY due_at LIMIT ?)
     ORDER BY due_at`,
    ...[context.now, limit],
  )
  for (const row of due) recordEnd(context, row)
}

/** Records the end of a token if its time is over, so that the next change starts from there. */
export function recordEnd(context: Context, row: TokenRow): TokenRow {
  const status = dueStatusOf(row, context.now)
  if (!status) return row
  changeToken(atTime(context, row.due_at ?? context.now), row, status)
  return { ...row, status }
}

/** Changes the status of a token and records the event. @returns the number of the event */
function changeToken(context: Context, row: TokenRow, status: 'REJECTED' | 'DELETED' | 'EXPIRED'): number {
  const { sql, now } = context
  sql.exec('UPDATE tokens SET status = ?, changed_at = ? WHERE number = ?', status, now, row.number)
  return recordTokenEvent(context, { ...row, status, changed_at: now })
}

const EVENT_OF = {
  CREATED: 'token.created',
  REJECTED: 'token.rejected',
  DELETED: 'token.deleted',
  EXPIRED: 'token.expired',
} as const

/** Records the event of a token's new status. Its QR code shows the token: it has another version. @returns its number */
export function recordTokenEvent(context: Context, token: TokenRow): number {
  const { status } = token
  if (status === 'WAITING') throw new RangeError('the event of a token that waits')
  const row = qrCodeByNumber(context.sql, token.qr_code)
  const qrCode = row && touchQrCode(context, row)
  const details = { qrCode: qrCode?.number, status: qrCode?.status, token }
  return recordEvent(context, { type: EVENT_OF[status], ...details })
}
