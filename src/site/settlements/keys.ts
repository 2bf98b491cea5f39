// Numbers for what entries are found by.

import { digestOf } from '../../settlement/digest.ts'
import type { BankIds, EntryKind } from '../../settlement/formats/entry.ts'
import type { SettlementBank, SettlementFormat } from '../../settlement/sources.ts'

/** Which files have an entry, as far as it can be the same one. */
export interface Source {
  bank: SettlementBank
  format: SettlementFormat
}

/** What is the same in each file of a site that has the entry, and differs from that of any other one. */
export const identityOf = ({ bank, format }: Source, identity: string): string =>
  `${bank}\n${format}\n${identity}`

/** How the contract names an entry. @param identity of identityOf */
export const entryUidOf = (identity: string): string => digestOf(identity).slice(0, 32)

/** 48 bits: an exact number, of at most 15 digits. Two of a million entries have the same one with a chance of 1 to 500; see placeOf. */
const HEX_DIGITS = 12
const numberOf = (text: string): number => Number.parseInt(digestOf(text).slice(0, HEX_DIGITS), 16)

/** Where the row of an entry is, unless another entry has taken the place. */
export const firstPlaceOf = numberOf

/** Of what kind an entry is for its matching. */
export type Matching = 'payment' | 'refund' | 'other'

export const matchingOf = (kind: EntryKind): Matching =>
  kind === 'payment' || kind === 'refund' ? kind : 'other'

/** A value of an id that entries of a kind have: those of one bank and format find each other by it. */
export interface Value extends Source {
  of: Matching
  name: keyof BankIds
  value: string
}

export const keyOf = ({ bank, format, of, name, value }: Value): number =>
  numberOf([bank, format, of, name, value].join('\n'))
