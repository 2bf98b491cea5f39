// What the payer's page shows of a receipt: whether it asks for a contact, and the link once the document is registered.
import { capabilitiesOf } from '../../contract/receipts/cash-register.ts'
import type { PayerReceipt } from '../../contract/receipts/payer-receipt.ts'
import type { Context } from '../context.ts'
import type { QrCodeRow } from '../qr-codes/rows.ts'
import { fiscalIn } from '../rows/receipts.ts'
import type { SaleRow } from '../sales/rows.ts'
import { hasContact } from './contacts.ts'
import { askedOf } from './given-contact.ts'
import { saleDocument } from './rows.ts'
import { termsOf } from './terms.ts'

/**
 * The receipt of a DYNAMIC code, or of a sale of a COUNTER one; undefined where the page shows none.
 * @param sale that the payer follows
 */
export function payerReceipt(
  context: Pick<Context, 'sql' | 'now'>,
  row: QrCodeRow,
  sale?: SaleRow,
): PayerReceipt | undefined {
  const { sql } = context
  const of = sale ?? row
  if (of.receipt_terms === null || (row.type !== 'DYNAMIC' && !sale)) return undefined
  const asked = askedOf(context, row, sale)
  const document = of.payment === null ? undefined : saleDocument(sql, of.payment)
  if (!asked && !document) return undefined
  const contact = asked && {
    kinds: capabilitiesOf(termsOf(sql, asked.terms).register).contacts,
    isGiven: hasContact(sql, asked.owner),
  }
  return {
    contact,
    isPending: document?.state === 'WAITING' || document?.state === 'SENT',
    registered:
      document?.state === 'REGISTERED'
        ? {
            receiptUid: document.receipt_uid,
            url: document.fiscal === null ? undefined : fiscalIn(document.fiscal).url,
          }
        : undefined,
  }
}
