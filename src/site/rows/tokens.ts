// Rows of tokens.
import type { Network } from '../../contract/payment.ts'
import { type ListedToken, last4Of, type Token, type TokenStatus } from '../../contract/token.ts'

/** A token with the identifier of its QR code; times are Unix seconds. */
export type TokenRow = {
  number: number
  /** Null while the network has reported no binding. */
  binding_uid: string | null
  qr_code: number | null
  qr_code_uid: string | null
  link_id: string
  account: string
  status: TokenStatus
  value: string | null
  bank: string | null
  reason: string | null
  network: Network
  changed_at: number
  /** When the clock rejects it while it is WAITING, and when it expires. */
  due_at: number | null
  /** The number of the instruction that deletes it. */
  event: number | null
}

/** What a token's state is made from. */
export type TokenState = Pick<TokenRow, 'status' | 'value' | 'due_at'>

const TOKENS = `SELECT tokens.*, qr_code_uid FROM tokens LEFT JOIN qr_codes ON qr_codes.number = tokens.qr_code`

/** The tokens that the clauses after FROM select. */
export const tokenRows = (sql: SqlStorage, clauses: string, ...bindings: SqlStorageValue[]): TokenRow[] =>
  sql.exec<TokenRow>(`${TOKENS} ${clauses}`, ...bindings).toArray()

/** What the clock makes of a token. */
const ENDS: Partial<Record<TokenStatus, 'REJECTED' | 'EXPIRED'>> = { WAITING: 'REJECTED', CREATED: 'EXPIRED' }

/** The status that the clock gives a token at a time; undefined where it gives none, or is not due yet. */
export const dueStatusOf = ({ status, due_at }: TokenState, now: number) =>
  due_at !== null && now >= due_at ? ENDS[status] : undefined

/** When the clock changes the token, in Unix seconds. */
export const tokenDueAt = ({ status, due_at }: TokenState): number | undefined =>
  ENDS[status] && due_at !== null ? due_at : undefined

/** The token of a row, as it stands at a time. */
export function tokenOf(row: TokenState, now: number): Token {
  const status = dueStatusOf(row, now) ?? row.status
  if (row.value === null) return { status }
  return {
    status,
    ...(status === 'CREATED' && { value: row.value }),
    last4: last4Of(row.value),
    expiresAt: row.due_at ?? undefined,
  }
}

export const listedTokenOf = (row: TokenRow, now: number): ListedToken => ({
  ...tokenOf(row, now),
  qrCodeUid: row.qr_code_uid ?? undefined,
  bankMemberId: row.bank ?? undefined,
})
