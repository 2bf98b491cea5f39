// The Durable Object: the books of one merchant site, and their only writer.
import { DurableObject } from 'cloudflare:workers'
import type { Actor, Event } from '../contract/event.ts'
import type { Payment } from '../contract/payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import { isPayable, next } from '../contract/status.ts'
import type { Outcome } from '../errors.ts'
import { change, eventsOf, expire, nextExpiry } from './events.ts'
import { waitersList } from './listeners.ts'
import { hasTables, migrate } from './migrations.ts'
import { type Reported, reportPayment } from './payments.ts'
import {
  type Created,
  type Creation,
  createQrCode,
  findQrCode,
  listQrCodes,
  momentOfCreation,
  type PageQuery,
  type QrCodeKey,
  type QrCodePage,
} from './qr-codes.ts'
import { type QrCodeRow, qrCodeOf } from './rows.ts'
import { groupCommit } from './write-queue.ts'

/** QR codes that one alarm works off; where more are due, the next alarm follows at once. */
const EXPIRED_AT_ONCE = 500

/** To hold an answer until the version is another one, but no longer than so many milliseconds. */
export interface Hold {
  version: number
  milliseconds: number
}

export class Site extends DurableObject {
  readonly #sql = this.ctx.storage.sql
  readonly #commits = groupCommit({
    ended: () => this.#setAlarm(),
    committed: () => this.ctx.storage.sync(),
    next: (turn) => setTimeout(turn, 0),
  })
  readonly #waiters = waitersList()
  #migrated = false
  /** Unix milliseconds. */
  #alarm: number | null = null

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    ctx.blockConcurrencyWhile(async () => {
      this.#alarm = await ctx.storage.getAlarm()
      // Whatever became of an alarm, the books say what is due: a lost one is made up for here.
      if (hasTables(ctx.storage)) {
        this.#migrateOnce()
        this.#setAlarm()
      }
    })
  }

  /**
   * Creates QR codes, or replays them; see createQrCode. The first one of a site makes its tables.
   * @returns what became of each, in their order; a fault is its own, and the others stand
   */
  async create(creations: readonly Creation[]): Promise<(Outcome<Created> | Error)[]> {
    const outcomes = this.#commits.run(() => {
      this.#migrateOnce()
      const present = now()
      const moment = momentOfCreation(this.#sql, present)
      return creations.map(({ order, payload }) => {
        try {
          return createQrCode(this.#sql, order, payload, present, moment)
        } catch (fault) {
          return fault instanceof Error ? fault : new Error(String(fault))
        }
      })
    }, creations.length)
    return outcomes ?? creations.map(() => tooMany)
  }

  /** A QR code as it stands; held back until it changes, where the caller wants that. */
  async read(key: QrCodeKey, hold?: Hold): Promise<Outcome<QrCode>> {
    const end = Date.now() + (hold?.milliseconds ?? 0)
    for (;;) {
      const row = this.#find(key)
      if (!row) return notFound
      const qrCode = qrCodeOf(row, now())
      const left = (isPayable(qrCode.status) ? Math.min(end, qrCode.expiresAt * 1000) : end) - Date.now()
      if (qrCode.version !== hold?.version || left <= 0) return { ok: true, value: qrCode }
      const change = this.#waiters.wait(row.number, left)
      if (!change) return { ok: true, value: qrCode }
      await change
    }
  }

  /** A page of QR codes, newest first. */
  async list(query: PageQuery): Promise<Outcome<QrCodePage>> {
    return { ok: true, value: this.#migrated ? listQrCodes(this.#sql, query, now()) : { qrCodes: [] } }
  }

  /** What happened to a QR code, oldest first. */
  async events(key: QrCodeKey): Promise<Outcome<Event[]>> {
    const row = this.#find(key)
    return row ? { ok: true, value: eventsOf(this.#sql, row, now()) } : notFound
  }

  /** Cancels what is not paid; once more is the same. */
  cancel(key: QrCodeKey): Promise<Outcome<QrCode>> {
    return this.#change(key, (row, now) => {
      const before = qrCodeOf(row, now)
      if (before.status === 'CANCELLED') return { ok: true, value: before }
      if (next(before.status, 'cancel')) {
        return { ok: true, value: qrCodeOf(change(this.#sql, row, 'cancel', 'merchant', now), now) }
      }
      return {
        ok: false,
        code: 'payin.incorrect-method-invocation',
        description: `the QR code is ${before.status}, must be CREATED or DECLINED to be cancelled`,
      }
    })
  }

  /** Takes the network's word on a payment; see reportPayment. */
  report(key: QrCodeKey, payment: Payment, by: Actor): Promise<Outcome<Reported>> {
    return this.#change(key, (row, now) => reportPayment(this.#sql, row, payment, by, now))
  }

  /** Works off what is due. */
  override async alarm(): Promise<void> {
    this.#alarm = null
    this.#migrateOnce()
    const expired = this.ctx.storage.transactionSync(() => expire(this.#sql, now(), EXPIRED_AT_ONCE))
    for (const number of expired) this.#waiters.wake(number)
    this.#setAlarm()
  }

  #find(key: QrCodeKey): QrCodeRow | undefined {
    return this.#migrated ? findQrCode(this.#sql, key) : undefined
  }

  #change<T>(key: QrCodeKey, operation: (row: QrCodeRow, now: number) => Outcome<T>): Promise<Outcome<T>> {
    return this.#write((now) => {
      const row = this.#find(key)
      if (!row) return notFound
      const outcome = this.ctx.storage.transactionSync(() => operation(row, now))
      if (outcome.ok) this.#waiters.wake(row.number)
      return outcome
    })
  }

  /** Runs an operation in a turn that it shares with others; more than one statement is a transaction of its own. */
  async #write<T>(operation: (now: number) => Outcome<T>): Promise<Outcome<T>> {
    return this.#commits.run(() => operation(now())) ?? tooMany
  }

  #migrateOnce(): void {
    if (this.#migrated) return
    migrate(this.ctx.storage)
    this.#migrated = true
  }

  /** One alarm for the whole site, at the earliest expiry, and only while there is one. */
  #setAlarm(): void {
    if (!this.#migrated) return
    const seconds = nextExpiry(this.#sql)
    const alarm = seconds === undefined ? null : seconds * 1000
    if (alarm === this.#alarm) return
    this.#alarm = alarm
    if (alarm === null) this.ctx.storage.deleteAlarm()
    else this.ctx.storage.setAlarm(alarm)
  }
}

const notFound = {
  ok: false,
  code: 'payin.resource.not.found',
  description: 'there is no such QR code',
} as const

const tooMany = {
  ok: false,
  code: 'service.unavailable',
  description: 'too many calls wait for the site',
} as const

/** Unix seconds. Only this file looks at the clock. */
const now = () => Math.floor(Date.now() / 1000)
