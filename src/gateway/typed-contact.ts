// The contact that a payer typed on the page of a DYNAMIC code, or of a sale that the browser followed (contract, section 13).
import { isReusable } from '../contract/qr-code.ts'
import { typedContact } from '../contract/receipts/payer-receipt.ts'
import { ApiError } from '../errors.ts'
import type { QrCodeWithShop } from '../site/payments/payer.ts'
import type { QrCodeKey } from '../site/qr-codes/rows.ts'
import type { SiteContext } from './context.ts'
import { followedSale } from './followed-sale.ts'
import { isMarkOf, type Receipt } from './receipt.ts'
import { callSite } from './site-client.ts'

interface Page {
  key: QrCodeKey
  /** Of the link. */
  id: string
  current: QrCodeWithShop
}

interface Given {
  text: string
  /** Of the sale that the page showed. */
  mark: string | undefined
}

interface Taken {
  /** Whether the text is no contact that the cash register takes. */
  isInvalid: boolean
  /** The sale of the mark, where it is paid. */
  paid: Receipt | undefined
}

/**
 * Takes the contact, where the page still asks for one: an old page can have its form when the document is sent, or when another
 * sale is armed.
 */
export async function takeContact(
  site: SiteContext,
  { key, id, current: { qrCode, receipt: ofPage } }: Page,
  { text, mark }: Given,
): Promise<Taken> {
  const { siteId, service } = site
  const paid = isReusable(qrCode) ? await followedSale(site, key, id, mark) : undefined
  const active = qrCode.sale?.saleUid
  const isActive =
    mark !== undefined &&
    active !== undefined &&
    isMarkOf(mark, service.config.secrets, 'sale', siteId, id, active)
  const saleUid = paid?.saleUid ?? (isActive ? active : undefined)
  const receipt = paid ? paid.receipt : ofPage
  const isOfPage = saleUid !== undefined || !isReusable(qrCode)
  if (!isOfPage || !receipt?.contact) return { isInvalid: false, paid }
  const contact = typedContact(text, receipt.contact.kinds)
  if (!contact) return { isInvalid: true, paid }
  try {
    await callSite(site, (object) => object.giveContact(key, { contact, saleUid }))
  } catch (error) {
    // The document was sent meanwhile.
    if (!(error instanceof ApiError) || error.code !== 'payin.incorrect-method-invocation') throw error
  }
  return { isInvalid: false, paid }
}
