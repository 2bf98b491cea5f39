// A cell of a report: what it is, so that each format of a file can write it in its own way.

/** Absent of an empty cell. A text that begins as a formula has an apostrophe already. */
export type Cell =
  | { text: string }
  /** An amount, in minor units. */
  | { minorUnits: number }
  /** Such as `2026-11-20`. */
  | { day: string }
  /** Unix seconds. */
  | { at: number }
  | { whole: number }
  | undefined
