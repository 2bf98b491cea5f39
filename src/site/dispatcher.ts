// Sends the notifications that are due, through a stateless entry point of the Worker: the object waits for no endpoint.
import { probeDelay, retryDelay } from '../contract/backoff.ts'
import type { Delivered, DeliveryResult, NotificationContent } from '../contract/delivery.ts'
import type { Outcome, Refusal } from '../errors.ts'
import { findNotification } from './notification-log.ts'
import { type Endpoint, merchantEndpoint } from './notifications.ts'
import { leaseDue, nextDelivery, recordRedelivery, recordResult } from './outbox.ts'
import { NOTIFICATION_NOT_FOUND, ok } from './outcomes.ts'
import { notificationId, type OutboxRow } from './rows/outbox.ts'
import type { Store } from './store.ts'

/** The size of a write of the dispatcher: the queue always takes it, so that no result is lost. */
const SIZE = 0

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
  deliver(delivery: Delivery): Promise<Delivered>
}

export interface DispatcherOptions {
  store: Store
  siteId: string
  courier: Courier
  /** Keeps the object in memory until a delivery has its result. */
  waitUntil(work: Promise<void>): void
  /** From 0 to below 1. */
  random(): number
}

export class Dispatcher {
  readonly #options: DispatcherOptions

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  /** Sends what is due. */
  async run(): Promise<void> {
    const { store } = this.#options
    const next = store.isMigrated ? nextDelivery(store.sql, 'merchant') : undefined
    if (next !== undefined && next <= store.milliseconds) await this.#sendAfter(() => {})
  }

  /** Sends what is due after a write, in whose commit it is leased. */
  async #sendAfter(write: () => void): Promise<void> {
    const { store, waitUntil } = this.#options
    const leased = await store.write(() => {
      write()
      const endpoint = merchantEndpoint(store.sql)
      return ok(endpoint && { endpoint, rows: leaseDue(store.sql, 'merchant', store.milliseconds) })
    }, SIZE)
    if (!leased.ok || !leased.value) return
    const { endpoint, rows } = leased.value
    for (const row of rows) waitUntil(this.#send(row, endpoint))
  }

  /** Delivers a notification of the merchant once more, now, beside the queue's attempts. */
  async redeliver(id: string): Promise<Outcome<DeliveryResult>> {
    const { store } = this.#options
    const row = store.isMigrated ? findNotification(store.sql, id) : undefined
    if (!row) return NOTIFICATION_NOT_FOUND
    const endpoint = merchantEndpoint(store.sql)
    if (!endpoint) return NO_ENDPOINT
    const delivered = await this.#deliver(id, row.content, endpoint)
    await store.write(() => {
      // Read again: the queue can have delivered it meanwhile.
      const current = findNotification(store.sql, id)
      if (current) recordRedelivery(store.sql, current, { ...delivered, at: store.milliseconds })
      return ok(undefined)
    }, SIZE)
    return ok(resultOf(delivered))
  }

  /** Delivers a made-up payment of 1.00, which is not stored. */
  async deliverTest(): Promise<Outcome<DeliveryResult>> {
    const { store } = this.#options
    const endpoint = store.isMigrated ? merchantEndpoint(store.sql) : undefined
    if (!endpoint) return NO_ENDPOINT
    const content = { ...TEST_PAYMENT, createdAt: store.now, changedAt: store.now }
    return ok(resultOf(await this.#deliver(`test-${store.milliseconds}`, content, endpoint)))
  }

  async #deliver(id: string, content: NotificationContent, endpoint: Endpoint): Promise<Delivered> {
    const { store, siteId, courier } = this.#options
    const started = store.milliseconds
    return courier
      .deliver({ id, siteId, content, endpoint })
      .catch(() => ({ error: 'the delivery was interrupted', ms: store.milliseconds - started }))
  }

  /** Sends a notification; its result makes room for others. */
  async #send(row: OutboxRow, endpoint: Endpoint): Promise<void> {
    const { store, random } = this.#options
    const delivered = await this.#deliver(notificationId(store.sql, row.number), row.content, endpoint)
    await this.#sendAfter(() => {
      const result = { ...delivered, at: store.milliseconds }
      const retry = (used: number, after?: number) => retryDelay(used, random(), after)
      recordResult(store.sql, row, result, { retry, probe: probeDelay })
    })
  }
}

const resultOf = ({ httpStatus, error, ms }: Delivered): DeliveryResult => ({ httpStatus, error, ms })

const TEST_PAYMENT = {
  type: 'PAYMENT',
  paymentUid: 'test',
  amount: { minorUnits: 100, currency: 'RUB' },
  status: 'COMPLETED',
  applied: false,
  isTest: true,
} as const

const NO_ENDPOINT: Refusal = {
  ok: false,
  code: 'payin.incorrect-method-invocation',
  description: 'the site has no callbackUrl or no notification key, must have both',
}
