// How the object reads and writes its site's database, and what follows a write: the alarm and the listeners.
import type { Caller } from '../../contract/caller.ts'
import { faultOf, logLine } from '../../contract/log-line.ts'
import type { Outcome } from '../../errors.ts'
import { ApiKeys } from '../access/api-keys.ts'
import { nextWake } from '../clock.ts'
import { CLOCK, type Context, type Initiator } from '../context.ts'
import { Due } from '../due.ts'
import { Changes } from '../listeners/changes.ts'
import { setTombstone, tombstoneOf } from '../operator/deletion.ts'
import { ok } from '../outcomes.ts'
import { SessionUses } from '../people/uses.ts'
import type { QrCodeKey } from '../qr-codes/rows.ts'
import type { SiteName } from '../rows/site-id.ts'
import { earliest, type Milliseconds, milliseconds, type Seconds, toSeconds } from '../time.ts'
import { CallAdmission } from './admission.ts'
import { Alarm } from './alarm.ts'
import { type OwnRegister, TableMemory } from './memory.ts'
import { Tables } from './tables.ts'
import { Transactions } from './transactions.ts'
import { writeQueue } from './write-queue.ts'

/** How late a write comes that no caller waits for: one that fails resets the object, and others are reading it. */
const LATER_MS = 1000

interface StoreOptions {
  name: SiteName
  ownRegister?: OwnRegister
  /** Unix milliseconds. */
  clock(): number
  log(line: string): void
  /** Runs after each flush of a site that has tables; `mayChange` is false of creates alone, and of a start. */
  afterFlush(mayChange: boolean): void
  /** When the object must wake besides what the tables say. */
  wakeAt(): Milliseconds | undefined
}

