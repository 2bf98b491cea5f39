// The context of an operation: the first parameter of its functions.
import type { Caller, PersonOfCall } from '../contract/caller.ts'
import type { Actor } from '../contract/event.ts'
import type { Limits } from '../contract/limits.ts'
import type { Network } from '../contract/payment.ts'
import type { CashRegister } from '../contract/receipts/cash-register.ts'
import type { Terms } from '../contract/receipts/receipt.ts'
import type { Seconds } from './time.ts'

/** Who causes an event. */
export type Initiator = Pick<Caller, 'keyId' | 'confirmation'> &
  Partial<Pick<Caller, 'scopes' | 'tills'>> & {
    actor: Actor
    person?: Pick<PersonOfCall, 'id'> | undefined
  }

export const CLOCK: Initiator = { actor: 'clock' }

/** What the object remembers of its tables: each value equals what a query would give. */
export interface Memory {
  /** The number of the latest QR code's row, 0 before the first, and its time of creation. */
  readonly latestQrCode: { number: number; createdAt: Seconds | undefined }
  /** Whether retention has deleted a QR code. */
  readonly hasDeleted: boolean
  /** The number of the latest event, 0 before the first. */
  readonly lastEvent: number
  /** The limits that the operator set for the site. */
  readonly limits: Limits
  /** The cash register that the operator set, or the service's own in the sandbox. */
  readonly cashRegister: CashRegister | undefined
  /** Whether a code or a sale of the site ever had a receipt. */
  readonly hasReceipts: boolean
  /** Whether the site ever began an import of a settlement: only then it has their tables. */
  readonly hasSettlements: boolean
  /** Which text the next contact takes. */
  readonly contactTexts: ContactTexts
  /** What holds for the receipts of a new code or sale; undefined without a cash register. */
  readonly terms: Terms | undefined
  /** The number of a row of link_bases, which is added if the site does not have it. */
  linkBase(link: { base: string; bank: string }): number
  /** The number of a row of callers, which is added if the site does not have it. */
  caller(by: Initiator): number
  /** A QR code was inserted. */
  created(row: NewQrCode): void
  /** Retention has run, and may have deleted QR codes. */
  deleted(): void
  /** An event was appended. */
  appended(number: number): void
  /** The text of a contact was appended. */
  contactAppended(number: number): void
  /** The tables of settlements were made. */
  settlementsMade(): void
  /** The text of a contact was erased, or the place of one taken. */
  forgetContactTexts(): void
  /** The number of a row of receipt_terms, which is added if the site does not have it. */
  termsNumber(terms: Terms): number
  /** What the operator or the merchant set of the site was replaced. */
  forgetSettings(): void
  /** A write can have changed the next wake. Every write calls this but a create; see created. */
  forgetWake(): void
}

/** A new QR code: the number of its row, and its times; end_at is NULL where it has no end. */
export interface NewQrCode {
  number: number
  created_at: Seconds
  end_at: Seconds | null
}

/** Numbers of texts of contacts; undefined where there is none. */
export interface ContactTexts {
  latest: number | undefined
  /** One that was erased: the next contact takes its place. */
  free: number | undefined
}

/** Functions that only read or write rows, for no operation in particular, take `sql` alone. */
export interface Context {
  sql: SqlStorage
  memory: Memory
  siteId: string
  /** The time of the operation: its events and rows have it. */
  now: Seconds
  /** Who causes the events of the operation. */
  by: Initiator
}

/** The context of a report. */
export interface ReportContext extends Context {
  /** The network that reports. */
  network: Network
}

/** The context of a change that the clock causes at a time. */
export const atTime = (context: Context, now: Seconds): Context => ({ ...context, now, by: CLOCK })
