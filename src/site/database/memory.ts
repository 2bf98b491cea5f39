// Values of the tables that the object keeps in memory, so that a create only inserts. No other writer can change them.
import type { Limits } from '../../contract/limits.ts'
import type { Initiator, Memory, NewQrCode } from '../context.ts'
import { lastEvent } from '../events/events.ts'
import { limitsIn } from '../operator/limits.ts'
import { hasDeleted, latestQrCode } from '../qr-codes/rows.ts'
import { integer, requiredInteger, type Sql } from '../rows/sql.ts'
import { earliest, type Milliseconds, type Seconds, toMilliseconds } from '../time.ts'

/** Rows that are remembered at once: a site has a few. */
const MAX_KNOWN = 100

/** Each value is read from the tables when it is first needed, and equals them from then on; see forget. */
export class TableMemory implements Memory {
  readonly #sql: SqlStorage
  readonly #nextWakeOf: (sql: Sql) => Milliseconds | undefined
  #latestQrCode: { number: number; createdAt: Seconds | undefined } | undefined
  #hasDeleted: boolean | undefined
  #lastEvent: number | undefined
  #limits: Limits | undefined
  #nextWake: { at: Milliseconds | undefined } | undefined
  readonly #linkBases: Numbers
  readonly #callers: Numbers

  /** @param nextWakeOf computes the next wake from the tables */
  constructor(sql: SqlStorage, nextWakeOf: (sql: Sql) => Milliseconds | undefined) {
    this.#sql = sql
    this.#nextWakeOf = nextWakeOf
    this.#linkBases = new Numbers(sql, 'link_bases', ['base', 'bank'])
    this.#callers = new Numbers(sql, 'callers', ['actor', 'key_id', 'person'])
  }

  /** Reads everything again: after a rollback, which does not undo what is in memory. */
  forget(): void {
    this.#latestQrCode = undefined
    this.#hasDeleted = undefined
    this.#lastEvent = undefined
    this.forgetLimits()
    this.#linkBases.forget()
    this.#callers.forget()
    this.forgetWake()
  }

  forgetLimits(): void {
    this.#limits = undefined
  }

  forgetWake(): void {
    this.#nextWake = undefined
  }

  get latestQrCode(): { number: number; createdAt: Seconds | undefined } {
    this.#latestQrCode ??= latestQrCode(this.#sql)
    return this.#latestQrCode
  }

  get hasDeleted(): boolean {
    this.#hasDeleted ??= hasDeleted(this.#sql)
    return this.#hasDeleted
  }

  get lastEvent(): number {
    this.#lastEvent ??= lastEvent(this.#sql)
    return this.#lastEvent
  }

  get limits(): Limits {
    this.#limits ??= limitsIn(this.#sql)
    return this.#limits
  }

  /** The next wake by the tables; undefined if nothing will become due. */
  get nextWake(): Milliseconds | undefined {
    this.#nextWake ??= { at: this.#nextWakeOf(this.#sql) }
    return this.#nextWake.at
  }

  linkBase({ base, bank }: { base: string; bank: string }): number {
    return this.#linkBases.numberOf(base, bank)
  }

  caller({ actor, keyId = '', person }: Initiator): number {
    return this.#callers.numberOf(actor, keyId, person?.id ?? '')
  }

  created(row: NewQrCode): void {
    this.#latestQrCode = { number: row.number, createdAt: row.created_at }
    if (this.#nextWake && row.end_at !== null) {
      this.#nextWake = { at: earliest(this.#nextWake.at, toMilliseconds(row.end_at)) }
    }
  }

  deleted(): void {
    this.#hasDeleted = undefined
  }

  appended(number: number): void {
    this.#lastEvent = number
  }
}

/** A table that gives texts, one for each of its columns, a number. */
class Numbers {
  readonly #sql: SqlStorage
  readonly #select: string
  readonly #insert: string
  readonly #known = new Map<string, number>()

  constructor(sql: SqlStorage, table: string, columns: readonly string[]) {
    this.#sql = sql
    this.#select = `SELECT number FROM ${table} WHERE ${columns.map((column) => `${column} = ?`).join(' AND ')}`
    this.#insert = `INSERT INTO ${table} (${columns}) VALUES (${columns.map(() => '?')})`
  }

  forget(): void {
    this.#known.clear()
  }

  numberOf(...texts: readonly string[]): number {
    const key = texts.join('\n')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const number = integer(this.#sql, this.#select, ...texts) ?? this.#add(texts)
    if (this.#known.size === MAX_KNOWN) this.#known.clear()
    this.#known.set(key, number)
    return number
  }

  #add(texts: readonly string[]): number {
    this.#sql.exec(this.#insert, ...texts)
    return requiredInteger(this.#sql, this.#select, ...texts)
  }
}
