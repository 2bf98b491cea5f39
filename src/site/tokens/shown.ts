// Which token of a QR code its payer's page shows (contract, section 13).
import { isReusable } from '../../contract/qr-code.ts'
import { tokenAt } from '../clock.ts'
import type { Context } from '../context.ts'
import type { QrCodeRow } from '../qr-codes/rows.ts'
import { type TokenRow, tokenRows } from './rows.ts'

/**
 * The token of a QR code that its page shows: the only one that can be charged, or the latest where none can. `several`: more can be
 * charged, perhaps of several customers. The link of a code that is paid many times is everybody's: it shows none.
 */
export function shownToken(
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
