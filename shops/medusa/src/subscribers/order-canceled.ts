// Cancels the codes of an order that was cancelled by something else than the admin: a timer, a script, another module.
import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework'
import { cancelCodes } from '../lib/orders.js'

export default async function orderCanceled({
  event,
  container,
}: SubscriberArgs<{ id: string }>): Promise<void> {
  await cancelCodes(container, event.data.id)
}

export const config: SubscriberConfig = {
  event: 'order.canceled',
  context: { subscriberId: 'fps-qr-order-canceled' },
}
