// The delays of retries are those of docs/contract.md.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryDelaysText } from '../../../src/contract/delivery.ts'
import { instructionDelay, probeDelay, repeatDelay, retryDelay } from '../../../src/site/outbox/backoff.ts'
import { RETRY_DELAYS as DELAYS, delaysIn } from '../../support/retry-delays.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const MIDDLE = 0.5

it('the OpenAPI document says the delays of the contract', () => {
  expect(delaysIn(retryDelaysText())).toEqual(DELAYS)
  expect(retryDelaysText()).toMatch(/^5 seconds, 1 minute, 5 minutes, .*, 2 hours, /)
})

describe('a notification that was not delivered', () => {
  it.each(DELAYS.entries().toArray())('is tried again; %i: after %i ms', (index, delay) =>
    expect(retryDelay(index + 1, MIDDLE)).toBe(delay),
  )

  it('has failed after 13 attempts, whatever Retry-After says', () => {
    expect(retryDelay(13, MIDDLE)).toBeUndefined()
    expect(retryDelay(13, MIDDLE, 60)).toBeUndefined()
    expect(retryDelay(14, MIDDLE)).toBeUndefined()
  })

  it('is tried up to 10 % earlier or later than the table says, by chance', () => {
    const attempt = fc.integer({ min: 1, max: 12 })
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(attempt, random, (attempt, random) => {
        const [delay, nominal] = [retryDelay(attempt, random) ?? 0, DELAYS[attempt - 1] ?? 0]
        return Number.isInteger(delay) && delay >= nominal * 0.9 && delay <= nominal * 1.1
      }),
    )
    expect(retryDelay(1, 0)).toBe(4500)
    expect(retryDelay(1, 0.999_999)).toBe(5500)
  })

  it.each([
    ['longer than the delay', 1, 120, 120 * SECOND],
    ['shorter than the delay', 2, 10, MINUTE],
    ['zero', 1, 0, 5 * SECOND],
    ['of 24 h', 1, 86_400, 24 * HOUR],
    ['longer than 24 h', 1, 86_401, 24 * HOUR],
    ['without end', 12, Number.POSITIVE_INFINITY, 24 * HOUR],
  ])('honours a Retry-After %s', (_, attempts, retryAfter, delay) =>
    expect(retryDelay(attempts, MIDDLE, retryAfter)).toBe(delay),
  )
})

it.each([
  [3, 5],
  [4, 10],
  [5, 20],
  [6, 40],
  [7, 60],
  [8, 60],
  [5000, 60],
])('after %i failures in a row, an endpoint is probed in %i s', (failures, seconds) =>
  expect(probeDelay(failures)).toBe(seconds * SECOND),
)

describe('an instruction to the payment network', () => {
  it('is tried for ever, at the delays of a notification but an hour apart at most, whatever Retry-After says', () => {
    const nominal = (attempts: number) => Math.min(DELAYS[attempts - 1] ?? HOUR, HOUR)
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1_000_000 })),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.option(fc.oneof(fc.nat(), fc.constant(Number.POSITIVE_INFINITY)), { nil: undefined }),
        (attempts, random, retryAfter) => {
          const delay = instructionDelay(attempts, random, retryAfter)
          expect(delay).toBeLessThanOrEqual(HOUR)
          const least = Math.max(nominal(attempts) * 0.9, Math.min((retryAfter ?? 0) * SECOND, HOUR))
          expect(delay).toBeGreaterThanOrEqual(least)
          if (!retryAfter) expect(delay).toBeLessThanOrEqual(nominal(attempts) * 1.1)
        },
      ),
    )
  })

  it.each([
    ['a day later', undefined, 24 * HOUR],
    ['when Retry-After says', 28, 28 * SECOND],
    ['a second later where Retry-After is 0 or in the past', 0, SECOND],
    ['24 h later at most', Number.POSITIVE_INFINITY, 24 * HOUR],
  ])('that was taken is sent again %s', (_, retryAfter, delay) => expect(repeatDelay(retryAfter)).toBe(delay))
})
