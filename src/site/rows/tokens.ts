// Rows of tokens.

import { NETWORKS } from '../../contract/payment.ts'
import {
  type ListedToken,
  last4Of,
  TOKEN_STATUSES,
  type Token,
  type TokenStatus,
} from '../../contract/token.ts'
import type { Seconds } from '../time.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from './columns.ts'
import { type Binding, columnOf } from './sql.ts'

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
  // When the clock rejects it while it is WAITING, and when it expires.
  due_at: orNull(inSeconds),
  // The number of the instruction that deletes it.
  event: orNull(int),
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

/** What the clock makes of a token. */
const ENDS: Partial<Record<TokenStatus, 'REJECTED' | 'EXPIRED'>> = { WAITING: 'REJECTED', CREATED: 'EXPIRED' }

/** The status that the clock gives a token at a time; undefined if it gives none, or is not due yet. */
export const dueStatusOf = ({ status, due_at }: TokenState, now: Seconds) =>
  due_at !== null && now >= due_at ? ENDS[status] : undefined

/** When the clock changes the token. */
export const tokenDueAt = ({ status, due_at }: TokenState): Seconds | undefined =>
  ENDS[status] && due_at !== null ? due_at : undefined

/** The token of a row, as it stands at a time. */
export function tokenOf(row: TokenState, now: Seconds): Token {
  const status = dueStatusOf(row, now) ?? row.status
  if (row.value === null) return { status }
  return {
    status,
    ...(status === 'CREATED' && { value: row.value }),
    last4: last4Of(row.value),
    expiresAt: row.due_at ?? undefined,
  }
}

export const listedTokenOf = (row: TokenRow, now: Seconds): ListedToken => ({
  ...tokenOf(row, now),
  qrCodeUid: row.qr_code_uid ?? undefined,
  bankMemberId: row.bank ?? undefined,
})
