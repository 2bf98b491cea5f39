// The data of a site that a payer gets, who has only a link (contract, section 13).
import type { QrCode } from '../contract/qr-code.ts'
import type { Settings } from '../contract/settings.ts'
import type { Outcome } from '../errors.ts'
import type { Context } from './context.ts'
import { ofQrCode, type QrCodeKey } from './qr-codes.ts'
import { qrCodeOf } from './rows/qr-codes.ts'
import { settingsRow } from './rows/settings.ts'

/** What the payer's page shows. */
export interface QrCodeWithShop {
  qrCode: QrCode
  shop: Pick<Settings, 'name' | 'supportContact'>
}

/** A QR code as it stands, and the shop, for the payer's page. @returns payin.resource.not.found */
export const readForPayer = ({ sql, now }: Context, key: QrCodeKey): Outcome<QrCodeWithShop> =>
  ofQrCode(sql, key, (row) => {
    const { name, supportContact } = settingsRow(sql).settings
    return { qrCode: qrCodeOf(row, now), shop: { name, supportContact } }
  })
