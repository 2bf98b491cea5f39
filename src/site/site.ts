// The Durable Object: the database of one merchant site, and its only writer.
import { DurableObject } from 'cloudflare:workers'
import type { Caller } from '../contract/caller.ts'
import type { Event, FeedCursor } from '../contract/event.ts'
import type { Payment, PaymentReport } from '../contract/payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import { isFinal, isPayable, transition } from '../contract/status.ts'
import type { Outcome } from '../errors.ts'
import {
  changedSince,
  type EventPage,
  eventsOf,
  type FeedQuery,
  feed,
  lastEvent,
  type PageQuery,
} from './events.ts'
import { createListeners, FEED } from './listeners.ts'
import { hasTables, migrate } from './migrations.ts'
import {
  findPayment,
  hasTooManyDeclined,
  MAX_DECLINED,
  type PaymentPage,
  paymentsOf,
  type Reported,
  type ReportOrigin,
  reportPayment,
} from './payments.ts'
import { type ListQuery, listQrCodes, type QrCodePage } from './qr-code-list.ts'
import {
  type Created,
  type Creation,
  createQrCode,
  creationTime,
  findQrCode,
  type QrCodeKey,
} from './qr-codes.ts'
import { paymentOf, type QrCodeRow, qrCodeOf } from './rows.ts'
import { changeStatus, recordExpiries, recordExpiry } from './transitions.ts'
import { nextWake } from './wake.ts'
import { writeQueue } from './write-queue.ts'

/** Expiries that one alarm records; if more are due, the next alarm follows at once. */
const MAX_EXPIRIES = 500

/** A request to wait for a change. */
export interface LongPoll {
  /** Unique, chosen by the caller: names the listener to `stopListening`. */
  id: string
  /** The version that the caller knows; without one, it waits while the status is not final. */
  version?: number | undefined
  milliseconds: number
}

export interface Polled<T> {
  value: T
  /** Whether the call waited. */
  waited: boolean
}

/** A page of the feed, and where the next one begins. */
export interface FeedPage {
  events: Event[]
  next: FeedCursor
}

/** A report's target: the network knows the id of the link, the sandbox bank any key. */
export type ReportKey = QrCodeKey & {
  /** Whether the link's id is authentic, so that its payment is kept even if the site has no such QR code. */
  isAuthentic?: boolean
}

