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

/**
 * A number of 48 bits for a text: two of a million texts have the same one with a chance of 1 to 500; see PLACES in moving.ts.
 * SHA-256 would take a fifth of an import. Who makes texts of one number fails his own import alone: the ninth entry with it is an error
 * each time.
 */
function numberOf(text: string): number {
  let [high, low] = [0x811c9dc5, 0x9747b28c]
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    high = Math.imul(high ^ unit, 0x9e3779b1)
    low = Math.imul(low ^ unit, 0x5f356495)
  }
  const mixed = mix(high ^ mix(low))
  return (mixed & 0xffff) * 2 ** 32 + (mix(low ^ mixed) >>> 0)
}

/** The finalizer of MurmurHash3: each bit of the result depends on each bit. */
function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

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