export class Store {
  readonly sql: SqlStorage
  readonly name: SiteName
  readonly memory: TableMemory
  readonly changes: Changes
  readonly keys = new ApiKeys({
    clock: () => this.now,
    writeLater: (operation) => this.#later(() => this.writeOwn(operation)),
  })
  readonly sessionUses = new SessionUses((operation) => this.#later(() => this.writeOwn(operation)))
  readonly #storage: DurableObjectStorage
  readonly #options: StoreOptions
  readonly tables: Tables
  readonly #transactions: Transactions
  readonly admission: CallAdmission
  readonly #alarm: Alarm
  readonly #due = new Due({
    read: (operation) => this.tables.read(() => this.#byClock(operation)),
    write: (operation, isOwn) => this.#run(() => ok(this.#byClock(operation)), isOwn),
  })
  /** Whether a write of the flush can have changed more than a create does. */
  #mayHaveChanged = false
  readonly #queue = writeQueue({
    transaction: (operations) => this.#transactions.run(operations, this.milliseconds),
    afterFlush: () => this.#afterFlush(),
    failed: (error) => this.warn('what follows a write failed', { fault: faultOf(error) }),
    committed: () => this.#storage.sync(),
    schedule: (flush) => setTimeout(flush, 0),
  })

  constructor(storage: DurableObjectStorage, options: StoreOptions) {
    this.#storage = storage
    this.#options = options
    this.memory = new TableMemory(storage.sql, nextWake, () => options.ownRegister?.())
    const rolledBack = () => {
      this.memory.forget()
      this.keys.forgetWritten()
    }
    this.tables = new Tables(storage, options.name, () => this.now, rolledBack)
    this.#transactions = new Transactions(storage.sql, this.tables, this.memory, () =>
      this.tables.read(() => this.admission.load(this.#contextOf(CLOCK))),
    )
    this.admission = new CallAdmission(this.keys, this.tables)
    this.#alarm = new Alarm(storage)
    this.sql = storage.sql
    this.name = options.name
    this.changes = new Changes(storage.sql, this.memory, options)
  }

  /**
   * Prepares the object's start. It only reads: a commit that fails on a full disk would end every start. The first write,
   * which follows in any case, does the rest; see recoverOutbox. @returns whether the site has the tables of this version
   */
  async open(): Promise<boolean> {
    await this.#alarm.open()
    if (!this.tables.exist) return false
    this.tables.read(() => {
      this.admission.load(this.#contextOf(CLOCK))
      this.changes.open()
    })
    this.#later(() => this.#queue.run(() => ok(undefined), true)).catch((error) =>
      this.warn('a start failed', { fault: faultOf(error) }),
    )
    return this.tables.areUpToDate
  }

  get milliseconds(): Milliseconds {
    return milliseconds(this.#options.clock())
  }

  get now(): Seconds {
    return toSeconds(this.milliseconds)
  }

  /** Whether the operator has deleted the site: every call is refused. */
  get isDeleted(): boolean {
    return this.admission.isDeleted
  }

  /** Runs a read, unless the site is deleted or the caller's key is revoked. */
  read<T>(caller: Caller, operation: (context: Context) => Outcome<T>): Outcome<T> {
    return this.admission.refusalOfNew(caller) ?? this.tables.read(() => this.#admitted(caller, operation))
  }

  /**
   * Runs a read of events after the ends that are due are recorded, so that the events explain every status. No other read
   * writes, and this one only where the alarm is late.
   * @param key of the QR code whose events are read; without it, all events are
   */
  async readRecorded<T>(
    caller: Caller,
    operation: (context: Context) => Outcome<T>,
    key?: QrCodeKey,
  ): Promise<Outcome<T>> {
    const recorded = await (key
      ? (this.admission.refusalOfAll ?? this.#due.recordEndsOf(key))
      : this.recordDue())
    return recorded.ok ? this.read(caller, operation) : recorded
  }

  /**
   * Runs a write, unless by the time that it is applied the site is deleted or the caller's key is revoked. The first write
   * of a site that is not refused makes its tables.
   */
  async write<T>(caller: Caller, operation: (context: Context) => Outcome<T>): Promise<Outcome<T>> {
    return this.admission.refusalOfNew(caller) ?? this.#run(() => this.#admitted(caller, operation))
  }

  /** Runs a create. Unlike other writes, it tells Memory itself what becomes due by it. @throws what the operation throws */
  async create<T>(caller: Caller, operation: (context: Context) => Outcome<T>): Promise<Outcome<T>> {
    return this.admission.refusalOfAll ?? this.#queue.run(() => this.#admitted(caller, operation))
  }

  /** Deletes the site, whose data stay until `empty`; see CallAdmission and deleteSite. */
  async delete(caller: Caller, force: boolean, keepSeconds: number) {
    const deleted =
      this.admission.refusalOfNew(caller) ??
      (await this.#run(() => this.admission.delete(this.#contextOf(caller), force, keepSeconds)))
    if (deleted.ok) this.changes.stopAll()
    return deleted
  }

  /** Empties the database of a deleted site but for the tombstone, and resolves when that is on disk. */
  async empty(): Promise<void> {
    const tombstone = tombstoneOf(this.sql)
    // The platform deletes it too.
    this.#alarm.rang()
    await this.tables.replace(() => setTombstone(this.sql, tombstone))
  }

  /** Runs a write of the object itself, which the queue always takes. A site without tables has none. */
  async writeOwn<T>(operation: (context: Context) => T): Promise<T> {
    const outcome = await this.#run(() => ok(operation(this.#contextOf(CLOCK))), true)
    if (!outcome.ok) throw new Error(outcome.description)
    return outcome.value
  }

  /** Records ends that are due, however late the alarm is. @returns service.unavailable if the queue is full */
  async recordDue(): Promise<Outcome<void>> {
    return this.admission.refusalOfAll ?? this.#due.recordEnds()
  }

  /** Writes, and resolves when the write is on disk. */
  async probe(): Promise<void> {
    this.#storage.kv.put('probe', this.milliseconds)
    await this.#storage.sync()
  }

  /**
   * The alarm: records what is due, and sends it, also where an end cannot be recorded. If more is due than one write records, the
   * next alarm follows at once. It is set again where something fails, because the platform gives up an alarm that fails six times.
   */
  async wake(send: () => Promise<void>): Promise<void> {
    // Without tables: an alarm alone does not make a site.
    if (!this.tables.exist) return
    this.#alarm.rang()
    try {
      await this.#due.record(true).finally(send)
      this.#setAlarm()
    } catch (error) {
      this.warn('an alarm failed', { fault: faultOf(error) })
      this.#alarm.retry(this.milliseconds)
    }
  }

  #byClock<T>(operation: (context: Context, now: Milliseconds) => T, now = this.milliseconds): T {
    return operation(this.#contextOf(CLOCK, now), now)
  }

  #contextOf(by: Initiator, now = this.milliseconds): Context {
    return { sql: this.sql, memory: this.memory, siteId: this.name.value, now: toSeconds(now), by }
  }

  #admitted<T>(caller: Caller, operation: (context: Context) => Outcome<T>): Outcome<T> {
    const context = this.#contextOf(caller)
    return this.admission.refusal(caller, context) ?? operation(context)
  }

  #run<T>(operation: () => Outcome<T>, isOwn = false): Promise<Outcome<T>> {
    return this.#queue.run(() => {
      this.memory.forgetWake()
      this.#mayHaveChanged = true
      return operation()
    }, isOwn)
  }

  /** Runs a write that no caller waits for, after the answers to the calls at hand. */
  async #later(write: () => Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve) => setTimeout(resolve, LATER_MS))
    if (this.tables.exist) await write()
  }

  #afterFlush(): void {
    // A flush that failed can have left the tables of an older version.
    if (!this.tables.areUpToDate) return
    try {
      this.#options.afterFlush(this.#mayHaveChanged)
      this.#mayHaveChanged = false
    } finally {
      this.#setAlarm()
      this.changes.notify()
    }
  }

  #setAlarm(): void {
    const next = this.isDeleted ? undefined : this.tables.read(() => this.memory.nextWake)
    this.#alarm.set(earliest(next, this.#options.wakeAt()))
  }

  warn(message: string, more: object): void {
    this.#options.log(logLine(this.milliseconds, 'warning', message, { site: this.name.value, ...more }))
  }
}
