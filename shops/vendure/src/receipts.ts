// The receipt of an order: its lines, delivery and surcharges, which add up to what is paid.
import { type CreateQrCode, type OrderLine, type ReceiptContact, receiptItems } from '@fps-qr/client'
import type { TaxLine } from '@vendure/common/lib/generated-types'
import type { Order } from '@vendure/core'

/** The rates that a receipt can state; others are left to the settings of the site. */
const RATES = ['5', '7', '10', '22'] as const

/** @param kopecks what is paid now */
export function receiptOf(
  order: Order,
  kopecks: number,
  vatFromTaxes: boolean,
): NonNullable<CreateQrCode['receipt']> {
  const vatOf = (taxLines: readonly TaxLine[]) => {
    const rate = vatFromTaxes && taxLines.length === 1 ? String(taxLines[0]?.taxRate) : undefined
    const vat = RATES.find((each) => each === rate)
    return vat ? { vat } : {}
  }
  const lines: OrderLine[] = order.lines
    .filter(({ quantity }) => quantity > 0)
    .map((line) => ({
      name: line.productVariant.name,
      quantity: String(line.quantity),
      kopecks: line.proratedLinePriceWithTax,
      ...vatOf(line.taxLines),
    }))
  for (const { shippingMethod, discountedPriceWithTax, taxLines } of order.shippingLines)
    if (discountedPriceWithTax > 0)
      lines.push({
        name: shippingMethod?.name || 'Доставка',
        kopecks: discountedPriceWithTax,
        object: 'service',
        ...vatOf(taxLines),
      })
  // A surcharge below zero is a discount: it lowers the prices of the others.
  for (const { description, priceWithTax, taxLines } of order.surcharges)
    if (priceWithTax > 0)
      lines.push({ name: description, kopecks: priceWithTax, object: 'service', ...vatOf(taxLines) })
  const contact = contactOf(order)
  return { items: receiptItems(lines, kopecks), ...(contact && { contact }) }
}

function contactOf({ customer }: Order): ReceiptContact | undefined {
  const { emailAddress = '', phoneNumber = '' } = customer ?? {}
  if (emailAddress !== '' && emailAddress.length <= 64) return { email: emailAddress }
  const phone = phoneNumber.replace(/[\s()-]/g, '')
  return /^\+\d{10,15}$/.test(phone) ? { phone } : undefined
}
