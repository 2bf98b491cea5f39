// What a shop does once a payment is there: here it writes a line.
import type { SubscriberArgs, SubscriberConfig } from '@medusajs/framework'
import { ContainerRegistrationKeys } from '@medusajs/framework/utils'

export default async function captured({ event, container }: SubscriberArgs<{ id: string }>): Promise<void> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const fields = ['payment_collection.order.id']
  const { data } = await query.graph({ entity: 'payment', fields, filters: { id: event.data.id } })
  container
    .resolve(ContainerRegistrationKeys.LOGGER)
    .info(`captured ${data[0]?.payment_collection?.order?.id}`)
}

export const config: SubscriberConfig = { event: 'payment.captured' }
