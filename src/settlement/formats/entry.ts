// What a parser gives for a bank's settlement file: entries and a summary, or the faults of the file.

export type EntryKind = 'payment' | 'refund' | 'fee' | 'payout' | 'correction'

/** No bank has a longer number: what is stored of an operation is small, so that a step of an import is. */
export const MAX_ID = 256
export const ID_RULE = `must have at most ${MAX_ID} characters`

/** What a line names, as far as the bank states it. The names are the same for all banks. */
export interface BankIds {
  /** The bank's number of the payment; of a refund, that of the payment which it is for. */
  paymentId?: string | undefined
  /** The number of the refund. */
  refundId?: string | undefined
  /** The number of the operation itself: at T-Bank the network's, in a statement the posting's. */
  operationId?: string | undefined
  qrcId?: string | undefined
  order?: string | undefined
}

/**
 * One operation of a file. Amounts are kopecks; what the merchant loses is negative: refunds, fees, VAT, what the bank takes back.
 * What the bank does not state is absent.
 */
export interface Entry {
  kind: EntryKind
  /** The bank's word for the kind. */
  type: string
  /** From 1, as an editor counts them; of JSON, which operation of the file it is. */
  line: number
  /**
   * What is the same in each file that has the operation, and differs from that of any other one of the same bank: kind and
   * number, or what is stated and which of the equal lines it is.
   */
  identity: string
  gross?: number | undefined
  fee?: number | undefined
  /** The part of `fee` that is VAT. */
  feeVat?: number | undefined
  /** VAT that the bank states beside its fee, and of which it does not say whether the fee has it. */
  feeVatSeparate?: number | undefined
  net?: number | undefined
  currency: 'RUB'
  /** Unix seconds. Without a time it is the beginning of the day in Moscow. */
  operatedAt: number
  hasTime: boolean
  /** The day of the payout: `2026-11-20`. */
  paidOn?: string | undefined
  merchant?: string | undefined
  terminal?: string | undefined
  bankIds: BankIds
}

export interface Summary {
  /** The operations of the file: entries and what is skipped. */
  lines: number
  entries: number
  /** Operations with cards and of other products. */
  skipped: number
  /** Of the skipped operations: the sum of `net` in kopecks for each day of payout, where the bank states both. */
  skippedNet: Record<string, number>
  /** The days that the file is about: what it states, else those of its operations. Absent in an empty file. */
  from?: string | undefined
  to?: string | undefined
}

/** What is wrong, by line and column: `{"lines[17].SUM": ["is 1,234, must have two digits"]}`. */
export type FaultTexts = Record<string, string[]>

/** The file is not what its bank describes; `faults` are its first ones. */
export class Unreadable extends Error {
  readonly faults: FaultTexts

  constructor(faults: FaultTexts) {
    super('the file cannot be read')
    this.faults = faults
  }
}

/** The file has more bytes or lines than are read; the message says which. */
export class TooLarge extends Error {}

/** A request's body, or what comes out of a zip. */
export type Bytes = AsyncIterable<Uint8Array>

/**
 * Reads a file; yields entries in batches, each made of at most 64 KiB of the file or of one element of it.
 * @throws Unreadable, TooLarge; what was yielded before is void then
 */
export type Parse = (bytes: Bytes) => AsyncGenerator<Entry[], Summary>
