// What the object remembers of its tables, because it is their only writer: so that a create only inserts.
import type { Cause } from './context.ts'
import { lastEvent } from './events.ts'
import { endOf, latestQrCode } from './rows/qr-codes.ts'
import { integer, requiredInteger } from './rows/sql.ts'
import { earliest, type Milliseconds, type Seconds, toMilliseconds } from './time.ts'
import { nextWake } from './wake.ts'

/** Pairs that are remembered at once: a site has a few. */
const MAX_PAIRS = 100

/** A new QR code: the number of its row, and its times. */
export interface NewQrCode {
  number: number
  created_at: Seconds
  ttl: number
  end_at: Seconds
}

/** Each value is read from the tables when it is first needed, and equals them from then on; see forget. */
export class Memory {
  readonly #sql: SqlStorage
  #latestQrCode: { number: number; createdAt: Seconds | undefined } | undefined
  #lastEvent: number | undefined
  #nextWake: { at: Milliseconds | undefined } | undefined
  readonly #linkBases: Numbers
  readonly #callers: Numbers

  constructor(sql: SqlStorage) {
    this.#sql = sql
    this.#linkBases = new Numbers(sql, 'link_bases', 'base', 'bank')
    this.#callers = new Numbers(sql, 'callers', 'actor', 'key_id')
  }

  /** Reads everything again: after a rollback, which does not undo what is in memory. */
  forget(): void {
    this.#latestQrCode = undefined
    this.#lastEvent = undefined
    this.#linkBases.forget()
    this.#callers.forget()
    this.forgetWake()
  }

  /** A write can have changed the next wake. Every write calls this but a create; see created. */
  forgetWake(): void {
    this.#nextWake = undefined
  }

  /** The number of the latest QR code's row, 0 before the first, and its time of creation. */
  get latestQrCode(): { number: number; createdAt: Seconds | undefined } {
    this.#latestQrCode ??= latestQrCode(this.#sql)
    return this.#latestQrCode
  }

  /** The number of the latest event, 0 before the first. */
  get lastEvent(): number {
    this.#lastEvent ??= lastEvent(this.#sql)
    return this.#lastEvent
  }

  /** The next wake by the tables; undefined if nothing will become due. */
  get nextWake(): Milliseconds | undefined {
    this.#nextWake ??= { at: nextWake(this.#sql) }
    return this.#nextWake.at
  }

  /** The number of a row of link_bases, which is added if the site does not have it. */
  linkBase({ base, bank }: { base: string; bank: string }): number {
    return this.#linkBases.numberOf(base, bank)
  }

  /** The number of a row of callers, which is added if the site does not have it. */
  caller({ actor, keyId = '' }: Cause): number {
    return this.#callers.numberOf(actor, keyId)
  }

  /** A QR code was inserted. */
  created(row: NewQrCode): void {
    this.#latestQrCode = { number: row.number, createdAt: row.created_at }
    const end = endOf(row)
    if (this.#nextWake && end !== undefined) {
      this.#nextWake = { at: earliest(this.#nextWake.at, toMilliseconds(end)) }
    }
  }

  /** An event was appended. */
  appended(number: number): void {
    this.#lastEvent = number
  }
}

/** A table that gives each pair of texts a number. */
class Numbers {
  readonly #sql: SqlStorage
  readonly #select: string
  readonly #insert: string
  readonly #known = new Map<string, number>()

  constructor(sql: SqlStorage, table: string, first: string, second: string) {
    this.#sql = sql
    this.#select = `SELECT number FROM ${table} WHERE ${first} = ? AND ${second} = ?`
    this.#insert = `INSERT INTO ${table} (${first}, ${second}) VALUES (?, ?)`
  }

  forget(): void {
    this.#known.clear()
  }

  numberOf(first: string, second: string): number {
    const key = `${first}\n${second}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const number = integer(this.#sql, this.#select, first, second) ?? this.#add(first, second)
    if (this.#known.size === MAX_PAIRS) this.#known.clear()
    this.#known.set(key, number)
    return number
  }

  #add(first: string, second: string): number {
    this.#sql.exec(this.#insert, first, second)
    return requiredInteger(this.#sql, this.#select, first, second)
  }
}
