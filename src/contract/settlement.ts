// Settlement: the files of banks that a site has imported, what is in them, and how it matches (contract, section 18).

import type { Difference } from '../settlement/differences.ts'
import type { EntryKind } from '../settlement/formats/entry.ts'
import type { SettlementBank, SettlementFormat } from '../settlement/sources.ts'

/** A file that a site has imported; times are Unix seconds, days such as `2026-11-20`. */
export interface Settlement {
  settlementUid: string
  bank: SettlementBank
  format: SettlementFormat
  /** Of the bytes of the file, as hex. */
  sha256: string
  /** The days that the file is about; absent of an empty file. */
  from?: string | undefined
  to?: string | undefined
  importedAt: number
  /** The operations of the file: entries and what is skipped. */
  lines: number
  entries: number
  skipped: number
  /** Entries that an earlier file has too. */
  repeated: number
  /** Entries by their state, as they stand now. */
  matched: number
  mismatched: number
  unknown: number
}

/** Which file is imported. */
export type SettlementSpec = Pick<Settlement, 'settlementUid' | 'bank' | 'format'> & {
  /** The file is a part of one that was split over several sites: what it says of payouts is not complete. */
  isPart?: boolean | undefined
}

/** What became of a step of an import. */
export type ImportStep = { isDone: false } | { isDone: true; settlement: Settlement; isReplayed: boolean }

/** What became of a step of a deletion; the settlement as it was, where there was one. */
export type DeletionStep =
  | { isDone: true; settlement?: Settlement | undefined }
  | { isDone: false; token: string }

export const ENTRY_STATES = ['MATCHED', 'MISMATCHED', 'UNKNOWN', 'EXPECTED'] as const
export type EntryState = (typeof ENTRY_STATES)[number]

/** An entry, or a payment or refund that no file has (`EXPECTED`); amounts are kopecks, with the signs of `Entry`. */
export interface SettlementEntry {
  entryUid: string
  kind: EntryKind
  /** Absent of a fee, a correction or a payout with nothing to compare. */
  state?: EntryState | undefined
  gross?: number | undefined
  fee?: number | undefined
  feeVat?: number | undefined
  feeVatSeparate?: number | undefined
  net?: number | undefined
  currency: string
  /** Unix seconds. */
  operatedAt: number
  paidOn?: string | undefined
  /** As the bank calls it, in the bank's own names of ids. */
  bankIds: Readonly<Record<string, string>>
  /** Absent of what is EXPECTED. */
  line?: number | undefined
  settlementUid?: string | undefined
  paymentUid?: string | undefined
  refundUid?: string | undefined
  qrCodeUid?: string | undefined
  differences: readonly Difference[]
}

/** Files, newest first. */
export interface SettlementPage {
  settlements: Settlement[]
  /** The cursor of the next page; absent at the end. */
  next?: number | undefined
}

/** A month, or another time: from a time up to, not including, another, in Unix seconds; and how late a bank may be. */
export interface SettlementPeriod {
  since: number
  until: number
  /** SETTLEMENT_DAYS. */
  days: number
  /** In Moscow: `2026-11-20`. */
  today: string
}

/** Where entries are in the order of time: `source` is 0 of an entry, 1 of a payment and 2 of a refund that is EXPECTED. */
export interface EntryCursor {
  at: number
  source: number
  number: number
}

export interface EntriesQuery extends SettlementPeriod {
  state?: EntryState | undefined
  kind?: EntryKind | undefined
  limit: number
  cursor?: EntryCursor | undefined
}

/** Entries and what is EXPECTED, oldest first. */
export interface EntryPage {
  entries: SettlementEntry[]
  /** Absent at the end. */
  next?: EntryCursor | undefined
}

/** A place in the report of a generation: with another one the rows behind it are not of the same report. */
export interface ReportCursor extends EntryCursor {
  generation: number
}

export interface SettlementReportQuery extends SettlementPeriod {
  after?: ReportCursor | undefined
}

export interface SettlementReportPage {
  rows: SettlementReportRow[]
  /** Absent at the end. */
  next?: ReportCursor | undefined
}

/** What an entry of the report of a month has besides: a column each of the file for the accountant. */
export interface SettlementReportRow extends SettlementEntry {
  bank: SettlementBank
  format: SettlementFormat
  /** The merchant's number of what was paid: the sale, else the QR code. */
  documentNumber?: string | undefined
  /** Of the QR code or its sale: the purpose of the payment. */
  purpose?: string | undefined
}

/** A day on which the bank paid out. */
export interface Payout {
  paidOn: string
  /** What a statement has as paid out, in kopecks. */
  stated?: number | undefined
  /** The sum of `net` of the entries and of the skipped lines that are paid out on the day; absent where one states no net. */
  sum?: number | undefined
  state?: 'MATCHED' | 'MISMATCHED' | undefined
}

/** The sums of a month, in kopecks, with the signs of entries. */
export interface SettlementMonth {
  payments: number
  gross: number
  refunds: number
  refunded: number
  fee: number
  feeVat: number
  net: number
  /** Operations whose bank states no fee, and no VAT: above 0 the sum is not complete. */
  withoutFee: number
  withoutVat: number
  payouts: Payout[]
  matched: number
  mismatched: number
  unknown: number
  expected: number
}
