// Statistics of a series of measurements: percentile, median, ratio of two series.

/** The value that a share of the values does not exceed; NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/**
 * How many times as large the first values are as the second: the median of the ratios round by round, because a
 * machine that slows down for a while does so for both of a round.
 */
export const ratio = (values: readonly number[], others: readonly number[]): number =>
  median(values.map((value, round) => value / (others[round] ?? Number.NaN)))
