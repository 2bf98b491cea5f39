// What the entries of a settlement file add up to, by kind and by day of payout.
import type { Entry, EntryKind } from '../../src/settlement/formats/entry.ts'

/** The amounts of an entry that are added up. */
export const AMOUNTS = ['gross', 'fee', 'feeVat', 'feeVatSeparate', 'net'] as const
export type Amount = (typeof AMOUNTS)[number]

export interface Sum {
  /** A bigint: 100,000 amounts can be more than 2^53 kopecks. */
  kopecks: bigint
  /** How many entries state the amount. */
  stated: number
}

/** Entries that are added up together. */
export interface Group {
  count: number
  amounts: Record<Amount, Sum>
}

export class Sums {
  readonly kinds = new Map<EntryKind, Group>()
  /** By day of payout, without payouts: these are what the operations of a day make. Without a day it is undefined. */
  readonly days = new Map<string | undefined, Group>()
  /** The payouts by day. */
  readonly payouts = new Map<string | undefined, Group>()

  add(entry: Entry): void {
    addTo(this.kinds, entry.kind, entry)
    addTo(entry.kind === 'payout' ? this.payouts : this.days, entry.paidOn, entry)
  }
}

function addTo<Key>(groups: Map<Key, Group>, key: Key, entry: Entry): void {
  const group = groups.get(key) ?? emptyGroup()
  groups.set(key, group)
  group.count++
  for (const name of AMOUNTS) {
    const amount = entry[name]
    if (amount === undefined) continue
    group.amounts[name].kopecks += BigInt(amount)
    group.amounts[name].stated++
  }
}

export const emptyGroup = (): Group => {
  const none = (): Sum => ({ kopecks: 0n, stated: 0 })
  return {
    count: 0,
    amounts: { gross: none(), fee: none(), feeVat: none(), feeVatSeparate: none(), net: none() },
  }
}
