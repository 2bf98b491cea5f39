// The saved account that the page of its link shows to its payer (contract, section 13).
import type { Amount } from '../../contract/amount.ts'
import type { EndedBinding } from '../../contract/audit.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { isReusable } from '../../contract/qr-code.ts'
import type { Token } from '../../contract/token.ts'
import { tokenAt } from '../clock.ts'
import type { Context } from '../context.ts'
import type { QrCodeRow } from '../qr-codes/rows.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import { type TokenRow, tokenOf, tokenRows } from '../tokens/rows.ts'
import { PURPOSE_OF_PAYMENT } from './rows.ts'

/** A charge of the saved account; times are Unix seconds. */
export interface ChargeOfToken {
  amount: Amount
  status: PaymentStatus
  /** When the merchant requested it. */
  createdAt: number
  /** Of a WAITING one: whether its instruction was sent, or may have been. */
  isSent: boolean
  /** What it was for. */
  purpose: string | undefined
}

/** A saved account, and its newest charges. */
export interface SavedAccount {
  token: Token
  bank: string | undefined
  binding: EndedBinding
  charges: ChargeOfToken[]
}

/** The charges that the page shows. */
const MAX_CHARGES = 100

/**
 * The token of a QR code that its page shows: the only one that can be charged, or the latest where none can. `several`: more can be
 * charged, perhaps of several customers. The link of a code that is paid many times is everybody's: it shows none.
 */
function shownToken(
  { sql, now }: Pick<Context, 'sql' | 'now'>,
  row: QrCodeRow,
): TokenRow | 'several' | undefined {
  if (isReusable(row) || row.tokens === null) return undefined
  const bound = tokenRows(
    sql,
    'WHERE tokens.qr_code = ? AND hash IS NOT NULL ORDER BY tokens.number',
    row.number,
  )
  const open = bound.filter((token) => tokenAt(token, now).status === 'CREATED')
  return open.length > 1 ? 'several' : (open[0] ?? bound.at(-1))
}

const readCharges = rowsWith({
  minor_units: int,
  currency: text,
  status: oneOf(PAYMENT_STATUSES),
  created_at: inSeconds,
  purpose: orNull(text),
  attempted: orNull(int),
})

/** The saved account that the page of a QR code shows. */
export function savedAccount(context: Context, row: QrCodeRow): SavedAccount | 'several' | undefined {
  const token = shownToken(context, row)
  if (token === 'several') return token
  if (!token || token.binding_uid === null) return undefined
  return {
    token: tokenOf(token, tokenAt(token, context.now).status),
    bank: token.bank ?? undefined,
    binding: { bindingUid: token.binding_uid, network: token.network },
    charges: chargesOf(context.sql, token.number),
  }
}

/** The newest charges of a token. */
const chargesOf = (sql: SqlStorage, token: number): ChargeOfToken[] =>
  readCharges(
    sql,
    `SELECT minor_units, currency, status, created_at, ${PURPOSE_OF_PAYMENT} AS purpose,
       (SELECT attempted FROM outbox WHERE outbox.event = payments.event AND kind = 'instruction') AS attempted FROM payments INDEXED BY payments_by_token
       WHERE token = ? ORDER BY number DESC LIMIT ?`,
    ...[token, MAX_CHARGES],
  ).map(({ minor_units: minorUnits, currency, status, created_at, purpose, attempted }) => ({
    amount: { minorUnits, currency },
    status,
    createdAt: created_at,
    isSent: attempted !== 0,
    purpose: purpose ?? undefined,
  }))
