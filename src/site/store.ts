// How the object reads and writes its site's database, and what follows a write: the alarm and the listeners.
import type { Caller } from '../contract/caller.ts'
import { logLine } from '../contract/log-line.ts'
import type { Outcome } from '../errors.ts'
import { Admission } from './admission.ts'
import { Alarm } from './alarm.ts'
import { ApiKeys } from './api-keys.ts'
import { type Cause, CLOCK, type Context, type Write } from './context.ts'
import { setTombstone, tombstoneOf } from './deletion.ts'
import { recordDue } from './due.ts'
import { Changes } from './listeners/changes.ts'
import { Memory } from './memory.ts'
import { faultOf, internalError, ok } from './outcomes.ts'
import { Tables } from './tables.ts'
import { earliest, type Milliseconds, milliseconds, type Seconds, toSeconds } from './time.ts'
import { Transactions } from './transactions.ts'
import { nextEnd } from './wake.ts'
import { writeQueue } from './write-queue.ts'

/** How late a write comes that no caller waits for: one that fails resets the object, and others are reading it. */
const LATER_MS = 1000

export interface StoreOptions {
  siteId: string
  /** Unix milliseconds. */
  clock(): number
  log(line: string): void
  /** Runs after each flush of a site that has tables. */
  afterFlush(): void
  /** When the object must wake besides what the tables say. */
  wakeAt(): Milliseconds | undefined
}

