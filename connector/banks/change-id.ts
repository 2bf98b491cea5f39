// The ids of webhooks that tell of a change: those of one thing sort by the time of the change.

/** A change of which a webhook tells. */
export interface Change {
  /** What has changed. */
  of: string
  /** Unix milliseconds. */
  at: number
  /** Whether it decides what became of it: only such a change replaces an earlier one. */
  isFinal: boolean
}

const DIGITS = 15

/** `{of}:{time}`; what follows behind another colon does not change the order of two times. */
export const changeId = ({ of, at }: Pick<Change, 'of' | 'at'>): string =>
  `${of}:${String(at).padStart(DIGITS, '0')}`
