// What a payment session pays for: an order, or a cart of which there is no order yet.
import type { MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, OrderStatus } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'

const Id = z.string().optional()

/** Neither of them: the payment collection was made for nothing that is there. */
export interface Owner {
  orderId?: string | undefined
  /** Only without an order. */
  cartId?: string | undefined
}

/** What a payment collection pays for. */
export async function ownerOf(container: MedusaContainer, collectionId: string): Promise<Owner> {
  const filters = { payment_collection_id: collectionId }
  const order = await firstOf(container, 'order_payment_collection', ['order_id'], filters)
  if (order) return { orderId: Id.parse(order.order_id) }
  const cart = await firstOf(container, 'cart_payment_collection', ['cart_id'], filters)
  return { cartId: Id.parse(cart?.cart_id) }
}

/** What a session pays for. */
export async function ownerOfSession(container: MedusaContainer, sessionId: string): Promise<Owner> {
  const session = await firstOf(container, 'payment_session', ['payment_collection_id'], { id: sessionId })
  const collectionId = session?.payment_collection_id
  return typeof collectionId === 'string' ? ownerOf(container, collectionId) : {}
}

/** Whether a session is of an order that is cancelled. */
export async function isOfCancelledOrder(container: MedusaContainer, sessionId: string): Promise<boolean> {
  const { orderId } = await ownerOfSession(container, sessionId)
  if (orderId === undefined) return false
  const order = await firstOf(container, 'order', ['status'], { id: orderId })
  return order?.status === OrderStatus.CANCELED
}

/** The first row of an entity that Medusa finds; undefined if there is none. */
export async function firstOf(
  container: MedusaContainer,
  entity: string,
  fields: string[],
  filters: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const { data } = await query.graph({ entity, fields, filters })
  return z.array(z.record(z.string(), z.unknown())).parse(data)[0]
}
