// Sends what is due, through a stateless entry point of the Worker: the object waits for no endpoint.
import { DEFAULT_CALLBACK } from '../contract/callback.ts'
import type { Caller } from '../contract/caller.ts'
import { type Attempt, type Delivered, type DeliveryResult, isAccepted } from '../contract/delivery.ts'
import type { Outcome, Refusal } from '../errors.ts'
import type { Store } from './database/store.ts'
import { instructionDelay, retryDelay } from './outbox/backoff.ts'
import type { Courier, Delivery } from './outbox/courier.ts'
import { findNotification } from './outbox/find-notification.ts'
import { LEASE, lease, leaseDue, nextDelivery } from './outbox/outbox.ts'
import { nextOverdue, overdueLine, takeOverdue } from './outbox/overdue.ts'
import { endpointFor, endpointOfCallback } from './outbox/receivers.ts'
import { recordRedelivery, recordResult } from './outbox/results.ts'
import {
  callbackOf,
  callbackQueues,
  type InstructionRow,
  instructionKey,
  instructionQueues,
  instructionRows,
  isCallbackQueue,
  isNotification,
  networkOfQueue,
  notificationId,
  OF_KEY,
  type OutboxRow,
  type Queue,
} from './outbox/rows.ts'
import { INSTRUCTION_NOT_FOUND, NOTIFICATION_NOT_FOUND, notAllowed, ok, SITE_RESTORED } from './outcomes.ts'
import { markTaken } from './receipts/changes.ts'
import { sentInstruction } from './receipts/sent.ts'
import { isRestored } from './rows/site.ts'
import { plus } from './time.ts'

interface DispatcherOptions {
  store: Store
  courier: Courier
  /** Keeps the object in memory until a delivery has its result. */
  waitUntil(work: Promise<unknown>): void
  /** From 0 to below 1. */
  random(): number
  log(line: string): void
}

/** Never fails: see #complete. A notification's has the origin that it went to. */
type Deliver = () => Promise<Delivered & Pick<Attempt, 'origin'>>

/**
 * Deliveries that one alarm makes, with those that its results make room for: the platform allows a request, and so an
 * alarm, 32 invocations of Workers. Each queue has an equal part. The others are due, so the next alarm follows at once.
 */
const MAX_BY_ALARM = 30

/** How many deliveries an alarm can still make. */
type Allowance = { left: number }

export class Dispatcher {
  readonly #options: DispatcherOptions

  constructor(options: DispatcherOptions) {
    this.#options = options
  }

  /** Sends what is due, and logs the instructions that have become overdue. */
  async run(): Promise<void> {
    const { store } = this.#options
    const queues: Queue[] = [...callbackQueues(store.sql), ...instructionQueues(store.memory.hasReceipts)]
    for (const queue of queues) {
      const next = nextDelivery(store.sql, queue)
      if (next !== undefined && next <= store.milliseconds) {
        await this.#sendAfter(queue, { left: Math.floor(MAX_BY_ALARM / queues.length) }, () => {})
      }
    }
    await this.#logOverdue()
  }

  /** Sends what is due in a queue after a write, in whose commit it is leased. */
  async #sendAfter(queue: Queue, allowance: Allowance, write: () => void): Promise<void> {
    const { store, waitUntil } = this.#options
    const leased = await store.writeOwn(() => {
      write()
      return this.#lease(queue, allowance)
    })
    for (const { row, deliver } of leased) waitUntil(this.#send(row, deliver, allowance))
  }

  /** Leases the rows that are due, each with its delivery. */
  #lease(queue: Queue, allowance: Allowance): { row: OutboxRow; deliver: Deliver }[] {
    const { store } = this.#options
    const siteId = store.name.value
    // A deleted site would refuse the answers to its deliveries.
    if (store.isDeleted) return []
    const endpoint = isCallbackQueue(queue) ? endpointOfCallback(store.sql, callbackOf(queue)) : undefined
    if (isCallbackQueue(queue) && !endpoint) return []
    const rows = leaseDue(store.sql, queue, store.milliseconds, allowance.left)
    allowance.left -= rows.length
    return rows.flatMap((row) => {
      if (!isNotification(row)) return { row, deliver: this.#instruct(row) }
      if (!endpoint) return []
      const id = notificationId(store.sql, row)
      const { content } = row
      return {
        row,
        deliver: this.#deliver({ id, siteId, content, endpoint: endpointFor(store.sql, row, endpoint) }),
      }
    })
  }

  #deliver(delivery: Delivery): Deliver {
    const { origin } = new URL(delivery.endpoint.url)
    const deliver = () => this.#options.courier.deliver(delivery)
    return async () => ({ ...(await this.#complete(deliver)), origin })
  }

  #instruct({ queue, content, createdAt, ...row }: InstructionRow): Deliver {
    const { store, courier } = this.#options
    const siteId = store.name.value
    const id = notificationId(store.sql, row)
    const instruction = sentInstruction(store.sql, content)
    if (!instruction) return async () => ({ error: 'the site has no such document', ms: 0 })
    return () =>
      this.#complete(() =>
        courier.instruct({ id, siteId, network: networkOfQueue(queue), instruction, createdAt }),
      )
  }

