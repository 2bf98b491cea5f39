// A site's database as its object uses it: tables on the first write, shared commits, the alarm, notified listeners.
import type { Outcome } from '../errors.ts'
import { changedSince, lastEvent } from './events.ts'
import { createListeners, FEED, type Listener } from './listeners.ts'
import { hasTables, migrate } from './migrations.ts'
import { deleteEnded, endLeases } from './outbox.ts'
import { ok } from './outcomes.ts'
import { recordEnds } from './tokens.ts'
import { recordExpiries } from './transitions.ts'
import { nextEnd, nextWake } from './wake.ts'
import { writeQueue } from './write-queue.ts'

/** QR codes, and tokens, whose end one write records; more need further writes, so that other calls are served in between. */
const MAX_ENDS = 500

export class Store {
  readonly sql: SqlStorage
  readonly #storage: DurableObjectStorage
  readonly #clock: () => number
  readonly #listeners = createListeners()
  readonly #queue = writeQueue({
    afterFlush: () => this.#afterFlush(),
    committed: () => this.#storage.sync(),
    schedule: (flush) => setTimeout(flush, 0),
  })
  #isMigrated = false
  /** Unix milliseconds. */
  #alarm: number | null = null
  /** The number of the latest event that listeners were notified of. */
  #notified = 0

  /** @param clock Unix milliseconds */
  constructor(storage: DurableObjectStorage, clock: () => number) {
    this.#storage = storage
    this.#clock = clock
    this.sql = storage.sql
  }

  /** Prepares the object's start: the tables say what is due, whatever happened to the alarm. */
  async open(): Promise<void> {
    this.#alarm = await this.#storage.getAlarm()
    if (!hasTables(this.#storage)) return
    this.migrate()
    endLeases(this.sql)
    this.#setAlarm()
  }

  /** False before the site's first write: there are no tables. */
  get isMigrated(): boolean {
    return this.#isMigrated
  }

  /** Unix milliseconds. */
  get milliseconds(): number {
    return this.#clock()
  }

  /** Unix seconds. */
  get now(): number {
    return Math.floor(this.milliseconds / 1000)
  }

  /** Makes the tables, or brings them up to date. It writes. */
  migrate(): void {
    if (this.#isMigrated) return
    migrate(this.#storage)
    this.#isMigrated = true
    this.#notified = lastEvent(this.sql)
  }

  /** Runs statements that must all have an effect, or none; a transaction can contain others. */
  transaction<T>(operation: () => T): T {
    try {
      return this.#storage.transactionSync(operation)
    } catch (error) {
      // The rollback of a site's first write removes its tables too.
      this.#isMigrated &&= hasTables(this.#storage)
      throw error
    }
  }

  /**
   * Runs an operation in a transaction of its own, in a commit that it shares with others; see WriteQueue.
   * @param size how many writes the operation makes, 0 for one of the object itself: the queue always takes it
   */
  write<T>(operation: (now: number) => Outcome<T>, size?: number): Promise<Outcome<T>> {
    return this.#queue.run(() => this.transaction(() => operation(this.now)), size)
  }

  /** Runs a write after the answers to the calls at hand, so that none of them waits for its commit. */
  async writeLater<T>(operation: (now: number) => Outcome<T>): Promise<Outcome<T>> {
    await new Promise<void>((resolve) => setTimeout(resolve, 0))
    return this.write(operation)
  }

  /** Records everything that is due, however late the alarm is. @returns service.unavailable if the queue is full */
  async recordDue(): Promise<Outcome<void>> {
    while (this.#isMigrated && (nextEnd(this.sql) ?? Number.POSITIVE_INFINITY) <= this.milliseconds) {
      const recorded = await this.#recordEnds()
      if (!recorded.ok) return recorded
    }
    return ok(undefined)
  }

  /** Writes, and resolves when the write is on disk. */
  async probe(): Promise<void> {
    this.#storage.kv.put('probe', this.milliseconds)
    await this.#storage.sync()
  }

  /**
   * The alarm: records what is due. If more is due than one write records, the next alarm follows at once.
   * @param send sends the notifications that are due
   */
  async wake(send: () => Promise<void>): Promise<void> {
    this.#alarm = null
    this.migrate()
    await this.#recordEnds()
    await send()
    this.#setAlarm()
  }

  /**
   * Waits until the listener's subject has another version, or until the time is over.
   * @returns false where it did not wait: at the listener limit
   */
  async listen(listener: Listener, milliseconds: number): Promise<boolean> {
    const change = milliseconds > 0 ? this.#listeners.listen(listener, milliseconds) : undefined
    await change
    return change !== undefined
  }

  stopListening(id: string): void {
    this.#listeners.stop(id)
  }

  #recordEnds(): Promise<Outcome<void>> {
    return this.write((now) => {
      recordExpiries(this.sql, now, MAX_ENDS)
      recordEnds(this.sql, now, MAX_ENDS)
      deleteEnded(this.sql, this.milliseconds)
      return ok(undefined)
    })
  }

  #afterFlush(): void {
    if (!this.#isMigrated) return
    this.#setAlarm()
    this.#notify()
  }

  /** Every change has an event, so the latest events say which listeners have something to hear. */
  #notify(): void {
    const latest = lastEvent(this.sql)
    if (this.#listeners.count() > 0) {
      for (const { number, version } of changedSince(this.sql, this.#notified)) {
        this.#listeners.notify(number, version)
      }
      this.#listeners.notify(FEED, latest)
    }
    this.#notified = latest
  }

  /** One alarm for the whole site, at the next wake, and only while there is one. */
  #setAlarm(): void {
    const alarm = nextWake(this.sql) ?? null
    if (alarm === this.#alarm) return
    this.#alarm = alarm
    if (alarm === null) this.#storage.deleteAlarm()
    else this.#storage.setAlarm(alarm)
  }
}
