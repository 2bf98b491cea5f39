// Sends the notifications that are due, through a stateless entry point of the Worker: the object waits for no endpoint.
import { probeDelay, retryDelay } from '../contract/backoff.ts'
import type { DeliveryResult, NotificationContent } from '../contract/delivery.ts'
import { notificationId } from './notifications.ts'
import { leaseDue, nextDelivery, QUEUES, type Queue, recordResult } from './outbox.ts'
import { ok } from './outcomes.ts'
import type { OutboxRow } from './rows.ts'
import { type Endpoint, endpointOf } from './settings.ts'
import type { Store } from './store.ts'

/** One delivery: what the courier needs to know, and nothing of the database. */
export interface Delivery {
  /** `webhook-id` */
  id: string
  siteId: string
  content: NotificationContent
  endpoint: Endpoint
}

/** The entry point that delivers. */
export interface Courier {
  deliver(delivery: Delivery): Promise<DeliveryResult & { retryAfter?: number | undefined }>
}

export interface Dispatcher {
  /** Sends what is due; each result makes room for more. */
  run(): Promise<void>
}

interface Surroundings {
  store: Store
  siteId: string
  courier: Courier
  /** Keeps the object in memory until a delivery has its result. */
  waitUntil(work: Promise<void>): void
  /** From 0 to 1. */
  random(): number
}

/** Makes the dispatcher of a site. */
export function dispatcher({ store, siteId, courier, waitUntil, random }: Surroundings): Dispatcher {
  const delays = {
    retry: (attempts: number, retryAfter: number | undefined) => retryDelay(attempts, random(), retryAfter),
    probe: probeDelay,
  }

  async function send(row: OutboxRow, endpoint: Endpoint): Promise<void> {
    const id = notificationId(store.sql, row.number)
    const started = store.milliseconds
    const result = await courier
      .deliver({ id, siteId, content: row.content, endpoint })
      .catch(() => ({ error: 'the delivery was interrupted', ms: store.milliseconds - started }))
    await store.write(() => ok(recordResult(store.sql, row, { ...result, at: store.milliseconds }, delays)))
    await run()
  }

  async function lease(queue: Queue): Promise<void> {
    const next = nextDelivery(store.sql, queue)
    if (next === undefined || next > store.milliseconds) return
    const endpoint = endpointOf(store.sql, queue)
    if (!endpoint) return
    const leased = await store.write(() => ok(leaseDue(store.sql, queue, store.milliseconds)))
    if (leased.ok) for (const row of leased.value) waitUntil(send(row, endpoint))
  }

  async function run(): Promise<void> {
    if (store.isMigrated) for (const queue of QUEUES) await lease(queue)
  }

  return { run }
}
