// Rows of the table `tokens`, with checked types.

import { NETWORKS } from '../../contract/payment.ts'
import { ENDED_BY, last4Of, TOKEN_STATUSES, type Token, type TokenStatus } from '../../contract/token.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { type Binding, columnOf } from '../rows/sql.ts'

const readRows = rowsWith({
  number: int,
  // Null while the network has reported no binding.
  binding_uid: orNull(text),
  qr_code: orNull(int),
  qr_code_uid: orNull(text),
  // The connector's own text of the QR code.
  reference: orNull(text),
  link_id: text,
  account: text,
  status: oneOf(TOKEN_STATUSES),
  value: orNull(text),
  bank: orNull(text),
  reason: orNull(text),
  network: oneOf(NETWORKS),
  changed_at: inSeconds,
  // When the clock rejects the token while it is WAITING, and when the token expires.
  due_at: orNull(inSeconds),
  // due_at of a token that the clock ends; otherwise the time when the token got its status.
  at: orNull(inSeconds),
  // The number of the instruction that ends its binding.
  event: orNull(int),
  // The connector's own text of the binding.
  binding_reference: orNull(text),
  // Null of a token that 0.3.0 ended, and of one that has not ended.
  ended_by: orNull(oneOf(ENDED_BY)),
})
/** A token with the identifier of its QR code. */
export type TokenRow = ReturnType<typeof readRows>[number]

/** What a token's state is made from. */
export type TokenState = Pick<TokenRow, 'status' | 'value' | 'due_at' | 'ended_by' | 'event' | 'changed_at'>

const ofQrCode = (column: string) => columnOf('qr_codes', 'tokens.qr_code', column)

const TOKENS = `SELECT tokens.*, ${ofQrCode('qr_code_uid')} AS qr_code_uid,
    ${ofQrCode('reference')} AS reference FROM tokens`

/** The tokens that the clauses after FROM select. */
export const tokenRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]): TokenRow[] =>
  readRows(sql, `${TOKENS} ${clauses}`, ...bindings)

/** The same for the export, which no row fails. */
export const exportedTokenRows = (sql: SqlStorage, clauses: string, ...bindings: Binding[]) =>
  readRows.numbered(sql, `${TOKENS} ${clauses}`, ...bindings)

/** The token of a row. @param status that it has now */
export function tokenOf(row: TokenState, status: TokenStatus): Token {
  if (row.value === null) return { status }
  return {
    status,
    ...(status === 'CREATED' && { value: row.value }),
    last4: last4Of(row.value),
    expiresAt: row.due_at ?? undefined,
    ended: endOf(row, status),
  }
}

/**
 * Who ended a token, and when. Where 0.3.0 recorded the end, an instruction of its own says that the merchant deleted it.
 * @param status that it has now
 */
function endOf(row: TokenState, status: TokenStatus): Token['ended'] {
  const { ended_by, event, changed_at, due_at } = row
  // The read of an end that is not recorded derives it.
  const at = row.status === status ? changed_at : (due_at ?? changed_at)
  if (status === 'EXPIRED') return { by: 'clock', at }
  return status === 'DELETED' ? { by: ended_by ?? (event === null ? 'network' : 'merchant'), at } : undefined
}

/** A token, by the hash of its value or by its binding. Values are not compared: the index has their hashes. */
export type TokenKey = { hash: string } | { bindingUid: string }

export const findToken = (sql: SqlStorage, key: TokenKey): TokenRow | undefined =>
  'hash' in key
    ? tokenRows(sql, 'WHERE hash = ?', key.hash)[0]
    : tokenRows(sql, 'WHERE binding_uid = ?', key.bindingUid)[0]
