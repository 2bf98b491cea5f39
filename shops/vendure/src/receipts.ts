// The receipt of an order: its lines, delivery and surcharges, which add up to what is paid.
import { type CreateQrCode, type OrderLine, receiptContact, receiptItems, receiptVat } from '@fps-qr/client'
import type { TaxLine } from '@vendure/common/lib/generated-types'
import type { Order } from '@vendure/core'

/** @param kopecks what is paid now */
export function receiptOf(
  order: Order,
  kopecks: number,
  vatFromTaxes: boolean,
): NonNullable<CreateQrCode['receipt']> {
  const vatOf = (taxLines: readonly TaxLine[]) =>
    vatFromTaxes ? receiptVat(taxLines.map(({ taxRate }) => taxRate)) : {}
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
  const { emailAddress, phoneNumber } = order.customer ?? {}
  const contact = receiptContact({ email: emailAddress, phone: phoneNumber ?? '' })
  return { items: receiptItems(lines, kopecks), ...(contact && { contact }) }
}