  async #logOverdue(): Promise<void> {
    const { store, log } = this.#options
    const next = nextOverdue(store.sql)
    if (next === undefined || next > store.milliseconds) return
    await store.writeOwn(() => {
      // Before the commit: a line can repeat, and none is lost.
      const now = store.milliseconds
      const about = { siteId: store.name.value, now }
      for (const row of takeOverdue(store.sql, now)) log(overdueLine(store.sql, row, about))
    })
  }

  /** Delivers a notification of the merchant once more, now, beside the queue's attempts. */
  async redeliver(caller: Caller, id: string): Promise<Outcome<DeliveryResult>> {
    const { store } = this.#options
    const siteId = store.name.value
    const found = store.read(caller, ({ sql }) => {
      const row = findNotification(sql, id)
      if (!row) return NOTIFICATION_NOT_FOUND
      const callback = callbackOf(row.queue)
      const endpoint = endpointOfCallback(sql, callback)
      return endpoint
        ? ok({ content: row.content, endpoint: endpointFor(sql, row, endpoint) })
        : noEndpoint(callback)
    })
    if (!found.ok) return found
    const delivered = await this.#deliver({ id, siteId, ...found.value })()
    await store.writeOwn(({ sql }) => {
      // Read again: the queue can have delivered it meanwhile.
      const current = findNotification(sql, id)
      if (current) recordRedelivery(sql, current, { ...delivered, at: store.milliseconds })
    })
    return ok(resultOf(delivered))
  }

  /**
   * Sends an instruction now, whatever its time is; the result counts as one of the queue's own attempts.
   * @returns payin.resource.not.found; site.restored; payin.incorrect-method-invocation while it is being sent
   */
  async sendInstruction(caller: Caller, id: string): Promise<Outcome<DeliveryResult>> {
    const { store } = this.#options
    const leased = await store.write(caller, ({ sql }) => {
      const key = instructionKey(sql, id)
      const [row] = key
        ? instructionRows(sql, `AND ${OF_KEY} AND status = 'PENDING'`, key.event, key.kind)
        : []
      if (!row) return INSTRUCTION_NOT_FOUND
      if (isRestored(sql)) return SITE_RESTORED
      if (row.leasedUntil !== undefined)
        return notAllowed('the instruction is being sent, its result follows')
      return ok(lease(sql, row, plus(store.milliseconds, LEASE)))
    })
    if (!leased.ok) return leased
    const row = leased.value
    return ok(resultOf(await this.#send(row, this.#instruct(row), { left: 0 })))
  }

  /** Delivers a test payment of 1.00 to an address; it is not stored. */
  async deliverTest(caller: Caller, callback = DEFAULT_CALLBACK): Promise<Outcome<DeliveryResult>> {
    const { store } = this.#options
    const siteId = store.name.value
    const found = store.read(caller, ({ sql }) => {
      const endpoint = endpointOfCallback(sql, callback)
      return endpoint ? ok(endpoint) : noEndpoint(callback)
    })
    if (!found.ok) return found
    const content = { ...TEST_PAYMENT, createdAt: store.now, changedAt: store.now }
    const delivery = { id: `test-${store.milliseconds}`, siteId, content, endpoint: found.value }
    return ok(resultOf(await this.#deliver(delivery)()))
  }

  /** Sends a row; its result makes room for others. */
  async #send(row: OutboxRow, deliver: Deliver, allowance: Allowance): Promise<Delivered> {
    const { store, random } = this.#options
    const delivered = await deliver()
    if (!isAccepted(delivered)) this.#logFailure(row, delivered)
    await this.#sendAfter(row.queue, allowance, () => {
      const result = { ...delivered, at: store.milliseconds }
      const delay = isNotification(row) ? retryDelay : instructionDelay
      const retry = (countedAttempts: number, after?: number) => delay(countedAttempts, random(), after)
      recordResult(store.sql, row, result, retry)
      if (row.content.type === 'receipt.register' && isAccepted(delivered))
        markTaken(store, row.content.receiptUid)
    })
    return delivered
  }

  /** Each attempt that fails has a line, with its site: workerd's own, of a name that does not resolve, has none. */
  #logFailure(row: OutboxRow, { httpStatus, error }: Delivered): void {
    const { store } = this.#options
    const what = isNotification(row) ? 'a notification' : 'an instruction'
    const id = notificationId(store.sql, row)
    store.warn(`${what} was not delivered`, { id, type: row.content.type, httpStatus, error })
  }

  /** A delivery that the runtime interrupts has failed. */
  async #complete(deliver: () => Promise<Delivered>): Promise<Delivered> {
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

const noEndpoint = (callback: string): Refusal =>
  notAllowed(
    callback === DEFAULT_CALLBACK
      ? 'the site has no callbackUrl or no notification key, must have both'
      : `the address ${JSON.stringify(callback)} is not there or has no notification key, must have one`,
  )
