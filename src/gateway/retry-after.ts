// Reads the header Retry-After (RFC 9110, section 10.2.3).

/**
 * The delay that the header states: its value is a number of seconds, or a date.
 * @param now Unix milliseconds
 * @returns seconds; undefined if it is neither
 */
export function retryAfterOf(header: string, now: number): number | undefined {
  if (/^\d+$/.test(header)) return Number(header)
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(Math.ceil((date - now) / 1000), 0)
}
