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
import { ContainerRegistrationKeys, OrderStatus } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'
import { amountOf } from './codes.js'

const Money = z.custom<BigNumberInput>((value) => value !== undefined && value !== null)
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

/** Whether a session is of an order that is cancelled. */
export async function isOfCancelledOrder(container: MedusaContainer, sessionId: string): Promise<boolean> {
  const { orderId } = await ownerOf(container, sessionId)
  if (orderId === undefined) return false
  const order = await firstOf(container, 'order', ['status'], { id: orderId })
  return order?.status === OrderStatus.CANCELED
}

/** The cart of a session, or the order that has no cart: a draft, an edit. */
async function goodsOf(container: MedusaContainer, sessionId: string) {
  const { orderId, cartId } = await ownerOf(container, sessionId)
  if (orderId !== undefined) return Goods.parse(await firstOf(container, 'order', FIELDS, { id: orderId }))
  return cartId === undefined
    ? undefined
    : Goods.parse(await firstOf(container, 'cart', FIELDS, { id: cartId }))
}

const Id = z.string().optional()

/** What a session pays for: the order, once there is one. */
async function ownerOf(
  container: MedusaContainer,
  sessionId: string,
): Promise<{ orderId?: string | undefined; cartId?: string | undefined }> {
  const session = await firstOf(container, 'payment_session', ['payment_collection_id'], { id: sessionId })
  const filters = { payment_collection_id: session?.payment_collection_id }
  if (typeof filters.payment_collection_id !== 'string') return {}
  const order = await firstOf(container, 'order_payment_collection', ['order_id'], filters)
  if (order) return { orderId: Id.parse(order.order_id) }
  const cart = await firstOf(container, 'cart_payment_collection', ['cart_id'], filters)
  return { cartId: Id.parse(cart?.cart_id) }
}

async function firstOf(
  container: MedusaContainer,
  entity: string,
  fields: string[],
  filters: Record<string, unknown>,
) {
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const { data } = await query.graph({ entity, fields, filters })
  return z.array(z.record(z.string(), z.unknown())).parse(data)[0]
}
