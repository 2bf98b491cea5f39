// The entry point that objects call: it delivers notifications and instructions, so that no object waits for an endpoint.
import { WorkerEntrypoint } from 'cloudflare:workers'
import type { Delivered } from '../contract/delivery.ts'
import { metricsOf } from '../gateway/connection.ts'
import { instruct } from '../gateway/connector.ts'
import { deliver } from '../gateway/courier.ts'
import type { Delivery, InstructionDelivery } from '../site/outbox/courier.ts'
import { platform, settings } from './deployment.ts'

const UNCONFIGURED: Delivered = { error: 'the deployment is not configured', ms: 0 }

export class Courier extends WorkerEntrypoint {
  async deliver(delivery: Delivery): Promise<Delivered> {
    if (!settings.ok) return UNCONFIGURED
    const courier = { ...platform, config: settings.config }
    const delivered = await deliver(courier, delivery)
    metricsOf(courier, delivery.siteId)?.add('deliveries', { status: delivered.httpStatus ?? 'none' })
    return delivered
  }

  async instruct(delivery: InstructionDelivery): Promise<Delivered> {
    if (!settings.ok) return UNCONFIGURED
    const connector = { ...platform, fetch: platform.fetchConnector, config: settings.config }
    const delivered = await instruct(connector, delivery)
    metricsOf(connector, delivery.siteId)?.add('instructions', { status: delivered.httpStatus ?? 'none' })
    return delivered
  }
}
