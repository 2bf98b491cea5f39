// Values of the tables that the object keeps in memory, so that a create only inserts. No other writer can change them.
import type { Limits } from '../../contract/limits.ts'
import type { CashRegister } from '../../contract/receipts/cash-register.ts'
import type { Terms } from '../../contract/receipts/receipt.ts'
import type { ContactTexts, Initiator, Memory, NewQrCode } from '../context.ts'
import { lastEvent } from '../events/events.ts'
import { type OperatorSettings, operatorSettingsIn } from '../operator/limits.ts'
import { hasDeleted, latestQrCode } from '../qr-codes/rows.ts'
import { contactTextsIn } from '../receipts/contacts.ts'
import { hasReceiptsIn, receiptSettingsIn, termsText } from '../receipts/terms.ts'
import { integer, requiredInteger, type Sql } from '../rows/sql.ts'
import { hasSettlementsIn } from '../settlements/has-settlements.ts'
import { earliest, type Milliseconds, type Seconds, toMilliseconds } from '../time.ts'

/** Rows that are remembered at once: a site has a few. */
const MAX_KNOWN = 100

/** The cash register of a site of the sandbox. */
export type OwnRegister = () => CashRegister | undefined

/** @param has whether the site has tables, or rows, that most sites have not */
type NextWake = (sql: Sql, has: { receipts: boolean; settlements: boolean }) => Milliseconds | undefined

/** Each value is read from the tables when it is first needed, and equals them from then on; see forget. */
export class TableMemory implements Memory {
  readonly #sql: Sql
  readonly #nextWakeOf: NextWake
  #latestQrCode: { number: number; createdAt: Seconds | undefined } | undefined
  #hasDeleted: boolean | undefined
  #hasReceipts: boolean | undefined
  #hasSettlements: boolean | undefined
  #lastEvent: number | undefined
  #contactTexts: ContactTexts | undefined
  #operator: OperatorSettings | undefined
  #terms: Terms | undefined
  #nextWake: { at: Milliseconds | undefined } | undefined
  readonly #ownRegister: OwnRegister
  readonly #linkBases: Numbers
  readonly #callers: Numbers
  readonly #termsNumbers: Numbers

  /**
   * @param nextWakeOf computes the next wake from the tables
   * @param ownRegister the cash register of a site of the sandbox
   */
  constructor(sql: Sql, nextWakeOf: NextWake, ownRegister: OwnRegister = () => undefined) {
    this.#sql = sql
    this.#nextWakeOf = nextWakeOf
    this.#ownRegister = ownRegister
    this.#termsNumbers = new Numbers(sql, 'receipt_terms', ['terms'])
    this.#linkBases = new Numbers(sql, 'link_bases', ['base', 'bank'])
    this.#callers = new Numbers(sql, 'callers', ['actor', 'key_id', 'person'])
  }

  /** Reads everything again: after a rollback, which does not undo what is in memory. */
  forget(): void {
    this.#latestQrCode = undefined
    this.#hasDeleted = undefined
    this.#hasReceipts = undefined
    this.#hasSettlements = undefined
    this.#lastEvent = undefined
    this.forgetContactTexts()
    this.forgetSettings()
    this.#linkBases.forget()
    this.#callers.forget()
    this.#termsNumbers.forget()
    this.forgetWake()
  }

  forgetSettings(): void {
    this.#operator = undefined
    this.#terms = undefined
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
    return this.#operatorSettings.limits
  }

  get cashRegister(): CashRegister | undefined {
    return this.#operatorSettings.cashRegister ?? this.#ownRegister()
  }

  get #operatorSettings(): OperatorSettings {
    this.#operator ??= operatorSettingsIn(this.#sql)
    return this.#operator
  }

  get terms(): Terms | undefined {
    const register = this.cashRegister
    if (!register) return undefined
    this.#terms ??= { register, ...receiptSettingsIn(this.#sql) }
    return this.#terms
  }

  /** The next wake by the tables; undefined if nothing will become due. */
  get nextWake(): Milliseconds | undefined {
    this.#nextWake ??= {
      at: this.#nextWakeOf(this.#sql, { receipts: this.hasReceipts, settlements: this.hasSettlements }),
    }
    return this.#nextWake.at
  }

  linkBase({ base, bank }: { base: string; bank: string }): number {
    return this.#linkBases.numberOf(base, bank)
  }

  caller({ actor, keyId = '', person }: Initiator): number {
    return this.#callers.numberOf(actor, keyId, person?.id ?? '')
  }

  get hasReceipts(): boolean {
    this.#hasReceipts ??= hasReceiptsIn(this.#sql)
    return this.#hasReceipts
  }

  get hasSettlements(): boolean {
    this.#hasSettlements ??= hasSettlementsIn(this.#sql)
    return this.#hasSettlements
  }

  settlementsMade(): void {
    this.#hasSettlements = true
  }

  get contactTexts(): ContactTexts {
    this.#contactTexts ??= contactTextsIn(this.#sql)
    return this.#contactTexts
  }

  contactAppended(number: number): void {
    this.#contactTexts = { latest: number, free: undefined }
  }

  forgetContactTexts(): void {
    this.#contactTexts = undefined
  }

  termsNumber(terms: Terms): number {
    this.#hasReceipts = true
    return this.#termsNumbers.numberOf(termsText(terms))
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
  readonly #sql: Sql
  readonly #select: string
  readonly #insert: string
  readonly #known = new Map<string, number>()

  constructor(sql: Sql, table: string, columns: readonly string[]) {
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
