// What is ours of what a bank states.
import type { BankIds } from './formats/entry.ts'

/** A payment or a refund of ours. */
export interface Operation {
  kind: 'payment' | 'refund'
  /** Unique among those of its kind. */
  uid: string
  /** Kopecks; of a refund negative. */
  amount: number
  currency: string
  status: 'WAITING' | 'COMPLETED' | 'DECLINED'
  /** Unix seconds. */
  at: number
  /** What its bank calls it, as far as it was reported, by the names of the entries. */
  ids: BankIds
}
