// The context of an operation: the first parameter of its functions.
import type { Caller } from '../contract/caller.ts'
import type { Actor } from '../contract/event.ts'
import type { Network } from '../contract/payment.ts'
import type { Outcome } from '../errors.ts'
import type { Memory } from './memory.ts'
import type { Seconds } from './time.ts'

/** Who causes an event. */
export type Cause = Pick<Caller, 'keyId'> & { actor: Actor }

export const CLOCK: Cause = { actor: 'clock' }

/** Functions that only read or write rows, for no operation in particular, take `sql` alone. */
export interface Context {
  sql: SqlStorage
  memory: Memory
  siteId: string
  /** The time of the operation: its events and rows have it. */
  now: Seconds
  /** Who causes the events of the operation. */
  by: Cause
}

/** The context of a report. */
export interface ReportContext extends Context {
  /** The network that reports. */
  network: Network
}

/** A synchronous write that a caller requests. */
export interface Write<T> {
  caller: Caller
  operation(context: Context): Outcome<T>
}

/** The context of a change that the clock causes at a time. */
export const atTime = (context: Context, now: Seconds): Context => ({ ...context, now, by: CLOCK })