export class Store {
  readonly sql: SqlStorage
  readonly memory: Memory
  readonly changes: Changes
  readonly keys = new ApiKeys({
    clock: () => this.now,
    writeLater: (operation) => this.#writeLater(operation),
  })
  readonly #storage: DurableObjectStorage
  readonly #options: StoreOptions
  readonly #tables: Tables
  readonly #transactions: Transactions
  readonly #admission: Admission
  readonly #alarm: Alarm
  readonly #queue = writeQueue({
    transaction: (operations) => this.#transactions.run(operations, this.milliseconds),
    afterFlush: () => this.#afterFlush(),
    committed: () => this.#storage.sync(),
    schedule: (flush) => setTimeout(flush, 0),
  })

  constructor(storage: DurableObjectStorage, options: StoreOptions) {
    this.#storage = storage
    this.#options = options
    this.memory = new Memory(storage.sql)
    this.#tables = new Tables(storage, options.siteId, () => {
      this.memory.forget()
      this.keys.forgetWritten()
    })
    this.#transactions = new Transactions(storage.sql, this.#tables, this.memory, () =>
      this.#tables.read(() => this.#admission.load(this.#contextOf(CLOCK))),
    )
    this.#admission = new Admission(this.keys, this.#tables)
    this.#alarm = new Alarm(storage)
    this.sql = storage.sql
    this.changes = new Changes(storage.sql, this.memory)
  }

  /**
   * Prepares the object's start. It only reads: a commit that fails on a full disk would end every start. The first write,
   * which follows in any case, does the rest; see putRight. @returns whether the site has the tables of this version
   */
  async open(): Promise<boolean> {
    await this.#alarm.open()
    if (!this.#tables.exist) return false
    this.#tables.read(() => {
      this.#admission.load(this.#contextOf(CLOCK))
      this.changes.open()
    })
    this.#writeLater(() => {}).catch((error) => this.warn('a start failed', { fault: faultOf(error) }))
    return this.#tables.areUpToDate
  }

  get siteId(): string {
    return this.#options.siteId
  }

  /** The time of the clock. */
  get milliseconds(): Milliseconds {
    return milliseconds(this.#options.clock())
  }

  get now(): Seconds {
    return toSeconds(this.milliseconds)
  }

  /** Whether the operator has deleted the site: every call is refused. */
  get isDeleted(): boolean {
    return this.#admission.isDeleted
  }

  /** Runs a read, unless the site is deleted or the caller's key is revoked. */
  read<T>(caller: Caller, operation: (context: Context) => Outcome<T>): Outcome<T> {
    return (
      this.#admission.refusalOfNew(caller) ??
      this.#admission.refusal(caller) ??
      this.#tables.read(() => operation(this.#contextOf(caller)))
    )
  }

  /** Runs a read of events, after everything that is due is recorded, so that they explain every status. */
  async readRecorded<T>(caller: Caller, operation: (context: Context) => Outcome<T>): Promise<Outcome<T>> {
    const recorded = await this.recordDue()
    return recorded.ok ? this.read(caller, operation) : recorded
  }

  /**
   * Runs a write, unless by the time that it is applied the site is deleted or the caller's key is revoked. The first write
   * of a site that is not refused makes its tables.
   */
  async write<T>(caller: Caller, operation: (context: Context) => Outcome<T>): Promise<Outcome<T>> {
    return this.#admission.refusalOfNew(caller) ?? this.#run(() => this.#admitted({ caller, operation }))
  }

  /** Deletes the site, whose data stay until `empty`; see Admission and markDeleted. */
  async delete(caller: Caller, force: boolean): Promise<Outcome<void>> {
    const deleted =
      this.#admission.refusalOfNew(caller) ??
      (await this.#run(() => this.#admission.delete(this.#contextOf(caller), force)))
    if (deleted.ok) this.changes.stopAll()
    return deleted
  }

  /** Empties the database of a deleted site but for the tombstone, and resolves when that is on disk. */
  async empty(): Promise<void> {
    const tombstone = tombstoneOf(this.sql)
    // The platform deletes it too.
    this.#alarm.rang()
    await this.#tables.replace(() => setTombstone(this.sql, tombstone))
  }

  /**
   * Runs the creates of a batch. Unlike other writes, a create itself tells Memory what becomes due by it.
   * @returns the outcome of each, in their order: one that fails does not affect the others
   */
  async createAll<T>(writes: readonly Write<T>[]): Promise<Outcome<Outcome<T>[]>> {
    const results = await this.#queue.run(writes.map((write) => () => this.#admitted(write)))
    if (!results.ok) return results
    return ok(
      results.value.map((result) =>
        result.status === 'fulfilled' ? result.value : internalError(result.reason),
      ),
    )
  }

  /** Runs a write of the object itself, which the queue always takes. A site without tables has none. */
  async writeOwn<T>(operation: (context: Context) => T): Promise<T> {
    const outcome = await this.#run(() => ok(operation(this.#contextOf(CLOCK))), 0)
    if (!outcome.ok) throw new Error(outcome.description)
    return outcome.value
  }

  /** Records everything that is due, however late the alarm is. @returns service.unavailable if the queue is full */
  async recordDue(): Promise<Outcome<void>> {
    for (;;) {
      const next = this.#tables.read(() => nextEnd(this.sql))
      if (next === undefined || next > this.milliseconds) return ok(undefined)
      const recorded = await this.#recordEnds()
      if (!recorded.ok) return recorded
    }
  }

  /** Writes, and resolves when the write is on disk. */
  async probe(): Promise<void> {
    this.#storage.kv.put('probe', this.milliseconds)
    await this.#storage.sync()
  }

  /**
   * The alarm: records what is due. If more is due than one write records, the next alarm follows at once. It is set again
   * where something fails, because the platform gives up an alarm that fails six times.
   * @param send sends the notifications that are due
   */
  async wake(send: () => Promise<void>): Promise<void> {
    // Without tables: an alarm alone does not make a site.
    if (!this.#tables.exist) return
    this.#alarm.rang()
    try {
      await this.#recordEnds(0)
      await send()
      this.#setAlarm()
    } catch (error) {
      this.warn('an alarm failed', { fault: faultOf(error) })
      this.#alarm.retry(this.milliseconds)
    }
  }

  #contextOf(by: Cause): Context {
    return { sql: this.sql, memory: this.memory, siteId: this.siteId, now: this.now, by }
  }

  #admitted<T>({ caller, operation }: Write<T>): Outcome<T> {
    return this.#admission.refusal(caller) ?? operation(this.#contextOf(caller))
  }

  /** @throws what the operation throws */
  async #run<T>(operation: () => Outcome<T>, size?: number): Promise<Outcome<T>> {
    const forgettingWake = () => {
      this.memory.forgetWake()
      return operation()
    }
    const results = await this.#queue.run([forgettingWake], size)
    if (!results.ok) return results
    const [result] = results.value
    if (result?.status === 'fulfilled') return result.value
    throw result?.reason
  }

  /** Runs a write that no caller waits for, after the answers to the calls at hand. */
  async #writeLater(operation: (context: Context) => void): Promise<void> {
    await new Promise<void>((resolve) => setTimeout(resolve, LATER_MS))
    if (this.#tables.exist) await this.writeOwn(operation)
  }

  #recordEnds(size?: number): Promise<Outcome<void>> {
    return this.#run(() => ok(recordDue(this.#contextOf(CLOCK), this.milliseconds)), size)
  }

  #afterFlush(): void {
    // A flush that failed can have left the tables of an older version.
    if (!this.#tables.areUpToDate) return
    this.#options.afterFlush()
    this.#setAlarm()
    this.changes.notify()
  }

  #setAlarm(): void {
    const next = this.isDeleted ? undefined : this.#tables.read(() => this.memory.nextWake)
    this.#alarm.set(earliest(next, this.#options.wakeAt()))
  }

  /** Logs what somebody should look at. */
  warn(message: string, more: object): void {
    this.#options.log(logLine(this.milliseconds, 'warning', message, { site: this.siteId, ...more }))
  }
}
