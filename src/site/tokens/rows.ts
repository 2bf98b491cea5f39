// Rows of the table `tokens`, with checked types.

import { NETWORKS } from '../../contract/payment.ts'
import { last4Of, TOKEN_STATUSES, type Token, type TokenStatus } from '../../contract/token.ts'
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
})
/** A token with the identifier of its QR code. */
export type TokenRow = ReturnType<typeof readRows>[number]

/** What a token's state is made from. */
export type TokenState = Pick<TokenRow, 'status' | 'value' | 'due_at'>

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
  }
}

/** A token, by the hash of its value or by its binding. Values are not compared: the index has their hashes. */
export type TokenKey = { hash: string } | { bindingUid: string }

export const findToken = (sql: SqlStorage, key: TokenKey): TokenRow | undefined =>
  'hash' in key
    ? tokenRows(sql, 'WHERE hash = ?', key.hash)[0]
    : tokenRows(sql, 'WHERE binding_uid = ?', key.bindingUid)[0]
