// Identifiers that callers choose: the merchant for its requests, the network for its payments.
import * as z from 'zod/mini'
import { meta } from './meta.ts'
import { hasAtMost } from './text.ts'

const QR_CODE_UID_RULE = '1 to 200 characters of Unicode text without control characters, not . or ..'

/** Compared byte for byte (contract, section 3). */
export const QrCodeUid = z
  .string(QR_CODE_UID_RULE)
  .check(
    z.refine(
      (uid) => !/^\.{0,2}$/.test(uid) && hasAtMost(200, uid) && uid.isWellFormed() && !/\p{Cc}/u.test(uid),
      QR_CODE_UID_RULE,
    ),
  )
  .apply(meta, {
    minLength: 1,
    maxLength: 200,
    description: `Your identifier of the QR code, unique within the site: ${QR_CODE_UID_RULE}`,
    examples: ['order-1001'],
  })

/** The parameters of a path that names a QR code, besides siteId. */
export const QrCodePath = z.object({ qrCodeUid: QrCodeUid })
export type QrCodePath = z.output<typeof QrCodePath>

const UID_RULE = '1 to 64 of A-Z a-z 0-9 . _ -'
const Uid = z.string(UID_RULE).check(z.regex(/^[A-Za-z0-9._-]{1,64}$/, UID_RULE))

/** The merchant's identifier of a refund (contract, section 8). */
export const RefundUid = Uid.apply(meta, {
  description: 'Your identifier of the refund, unique within the payment',
  examples: ['refund-1'],
})

/** The merchant's identifier of a sale (contract, section 15). */
export const SaleUid = Uid.apply(meta, {
  description: 'Your identifier of the sale, unique within the QR code',
  examples: ['receipt-1'],
})

/** The merchant's identifier of a closing receipt (contract, section 18). */
export const ClosingUid = Uid.apply(meta, {
  description: 'Your identifier of the closing receipt, unique within the payment',
  examples: ['closing-1'],
})

const RECEIPT_UID_RULE = '32 of A-Z 0-9'

/** The key of a document at its cash register, which the service derives (contract, section 18). */
export const ReceiptUid = z
  .string(RECEIPT_UID_RULE)
  .check(z.regex(/^[0-9A-Z]{32}$/, RECEIPT_UID_RULE))
  .apply(meta, {
    description: 'The identifier of the receipt',
    examples: ['4T0QJ2M8S1V6B3K9C7N5D0F2G8H4R1L6'],
  })

const SETTLEMENT_UID_RULE =
  '1 to 200 characters of Unicode text without control characters, not ., .. or entries'

/** The merchant's identifier of an imported file (contract, section 19). */
export const SettlementUid = QrCodeUid.check(z.refine((uid) => uid !== 'entries', SETTLEMENT_UID_RULE)).apply(
  meta,
  {
    description: `Your identifier of the file, unique within the site: ${SETTLEMENT_UID_RULE}`,
    examples: ['tbank-2026-11-20'],
  },
)

/** The network's identifier of a binding (contract, section 9). */
export const BindingUid = Uid.apply(meta, {
  description: 'The network’s identifier of the binding',
  examples: ['B6325171030000001'],
})

/** The network's identifier of a payment (contract, section 7). */
export const PaymentUid = Uid.apply(meta, {
  description: 'The network’s identifier of the payment',
  examples: ['A6325171030000001'],
})
