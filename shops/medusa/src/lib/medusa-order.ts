// An order of Medusa with its payments, read whole.
import { toKopecks } from '@fps-qr/client'
import type { MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, MathBN, MedusaError } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'
import { amountOf, Money } from './codes.js'

const Sum = z.object({ amount: Money })
const Sums = z.array(Sum).default([])
const Order = z.object({
  id: z.string(),
  status: z.string(),
  fulfillments: z.array(z.object({ canceled_at: z.unknown() })).default([]),
  payment_collections: z
    .array(
      z.object({
        metadata: z.unknown(),
        payment_sessions: z
          .array(z.object({ id: z.string(), provider_id: z.string(), data: z.unknown() }))
          .default([]),
        payments: z
          .array(
            z.object({
              ...{ id: z.string(), provider_id: z.string(), currency_code: z.string(), data: z.unknown() },
              captures: Sums,
              refunds: z.array(Sum.extend({ id: z.string(), metadata: z.unknown() })).default([]),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
})
export type Order = z.infer<typeof Order>
export type MedusaPayment = Order['payment_collections'][number]['payments'][number]

/** @throws MedusaError if there is none */
export async function readOrderOf(container: MedusaContainer, orderId: string): Promise<Order> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const refunds = ['refunds.id', 'refunds.amount', 'refunds.metadata']
  const payments = ['id', 'provider_id', 'currency_code', 'data', 'captures.amount', ...refunds]
  const sessions = ['id', 'provider_id', 'data']
  const { data } = await query.graph({
    entity: 'order',
    fields: [
      ...['id', 'status', 'fulfillments.canceled_at', 'payment_collections.metadata'],
      ...sessions.map((field) => `payment_collections.payment_sessions.${field}`),
      ...payments.map((field) => `payment_collections.payments.${field}`),
    ],
    filters: { id: orderId },
  })
  const order = z.array(Order).parse(data)[0]
  if (order) return order
  throw new MedusaError(MedusaError.Types.NOT_FOUND, `Order id not found: ${orderId}`)
}

/** What is left of a captured payment, in kopecks. */
export function leftOf({ captures, refunds, currency_code }: MedusaPayment): number {
  const sum = (rows: z.infer<typeof Sums>) =>
    rows.reduce((total, { amount }) => MathBN.add(total, amount), MathBN.convert(0))
  return toKopecks(amountOf(MathBN.sub(sum(captures), sum(refunds)), currency_code).value)
}
