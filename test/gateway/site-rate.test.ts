// How often a site may be asked, against a model: a bucket that fills at the rate and holds twice that.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SiteRate } from '../../src/gateway/site-rate.ts'

/** How many of so many requests at once are allowed. */
const allowed = (rate: SiteRate, key: string, requests: number) =>
  Array.from({ length: requests }, () => rate.allows(key)).filter(Boolean).length

it('allows twice the rate at once, then the rate, whatever the pauses; no key takes from another', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b'),
    pause: fc.oneof(fc.nat(3000), fc.constantFrom(0, 1, 999, 1000)),
    requests: fc.nat(60),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step), (rate, steps) => {
      let now = 0
      const tested = new SiteRate(rate, () => now)
      // In thousandths, so that nothing is rounded.
      const model = { a: { filled: 2000 * rate, at: 0 }, b: { filled: 2000 * rate, at: 0 } }
      for (const { key, pause, requests } of steps) {
        now += pause
        const bucket = model[key === 'a' ? 'a' : 'b']
        bucket.filled = Math.min(2000 * rate, bucket.filled + (now - bucket.at) * rate)
        bucket.at = now
        const expected = Math.min(requests, Math.floor(bucket.filled / 1000))
        bucket.filled -= expected * 1000
        // A double can be below the whole number by its last digit.
        expect(Math.abs(allowed(tested, key, requests) - expected)).toBeLessThanOrEqual(1)
      }
    }),
  )
})

it('allows nothing more where the clock is set back, and goes on from there', () => {
  let now = 10_000
  const rate = new SiteRate(5, () => now)
  expect(allowed(rate, 'a', 20)).toBe(10)
  now = 0
  expect(allowed(rate, 'a', 20)).toBe(0)
  now = 1000
  expect(allowed(rate, 'a', 20)).toBe(5)
})

it('forgets the key that was asked longest ago, of more than it keeps', () => {
  const rate = new SiteRate(1, () => 0)
  expect(allowed(rate, 'a', 3)).toBe(2)
  expect(allowed(rate, 'b', 3)).toBe(2)
  for (let n = 0; n < 9_998; n++) rate.allows(`${n}`)
  rate.allows('b')
  rate.allows('one more')
  expect([rate.allows('b'), rate.allows('a')]).toEqual([false, true])
})
