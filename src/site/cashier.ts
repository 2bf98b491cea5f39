// What exists for a cashier: some tills, and of their sales the own ones (contract, section 2, scope merchant:till).
import { grants } from '../contract/access-token.ts'
import type { LatestPayment } from '../contract/latest-payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import type { Context, Initiator } from './context.ts'
import type { QrCodeRow } from './qr-codes/rows.ts'
import { integer } from './rows/sql.ts'

/** Whether somebody sees no more than that: a scope that reads the site sees all sales. */
export const isCashier = ({ scopes = [] }: Pick<Initiator, 'scopes'>): boolean =>
  scopes.includes('merchant:till') && !grants({ scope: scopes }, ['merchant', 'merchant:read'])

/** Whether a QR code exists for the caller. */
export const isVisible = (
  { by }: Pick<Context, 'by'>,
  { type, qr_code_uid: uid }: Pick<QrCodeRow, 'type' | 'qr_code_uid'>,
): boolean => !isCashier(by) || (type === 'COUNTER' && (by.tills?.includes(uid) ?? true))

/** The number of the caller's row of `callers`, which the sales of a cashier have; undefined before the first event or sale. */
const callerNumber = ({ sql, by }: Pick<Context, 'sql' | 'by'>): number | undefined =>
  integer(
    sql,
    'SELECT number FROM callers WHERE actor = ? AND key_id = ? AND person = ?',
    ...[by.actor, by.keyId ?? '', by.person?.id ?? ''],
  )

/** Whose sales the caller sees: undefined for those of everybody, -1 for none. */
export const ownCaller = (context: Pick<Context, 'sql' | 'by'>): number | undefined =>
  isCashier(context.by) ? (callerNumber(context) ?? -1) : undefined

/** Whether the caller sees a sale. @param caller of the sale's row: NULL of one that 0.3.0 made, which is nobody's */
export function isOwnSale(
  context: Pick<Context, 'sql' | 'by'>,
  { caller }: { caller: number | null },
): boolean {
  const own = ownCaller(context)
  return own === undefined || caller === own
}

/** The payment of a sale as its cashier sees it: the address of a receipt shows the payer's contact. */
export const paymentOfTill = (payment: LatestPayment | undefined): LatestPayment | undefined =>
  payment && { ...payment, receipt: undefined }

/** A till as its cashier sees it: another one's sale and its payment are not shown. */
export function tillOf(context: Pick<Context, 'sql' | 'by'>, code: QrCode): QrCode {
  const own = ownCaller(context)
  if (own === undefined) return code
  const isOwn = (saleUid: string | undefined): boolean =>
    saleUid !== undefined &&
    integer(
      context.sql,
      `SELECT 1 FROM sales WHERE sale_uid = ? AND qr_code = (SELECT number FROM qr_codes WHERE qr_code_uid = ?) AND caller = ?`,
      ...[saleUid, code.qrCodeUid, own],
    ) === 1
  const { payment, sale } = code
  return {
    ...code,
    payment: isOwn(payment?.saleUid) ? paymentOfTill(payment) : undefined,
    sale: isOwn(sale?.saleUid) ? sale : undefined,
  }
}
