// Sends what is due, through a stateless entry point of the Worker: the object waits for no endpoint.
import { instructionDelay, probeDelay, retryDelay } from '../contract/backoff.ts'
import type { Delivered, DeliveryResult, NotificationContent } from '../contract/delivery.ts'
import type { Instruction } from '../contract/instruction.ts'
import { NETWORKS, type Network } from '../contract/payment.ts'
import type { Outcome } from '../errors.ts'
import { findNotification } from './notification-log.ts'
import { type Endpoint, merchantEndpoint } from './notifications.ts'
import { leaseDue, nextDelivery, nextOverdue, takeOverdue } from './outbox.ts'
import { NOTIFICATION_NOT_FOUND, notAllowed, ok } from './outcomes.ts'
import { recordRedelivery, recordResult } from './results.ts'
import { notificationId, type OutboxRow, type Queue } from './rows/outbox.ts'
import type { Store } from './store.ts'

/** The size of a write of the dispatcher: the queue always takes it, so that no result is lost. */
const SIZE = 0

/** One delivery to the merchant: what the courier needs to know, and nothing of the database. */
export interface Delivery {
  /** `webhook-id` */
  id: string
  siteId: string
  content: NotificationContent
  endpoint: Endpoint
}

/** One delivery of an instruction; `createdAt` is Unix milliseconds. */
export interface InstructionDelivery {
  /** `webhook-id` */
  id: string
  siteId: string
  network: Network
  instruction: Instruction
  createdAt: number
}

/** The entry point that delivers. */
export interface Courier {
  deliver(delivery: Delivery): Promise<Delivered>
  instruct(delivery: InstructionDelivery): Promise<Delivered>
}

export interface DispatcherOptions {
  store: Store
  siteId: string
  courier: Courier
  /** Keeps the object in memory until a delivery has its result. */
  waitUntil(work: Promise<void>): void
  /** From 0 to below 1. */
  random(): number
  log(line: string): void
}

type Deliver = () => Promise<Delivered>

const QUEUES: readonly Queue[] = ['merchant', ...NETWORKS]

export class Dispatcher {
  readonly #options: DispatcherOptions

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  /** Sends what is due, and logs the instructions that have become overdue. */
  async run(): Promise<void> {
    const { store } = this.#options
    if (!store.isMigrated) return
    for (const queue of QUEUES) {
      const next = nextDelivery(store.sql, queue)
      if (next !== undefined && next <= store.milliseconds) await this.#sendAfter(queue, () => {})
    }
    await this.#logOverdue()
  }

  /** Sends what is due in a queue after a write, in whose commit it is leased. */
  async #sendAfter(queue: Queue, write: () => void): Promise<void> {
    const { store, waitUntil } = this.#options
    const leased = await store.write(() => {
      write()
      return ok(this.#lease(queue))
    }, SIZE)
    for (const { row, deliver } of leased.ok ? leased.value : []) waitUntil(this.#send(row, deliver))
  }

  /** Leases the rows that are due, each with its delivery. */
  #lease(queue: Queue): { row: OutboxRow; deliver: Deliver }[] {
    const { store, siteId, courier } = this.#options
    const endpoint = queue === 'merchant' ? merchantEndpoint(store.sql) : undefined
    if (queue === 'merchant' && !endpoint) return []
    return leaseDue(store.sql, queue, store.milliseconds).flatMap((row) => {
      const id = notificationId(store.sql, row.number)
      if (row.queue !== 'merchant') {
        const { queue: network, content: instruction, createdAt } = row
        return { row, deliver: () => courier.instruct({ id, siteId, network, instruction, createdAt }) }
      }
      const { content } = row
      return endpoint ? { row, deliver: () => courier.deliver({ id, siteId, content, endpoint }) } : []
    })
  }

  async #logOverdue(): Promise<void> {
    const { store, siteId, log } = this.#options
    const next = nextOverdue(store.sql)
    if (next === undefined || next > store.milliseconds) return
    const overdue = await store.write(() => ok(takeOverdue(store.sql, store.milliseconds)), SIZE)
    if (!overdue.ok) return
    for (const { number, content, createdAt, attempts } of overdue.value) {
      const id = notificationId(store.sql, number)
      const since = new Date(createdAt).toISOString()
      log(
        JSON.stringify({
          warning: 'an instruction is overdue',
          site: siteId,
          id,
          type: content.type,
          since,
          attempts: attempts.length,
        }),
      )
    }
  }

  /** Delivers a notification of the merchant once more, now, beside the queue's attempts. */
  async redeliver(id: string): Promise<Outcome<DeliveryResult>> {
    const { store, siteId, courier } = this.#options
    const row = store.isMigrated ? findNotification(store.sql, id) : undefined
    if (!row) return NOTIFICATION_NOT_FOUND
    const endpoint = merchantEndpoint(store.sql)
    if (!endpoint) return NO_ENDPOINT
    const { content } = row
    const delivered = await this.#complete(() => courier.deliver({ id, siteId, content, endpoint }))
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
    const { store, siteId, courier } = this.#options
    const endpoint = store.isMigrated ? merchantEndpoint(store.sql) : undefined
    if (!endpoint) return NO_ENDPOINT
    const content = { ...TEST_PAYMENT, createdAt: store.now, changedAt: store.now }
    const id = `test-${store.milliseconds}`
    return ok(resultOf(await this.#complete(() => courier.deliver({ id, siteId, content, endpoint }))))
  }

  /** Sends a row; its result makes room for others. */
  async #send(row: OutboxRow, deliver: Deliver): Promise<void> {
    const { store, random } = this.#options
    const delivered = await this.#complete(deliver)
    await this.#sendAfter(row.queue, () => {
      const result = { ...delivered, at: store.milliseconds }
      const delay = row.queue === 'merchant' ? retryDelay : instructionDelay
      const retry = (used: number, after?: number) => delay(used, random(), after)
      recordResult(store.sql, row, result, { retry, probe: probeDelay })
    })
  }

  /** A delivery that the runtime interrupts has failed. */
  async #complete(deliver: Deliver): Promise<Delivered> {
    const { store } = this.#options
    const started = store.milliseconds
    return deliver().catch(() => ({
      error: 'the delivery was interrupted',
      ms: store.milliseconds - started,
    }))
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

const NO_ENDPOINT = notAllowed('the site has no callbackUrl or no notification key, must have both')
