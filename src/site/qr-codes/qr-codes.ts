// How a site reads and cancels its QR codes.
import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import { transition } from '../../contract/status.ts'
import type { Outcome } from '../../errors.ts'
import { isVisible, tillOf } from '../cashier.ts'
import { openSaleForWrite, qrCodeForWrite } from '../clock.ts'
import type { Context } from '../context.ts'
import { cancelLink } from '../outbox/cancel-link.ts'
import { notAllowed, ok, QR_CODE_NOT_FOUND } from '../outcomes.ts'
import { endSale, type SaleAtBank, saleAtBank } from '../sales/changes.ts'
import { changeStatus } from './changes.ts'
import { qrCodeOf } from './qr-code.ts'
import { findQrCode, isOfBank, type QrCodeKey, type QrCodeRow, qrCodeByNumber } from './rows.ts'

/** What there is of a QR code. @returns payin.resource.not.found */
export function ofQrCode<T>(sql: SqlStorage, key: QrCodeKey, use: (row: QrCodeRow) => T): Outcome<T> {
  const row = findQrCode(sql, key)
  return row ? ok(use(row)) : QR_CODE_NOT_FOUND
}

/** A QR code as it stands. @returns payin.resource.not.found */
export function readQrCode(context: Context, key: QrCodeKey): Outcome<QrCode> {
  const row = findQrCode(context.sql, key)
  return row && isVisible(context, row) ? ok(tillOf(context, qrCodeOf(row, context.now))) : QR_CODE_NOT_FOUND
}

/** A sale for which a bank has armed the link of a code, or may have. */
export type ArmedSale = SaleAtBank & { saleUid: string }

/**
 * Cancels a QR code that can be paid; a second call changes nothing. Where a bank has armed the link for a sale, the bank
 * must be told first: until then nothing changes, and the sale is returned.
 * @param disarmed the saleUid of the sale of which the bank was told
 * @returns payin.resource.not.found
 */
export function cancelQrCode(
  context: Context,
  key: QrCodeKey,
  disarmed?: string,
): Outcome<QrCode | { armed: ArmedSale }> {
  const { sql, now } = context
  const row = qrCodeForWrite(context, key)
  if (!row) return QR_CODE_NOT_FOUND
  if (row.status === 'CANCELLED') return ok(qrCodeOf(row, now))
  if (!transition(row.status, 'cancel')) {
    return notAllowed(`the QR code is ${row.status}, must be CREATED or DECLINED to be cancelled`)
  }
  if (row.type === 'COUNTER') {
    const sale = openSaleForWrite(context, row)
    if (sale && isOfBank(row) && sale.sale_uid !== disarmed) {
      return ok({ armed: { ...saleAtBank(row, sale), saleUid: sale.sale_uid } })
    }
    if (sale?.status === 'ACTIVE') endSale(context, sale, 'CANCELLED')
  }
  const { status, event } = changeStatus(context, row, { action: 'cancel' })
  if (isReusable(row)) sql.exec('UPDATE qr_codes SET early_end_at = ? WHERE number = ?', now, row.number)
  cancelLink(context, row, event)
  const cancelled = qrCodeByNumber(sql, row.number) ?? { ...row, status }
  return ok(qrCodeOf(cancelled, now))
}
