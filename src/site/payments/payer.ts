// The data of a site that a payer gets, who has only a link (contract, section 13).

import { CUSTOMER_REFUSED } from '../../contract/payment.ts'
import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import type { PayerReceipt } from '../../contract/receipts/payer-receipt.ts'
import type { Outcome } from '../../errors.ts'
import type { Context } from '../context.ts'
import { SITE_DELETED } from '../outcomes.ts'
import { qrCodeOf } from '../qr-codes/qr-code.ts'
import { ofQrCode } from '../qr-codes/qr-codes.ts'
import type { QrCodeKey, QrCodeRow } from '../qr-codes/rows.ts'
import { payerReceipt } from '../receipts/for-payer.ts'
import { orNull, rowsWith, text } from '../rows/columns.ts'
import { closingOf } from '../rows/site.ts'
import { openSale } from '../sales/rows.ts'
import { shownRedirectUrl } from '../settings/redirect-schemes.ts'
import { type StoredSettings, settingsRow } from '../settings/rows.ts'
import { type SavedAccount, savedAccount } from './saved-account.ts'

/** What the payer's page shows. */
export interface QrCodeWithShop {
  qrCode: QrCode
  shop: Shop
  /** The bank of the latest attempt, by its id in the network, where the network told it. */
  bank: string | undefined
  /** Whether the latest attempt was declined by the customer's own decision. */
  isRefused: boolean
  /** The account that was saved by the link; `several`: the page shows none of them. */
  saved: SavedAccount | 'several' | undefined
  /** Whether the operator has deleted the site: only the saved account is shown, so that it can be ended. */
  isDeleted: boolean
  /** The receipt (54-FZ) of a DYNAMIC code, or of the ACTIVE sale of a COUNTER one. */
  receipt?: PayerReceipt | undefined
}

/** What a payer sees of the settings. */
export type Shop = Pick<
  StoredSettings,
  'name' | 'supportContact' | 'color' | 'logo' | 'legalName' | 'taxId' | 'digitalRouble'
>

/** A QR code as it stands, and the shop, for the payer's page. @returns payin.resource.not.found; site.deleted where there is nothing to end */
export function readForPayer(context: Context, key: QrCodeKey): Outcome<QrCodeWithShop> {
  const { sql, now } = context
  const found = ofQrCode(sql, key, (row) => {
    const { settings } = settingsRow(sql)
    const qrCode = qrCodeOf(row, now)
    return {
      qrCode: { ...qrCode, redirectUrl: shownRedirectUrl(qrCode.redirectUrl, settings) },
      shop: shopOf(settings),
      saved: savedAccount(context, row),
      isDeleted: closingOf(sql) !== undefined,
      receipt: payerReceipt(context, row, row.type === 'COUNTER' ? openSale(sql, row.number) : undefined),
      ...attemptOf(sql, row),
    }
  })
  return found.ok && found.value.isDeleted && typeof found.value.saved !== 'object' ? SITE_DELETED : found
}

/** The shop where a payer has a link of its site that leads to no QR code. */
export const readShop = (sql: SqlStorage): Shop => shopOf(settingsRow(sql).settings)

const shopOf = ({
  name,
  supportContact,
  color,
  logo,
  legalName,
  taxId,
  digitalRouble,
}: StoredSettings): Shop => ({
  name,
  supportContact,
  color,
  logo,
  legalName,
  taxId,
  digitalRouble,
})

const readAttempts = rowsWith({ bank: orNull(text), reason: orNull(text) })

/** The latest attempt to pay, or of a QR code that only binds an account to bind it. */
function attemptOf(sql: SqlStorage, row: QrCodeRow) {
  const { number, type, payment } = row
  // A QR code that is paid many times must not show a payer the attempts of others.
  if (isReusable(row)) return { bank: undefined, isRefused: false }
  const [attempt] =
    type === 'TOKEN'
      ? readAttempts(
          sql,
          'SELECT bank, reason FROM tokens WHERE qr_code = ? ORDER BY number DESC LIMIT 1',
          number,
        )
      : readAttempts(sql, 'SELECT payer_bank AS bank, reason FROM payments WHERE number = ?', payment)
  return { bank: attempt?.bank ?? undefined, isRefused: attempt?.reason === CUSTOMER_REFUSED }
}
