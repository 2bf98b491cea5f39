import { describe, expect, it } from 'vitest'
import { retryAfterOf } from '../../src/gateway/retry-after.ts'

describe('Retry-After', () => {
  const NOW = Date.UTC(2026, 10, 20, 17, 10, 32, 500)

  it.each([
    ['0', 0],
    ['120', 120],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['Fri, 20 Nov 2026 17:11:32 GMT', 60],
    ['Friday, 20-Nov-26 17:11:32 GMT', 60],
    ['Fri, 20 Nov 2026 17:10:00 GMT', 0],
  ])('%s is %d s', (header, seconds) => expect(retryAfterOf(header, NOW)).toBe(seconds))

  it.each(['', '-1', '1.5', '1e3', ' 5', 'soon', '20 Nov 2026', '2026-11-20T17:11:32Z', 'Fri, soon GMT'])(
    '%j is neither a number of seconds nor a date',
    (header) => expect(retryAfterOf(header, NOW)).toBeUndefined(),
  )
})