export class Site extends DurableObject {
  readonly #sql = this.ctx.storage.sql
  readonly #writes = writeQueue({
    afterFlush: () => this.#afterFlush(),
    committed: () => this.ctx.storage.sync(),
    schedule: (flush) => setTimeout(flush, 0),
  })
  readonly #listeners = createListeners()
  #isMigrated = false
  /** The number of the latest event that listeners were notified of. */
  #notified = 0
  /** Unix milliseconds. */
  #alarm: number | null = null

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    ctx.blockConcurrencyWhile(async () => {
      this.#alarm = await ctx.storage.getAlarm()
      // The tables say what is due, whatever happened to the alarm.
      if (hasTables(ctx.storage)) {
        this.#migrateOnce()
        this.#setAlarm()
      }
    })
  }

  /**
   * Creates QR codes, or replays them; see createQrCode. The first one of a site makes its tables.
   * @returns the outcome of each, in their order: one that fails does not affect the others
   */
  create(creations: readonly Creation[]): Promise<Outcome<Outcome<Created>[]>> {
    return this.#writes.run(() => {
      this.#migrateOnce()
      const time = now()
      const createdAt = creationTime(this.#sql, time)
      const outcomes = creations.map((creation) => {
        try {
          return this.ctx.storage.transactionSync(() => createQrCode(this.#sql, creation, time, createdAt))
        } catch (error) {
          return internalError(error)
        }
      })
      return { ok: true, value: outcomes }
    }, creations.length)
  }

  /** A QR code as it stands. */
  async read(_caller: Caller, key: QrCodeKey): Promise<Outcome<QrCode>> {
    const row = this.#find(key)
    return row ? ok(qrCodeOf(row, now())) : notFound
  }

  /**
   * A QR code when it has another version, or when the time is over; at once at the listener limit. Its expiry ends the
   * wait too, because the alarm can be late.
   */
  async longPoll(caller: Caller, key: QrCodeKey, poll: LongPoll): Promise<Outcome<Polled<QrCode>>> {
    const row = this.#find(key)
    if (!row) return notFound
    const qrCode = qrCodeOf(row, now())
    const isCurrent = poll.version === undefined ? !isFinal(qrCode.status) : qrCode.version === poll.version
    const untilExpiry = isPayable(qrCode.status) ? qrCode.expiresAt * 1000 - Date.now() : poll.milliseconds
    const milliseconds = Math.min(poll.milliseconds, untilExpiry)
    const waited =
      isCurrent && (await this.#listen(caller, row.number, qrCode.version, { ...poll, milliseconds }))
    if (!waited) return ok({ value: qrCode, waited })
    const after = await this.read(caller, key)
    return after.ok ? ok({ value: after.value, waited }) : after
  }

  /** Ends a long poll whose client has disconnected. */
  async stopListening(id: string): Promise<void> {
    this.#listeners.stop(id)
  }

  /** A page of QR codes, newest first. */
  async list(_caller: Caller, query: ListQuery): Promise<Outcome<QrCodePage>> {
    return ok(this.#isMigrated ? listQrCodes(this.#sql, query, now()) : { qrCodes: [] })
  }

  /** A page of a QR code's events, oldest first. */
  async events(_caller: Caller, key: QrCodeKey, page: PageQuery): Promise<Outcome<EventPage>> {
    const current = await this.#catchUp()
    if (!current.ok) return current
    const row = this.#find(key)
    return row ? ok(eventsOf(this.#sql, row.number, page)) : notFound
  }

  /** A page of the site's events, oldest first; an empty page waits for the next event. */
  async feed(caller: Caller, query: FeedQuery, poll?: LongPoll): Promise<Outcome<Polled<FeedPage>>> {
    const current = await this.#catchUp()
    if (!current.ok) return current
    const page = this.#isMigrated ? feed(this.#sql, query) : { events: [], next: { epoch: '', number: 0 } }
    if (!page) return cursorGone
    if (page.events.length > 0 || !poll) return ok({ value: page, waited: false })
    const waited = await this.#listen(caller, FEED, page.next.number, poll)
    if (!waited) return ok({ value: page, waited })
    const after = await this.feed(caller, query)
    return after.ok ? ok({ ...after.value, waited }) : after
  }

  /** A page of a QR code's payment attempts, oldest first. */
  async payments(_caller: Caller, key: QrCodeKey, page: PageQuery): Promise<Outcome<PaymentPage>> {
    const row = this.#find(key)
    return row ? ok(paymentsOf(this.#sql, row.number, page)) : notFound
  }

  /** A payment attempt. */
  async payment(_caller: Caller, paymentUid: string): Promise<Outcome<Payment>> {
    const row = this.#isMigrated ? findPayment(this.#sql, paymentUid) : undefined
    return row ? ok(paymentOf(row)) : paymentNotFound
  }

  /** Cancels a QR code that can be paid; a second call changes nothing. */
  cancel(caller: Caller, key: QrCodeKey): Promise<Outcome<QrCode>> {
    return this.#write((time) => {
      const row = this.#settled(key, time)
      if (!row) return notFound
      if (transition(row.status, 'cancel')) {
        changeStatus(this.#sql, row, { action: 'cancel', at: time, by: caller })
      } else if (row.status !== 'CANCELLED') {
        return {
          ok: false,
          code: 'payin.incorrect-method-invocation',
          description: `the QR code is ${row.status}, must be CREATED or DECLINED to be cancelled`,
        }
      }
      const after = this.#find(key)
      return after ? ok(qrCodeOf(after, time)) : notFound
    })
  }

  /** Records the report of a payment; see reportPayment. */
  report(
    caller: Caller,
    { isAuthentic = false, ...key }: ReportKey,
    report: PaymentReport,
    origin: Omit<ReportOrigin, 'by'>,
  ): Promise<Outcome<Reported>> {
    return this.#write((time) => {
      if (isAuthentic) this.#migrateOnce()
      const row = this.#settled(key, time)
      if (!row && !isAuthentic) return notFound
      const linkId = row?.link_id ?? ('linkId' in key ? key.linkId : '')
      // What the network reports happened; what the sandbox makes up has a limit.
      if (row && caller.actor !== 'network' && hasTooManyDeclined(this.#sql, row.number, time)) {
        return tooManyDeclined
      }
      return reportPayment(this.#sql, { row, linkId }, report, { ...origin, by: caller }, time)
    })
  }

  /** Records what is due; if more is due than one alarm records, the next one follows at once. */
  override async alarm(): Promise<void> {
    this.#alarm = null
    this.#migrateOnce()
    await this.#recordExpiries()
    this.#setAlarm()
  }

  #find(key: QrCodeKey): QrCodeRow | undefined {
    return this.#isMigrated ? findQrCode(this.#sql, key) : undefined
  }

  /** The row of a QR code, its expiry recorded. */
  #settled(key: QrCodeKey, time: number): QrCodeRow | undefined {
    const row = this.#find(key)
    return row && recordExpiry(this.#sql, row, time)
  }

  /** Runs an operation in a transaction of its own, in a commit that it shares with others. */
  #write<T>(operation: (time: number) => Outcome<T>): Promise<Outcome<T>> {
    return this.#writes.run(() => this.ctx.storage.transactionSync(() => operation(now())))
  }

  /** Records expiries, oldest first. */
  #recordExpiries(): Promise<Outcome<void>> {
    return this.#write((time) => {
      recordExpiries(this.#sql, time, MAX_EXPIRIES)
      return ok(undefined)
    })
  }

  /** Events are read after everything that is due is recorded, however late the alarm is. */
  async #catchUp(): Promise<Outcome<void>> {
    while (this.#isMigrated && (nextWake(this.#sql) ?? Infinity) <= Date.now()) {
      const recorded = await this.#recordExpiries()
      if (!recorded.ok) return recorded
    }
    return ok(undefined)
  }

  /** Waits as a listener; false where it did not, at the listener limit. */
  async #listen(
    { actor }: Caller,
    subject: number,
    version: number,
    { id, milliseconds }: LongPoll,
  ): Promise<boolean> {
    const kind = actor === 'payer' ? 'payer' : 'merchant'
    const change =
      milliseconds > 0 ? this.#listeners.listen({ id, kind, subject, version }, milliseconds) : undefined
    await change
    return change !== undefined
  }

  #afterFlush(): void {
    this.#setAlarm()
    this.#notify()
  }

  /** Every change has an event, so the latest events say which listeners have waited long enough. */
  #notify(): void {
    if (!this.#isMigrated) return
    const latest = lastEvent(this.#sql)
    if (this.#listeners.count() > 0) {
      for (const { number, version } of changedSince(this.#sql, this.#notified)) {
        this.#listeners.notify(number, version)
      }
      this.#listeners.notify(FEED, latest)
    }
    this.#notified = latest
  }

  #migrateOnce(): void {
    if (this.#isMigrated) return
    migrate(this.ctx.storage)
    this.#isMigrated = true
    this.#notified = lastEvent(this.#sql)
  }

  /** One alarm for the whole site, at the next wake, and only while there is one. */
  #setAlarm(): void {
    if (!this.#isMigrated) return
    const alarm = nextWake(this.#sql) ?? null
    if (alarm === this.#alarm) return
    this.#alarm = alarm
    if (alarm === null) this.ctx.storage.deleteAlarm()
    else this.ctx.storage.setAlarm(alarm)
  }
}

const ok = <T>(value: T): Outcome<T> => ({ ok: true, value })

const notFound = {
  ok: false,
  code: 'payin.resource.not.found',
  description: 'there is no such QR code',
} as const

const paymentNotFound = { ...notFound, description: 'there is no such payment' } as const

const cursorGone = {
  ok: false,
  code: 'events.cursor.gone',
  description: 'the cursor is not of this feed, read the feed from its beginning',
} as const

const tooManyDeclined = {
  ok: false,
  code: 'http.too.many.requests',
  description: `the QR code has ${MAX_DECLINED} declined attempts within a minute`,
  retryAfter: 60,
} as const

/** A defect: it is logged with its stack, and the caller learns no more than that. */
const internalError = (error: unknown) =>
  ({
    ok: false,
    code: 'internal.error',
    description: 'the service failed, quote traceId when you report it',
    fault: (error instanceof Error && error.stack) || String(error),
  }) as const

/** Unix seconds. Only this file reads the clock. */
const now = () => Math.floor(Date.now() / 1000)
