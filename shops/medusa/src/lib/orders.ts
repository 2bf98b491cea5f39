// What to do before an order is cancelled, and before a payment of it is refunded.
import { cancelOrder, fromKopecks } from '@fps-qr/client'
import type { MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, OrderStatus } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'
import { refundPaymentWorkflow } from '@medusajs/medusa/core-flows'
import { codeIn } from './codes.js'
import { leftOf, readOrderOf } from './medusa-order.js'
import { refused } from './refused.js'
import { shopOf } from './settings.js'
import { settle } from './settle.js'

/**
 * Call it before an order is cancelled: cancels its codes, and refunds what was paid. Medusa cancels an order although the refund
 * failed, and says then that the money was returned.
 * @throws MedusaError where the order must stay: a payment was faster than the cancellation, or a refund failed
 */
export async function closePayments(container: MedusaContainer, orderId: string): Promise<void> {
  const order = await readOrderOf(container, orderId)
  // Medusa refuses these itself.
  if (order.status === OrderStatus.CANCELED || order.status === OrderStatus.COMPLETED) return
  if (order.fulfillments.some(({ canceled_at }) => !canceled_at)) return
  for (const { payment_sessions, payments } of order.payment_collections) {
    if (payments.length === 0)
      for (const session of payment_sessions) {
        if ((await cancelCode(container, session)) === 'paid')
          throw refused(
            'The customer has paid the order just now. Cancel it once more to return the money, or deliver it',
          )
      }
    for (const payment of payments.filter(({ provider_id }) => shopOf(container, provider_id))) {
      const left = leftOf(payment)
      if (left === 0) continue
      const amount = Number(fromKopecks(left))
      await refundPaymentWorkflow(container).run({ input: { payment_id: payment.id, amount } })
    }
  }
}

/**
 * Cancels the codes of an order that something cancelled without closePayments, such as a timer. What was paid meanwhile is recorded.
 * @throws Error after all of them were tried: the job of this package tries it again
 */
export async function cancelCodes(container: MedusaContainer, orderId: string): Promise<void> {
  const { payment_collections } = await readOrderOf(container, orderId)
  const sessions = payment_collections.flatMap(({ payment_sessions }) => payment_sessions)
  const results = await Promise.allSettled(sessions.map((session) => cancelCode(container, session)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Cancels the code of a session. @returns how it is afterwards */
export async function cancelCode(
  container: MedusaContainer,
  { provider_id, data }: { provider_id: string; data: unknown },
): Promise<'paid' | 'ended'> {
  const shop = shopOf(container, provider_id)
  const code = codeIn(data)
  const closed = shop && code && (await cancelOrder(shop.fps, code))
  if (closed?.state === 'open') throw refused('The QR code is being paid: try again in a minute')
  if (closed?.state !== 'paid' || !code) return 'ended'
  return (await settle(container, code.qrCodeUid)) === 'paid' ? 'paid' : 'ended'
}

/**
 * Refuses a refund by which Medusa would return the money and then say that it did not: that of a cancelled order.
 * @returns the order, if a provider of this package has the payment
 */
export async function orderOfRefund(
  container: MedusaContainer,
  medusaPaymentId: string,
): Promise<string | undefined> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const fields = ['provider_id', 'payment_collection.order.id', 'payment_collection.order.status']
  const { data } = await query.graph({ entity: 'payment', fields, filters: { id: medusaPaymentId } })
  const order = z.object({ id: z.string(), status: z.string() }).nullish()
  const Paid = z.object({ provider_id: z.string(), payment_collection: z.object({ order }) })
  const [payment] = z.array(Paid).parse(data)
  if (!payment || !shopOf(container, payment.provider_id)) return undefined
  const paid = payment.payment_collection.order
  if (paid?.status === OrderStatus.CANCELED)
    throw refused('The order is cancelled: return its money under “Payments by QR code (SBP)” on its page')
  return paid?.id
}
