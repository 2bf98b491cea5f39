// The receipt of a payment: the lines of the cart or the order that it pays.
import {
  type AmountInput,
  type CreateQrCode,
  type OrderLine,
  receiptContact,
  receiptItems,
  receiptVat,
  toKopecks,
} from '@fps-qr/client'
import type { BigNumberInput, MedusaContainer } from '@medusajs/framework/types'
import { z } from '@medusajs/framework/zod'
import { amountOf, Money } from './codes.js'
import { firstOf, ownerOfSession } from './owner.js'

const TaxLines = z.array(z.object({ rate: z.coerce.number() })).nullish()
const Priced = z.object({ total: Money, tax_lines: TaxLines })
const Goods = z.object({
  email: z.string().nullish(),
  items: z.array(Priced.extend({ title: z.string(), quantity: z.coerce.number() })),
  shipping_methods: z.array(Priced.extend({ name: z.string() })).default([]),
})

/** Medusa computes a total only where it has read all that the total is made of. */
const FIELDS = [
  ...['email', 'currency_code', 'total', 'credit_lines.*'],
  ...['items', 'shipping_methods'].flatMap((each) => [
    ...[`${each}.*`, `${each}.total`, `${each}.tax_lines.*`, `${each}.adjustments.*`],
  ]),
]

const vatOf = (lines: z.infer<typeof TaxLines>) => receiptVat((lines ?? []).map(({ rate }) => rate))

/**
 * The receipt of a session: its items add up to the amount to the kopeck, whatever the discounts, taxes and gift cards are.
 * @returns undefined where the session pays for no goods
 */
export async function receiptOf(
  container: MedusaContainer,
  sessionId: string,
  amount: AmountInput,
  vatFromTaxes: boolean,
): Promise<CreateQrCode['receipt']> {
  const goods = await goodsOf(container, sessionId)
  if (!goods || goods.items.length === 0) return undefined
  const kopecks = (total: BigNumberInput) => toKopecks(amountOf(total, amount.currency ?? 'RUB').value)
  const lines: OrderLine[] = [
    ...goods.items.map(({ title, quantity, total, tax_lines }) => ({
      ...{ name: title, quantity: String(quantity), kopecks: kopecks(total) },
      ...(vatFromTaxes && vatOf(tax_lines)),
    })),
    ...goods.shipping_methods
      .map(({ name, total, tax_lines }) => ({
        ...{ name, kopecks: kopecks(total), object: 'service' as const },
        ...(vatFromTaxes && vatOf(tax_lines)),
      }))
      // A delivery free of charge is no line of a receipt.
      .filter((line) => line.kopecks > 0),
  ]
  const contact = receiptContact(goods)
  return { items: receiptItems(lines, toKopecks(amount.value)), ...(contact && { contact }) }
}

/** The cart of a session, or the order that has no cart: a draft, an edit. */
async function goodsOf(container: MedusaContainer, sessionId: string) {
  const { orderId, cartId } = await ownerOfSession(container, sessionId)
  if (orderId !== undefined) return Goods.parse(await firstOf(container, 'order', FIELDS, { id: orderId }))
  return cartId === undefined
    ? undefined
    : Goods.parse(await firstOf(container, 'cart', FIELDS, { id: cartId }))
}
