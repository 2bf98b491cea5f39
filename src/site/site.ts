// The Durable Object: the books of one merchant site, and their only writer.
import { DurableObject } from 'cloudflare:workers'
import type { Actor, EventPage } from '../contract/event.ts'
import { isPayable, next } from '../contract/life.ts'
import type { Payment } from '../contract/payment.ts'
import type { QrCode } from '../contract/qr-code.ts'
import type { Outcome } from '../errors.ts'
import { change, type EventQuery, eventsOf, expire, nextExpiry } from './events.ts'
import { groupCommit } from './group-commit.ts'
import { createListeners } from './listeners.ts'
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
import { hasTables, migrate } from './schema.ts'

/** QR codes that one alarm works off; where more are due, the next alarm follows at once. */
const EXPIRED_AT_ONCE = 500

/** A request to wait until a QR code has another version than the caller knows. */
export interface LongPoll {
  /** Unique, chosen by the caller: names the listener to `stopListening`. */
  id: string
  version: number
  milliseconds: number
}

/** A QR code, and whether the call waited. */
export interface Polled {
  qrCode: QrCode
  waited: boolean
}

export class Site extends DurableObject {
  readonly #sql = this.ctx.storage.sql
  readonly #commits = groupCommit({
    ended: () => this.#setAlarm(),
    committed: () => this.ctx.storage.sync(),
    next: (turn) => setTimeout(turn, 0),
  })
  readonly #listeners = createListeners()
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

  /** A QR code as it stands. */
  async read(key: QrCodeKey): Promise<Outcome<QrCode>> {
    const row = this.#find(key)
    return row ? { ok: true, value: qrCodeOf(row, now()) } : notFound
  }

  /**
   * A QR code as it stands, when it has another version or the time is over; at once where too many listen already.
   * Its expiry ends the wait too, because the alarm may be late.
   */
  async longPoll(key: QrCodeKey, { id, version, milliseconds }: LongPoll): Promise<Outcome<Polled>> {
    const row = this.#find(key)
    if (!row) return notFound
    const qrCode = qrCodeOf(row, now())
    const untilExpiry = isPayable(qrCode.status) ? qrCode.expiresAt * 1000 - Date.now() : milliseconds
    const kind = 'link' in key ? 'payer' : 'merchant'
    const change =
      qrCode.version === version && milliseconds > 0
        ? this.#listeners.listen(
            { id, kind, qrCode: row.number, version },
            Math.min(milliseconds, untilExpiry),
          )
        : undefined
    if (!change) return { ok: true, value: { qrCode, waited: false } }
    await change
    const after = await this.read(key)
    return after.ok ? { ok: true, value: { qrCode: after.value, waited: true } } : after
  }

  /** Ends a long poll whose client has disconnected. */
  async stopListening(id: string): Promise<void> {
    this.#listeners.stop(id)
  }

  /** A page of QR codes, newest first. */
  async list(query: PageQuery): Promise<Outcome<QrCodePage>> {
    return { ok: true, value: this.#migrated ? listQrCodes(this.#sql, query, now()) : { qrCodes: [] } }
  }

  /** A page of what happened to a QR code, oldest first. */
  async events(key: QrCodeKey, query: EventQuery): Promise<Outcome<EventPage>> {
    const row = this.#find(key)
    return row ? { ok: true, value: eventsOf(this.#sql, row, query, now()) } : notFound
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
    for (const { number, version } of expired) this.#listeners.notify(number, version)
    this.#setAlarm()
  }

  #find(key: QrCodeKey): QrCodeRow | undefined {
    return this.#migrated ? findQrCode(this.#sql, key) : undefined
  }

  #change<T extends QrCode | Reported>(
    key: QrCodeKey,
    operation: (row: QrCodeRow, now: number) => Outcome<T>,
  ): Promise<Outcome<T>> {
    return this.#write((now) => {
      const row = this.#find(key)
      if (!row) return notFound
      const outcome = this.ctx.storage.transactionSync(() => operation(row, now))
      if (outcome.ok) {
        const { version } = 'qrCode' in outcome.value ? outcome.value.qrCode : outcome.value
        this.#listeners.notify(row.number, version)
      }
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
