// The units of time in a site's object: seconds in the contract and most tables, milliseconds in deliveries and timers.

declare const unit: unique symbol

/** Unix time, or a duration, in seconds. */
export type Seconds = number & { readonly [unit]: 'seconds' }
/** Unix time, or a duration, in milliseconds. */
export type Milliseconds = number & { readonly [unit]: 'milliseconds' }

/** A number that is known to be seconds. */
export const seconds = (value: number): Seconds => value as Seconds
/** A number that is known to be milliseconds. */
export const milliseconds = (value: number): Milliseconds => value as Milliseconds

export const toMilliseconds = (time: Seconds): Milliseconds => milliseconds(time * 1000)
/** The second that a time is in. */
export const toSeconds = (time: Milliseconds): Seconds => seconds(Math.floor(time / 1000))

/** A time that is later, or a duration that is longer, by a duration of the same unit. */
export const plus = <Unit extends Seconds | Milliseconds>(time: Unit, duration: Unit): Unit =>
  (time + duration) as Unit

/** The earliest of the times that there are. */
export const earliest = <Unit extends Seconds | Milliseconds>(
  ...times: (Unit | undefined)[]
): Unit | undefined =>
  times.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined)
