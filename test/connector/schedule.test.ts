// When a bank is asked: a pure function of times.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDue, nextAsk, retryDelay } from '../../connector/work/schedule.ts'

const MINUTE = 60_000
const at = (minutes: number) => minutes * MINUTE

/** Minutes after the creation at which a code is asked about, by a connector that never sleeps. */
function asks(ttl: number | undefined, until: number): number[] {
  const endsAt = ttl === undefined ? undefined : at(ttl)
  const times: number[] = []
  const said = { createdAt: 0, endsAt, isPending: false, isOver: true }
  for (let next = nextAsk({ ...said, askedAt: 0 }); next !== undefined; ) {
    if (next > at(until)) break
    times.push(next / MINUTE)
    next = nextAsk({ ...said, askedAt: next })
  }
  return times
}

describe('nextAsk', () => {
  it.each([
    ['a code of ten minutes', 10, 600, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 70]],
    [
      'a code of three hours',
      180,
      600,
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 25, 35, 45, 55, 65, 125, 181, 240],
    ],
    [
      'a code without end',
      undefined,
      200,
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 25, 35, 45, 55, 65, 125, 185],
    ],
  ])('%s', (_, ttl, until, expected) => expect(asks(ttl, until)).toEqual(expected))

  it('a connector that was down over the end asks once, at once', () => {
    const times = { createdAt: 0, endsAt: at(60), isPending: false, isOver: true }
    expect(nextAsk({ ...times, askedAt: at(5) })).toBe(at(6))
    expect(nextAsk({ ...times, askedAt: at(48 * 60) })).toBeUndefined()
  })

  it('a bank whose statement can be some minutes old is asked again an hour after the end', () => {
    const times = { createdAt: 0, endsAt: at(60), isPending: false, isOver: true }
    expect(nextAsk({ ...times, askedAt: at(61) })).toBe(at(120))
    expect(nextAsk({ ...times, askedAt: at(119) })).toBe(at(120))
    expect(nextAsk({ ...times, askedAt: at(120) })).toBeUndefined()
  })

  it('an ask at the end itself is not the last: a payment of the last second may not be settled', () => {
    const times = { createdAt: 0, endsAt: at(60), isPending: false, isOver: true }
    expect(nextAsk({ ...times, askedAt: at(60) })).toBe(at(61))
  })

  it('a code whose bank does not state that it is over is asked about every hour after its end', () => {
    const times = { createdAt: 0, endsAt: at(60), isPending: false }
    expect(nextAsk({ ...times, askedAt: at(60) })).toBe(at(61))
    expect(nextAsk({ ...times, askedAt: at(61) })).toBe(at(121))
    expect(nextAsk({ ...times, askedAt: at(10_000) })).toBe(at(10_060))
  })

  it('a payment in progress is asked about after the end', () => {
    const times = { createdAt: 0, endsAt: at(60), isPending: true }
    expect(nextAsk({ ...times, askedAt: at(61) })).toBe(at(62))
    expect(nextAsk({ ...times, askedAt: at(75) })).toBe(at(85))
    expect(nextAsk({ ...times, askedAt: at(500) })).toBe(at(560))
  })

  it('every code is asked about an hour after its end or later, and never again when the bank states then that it is over', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 129_600 }),
        fc.array(fc.integer({ min: 0, max: 5_000 })),
        (ttl, delays) => {
          const endsAt = at(ttl)
          let askedAt = 0
          for (let i = 0; ; i++) {
            const next = nextAsk({ createdAt: 0, endsAt, askedAt, isPending: false, isOver: true })
            if (next === undefined) return askedAt >= endsAt + 60 * MINUTE
            expect(next).toBeGreaterThan(askedAt)
            const isOwed = askedAt < endsAt + MINUTE
            expect(next).toBeLessThanOrEqual(endsAt + (isOwed ? 1 : 60) * MINUTE)
            if (askedAt >= endsAt + 60 * MINUTE) return false
            askedAt = next + at(delays[i] ?? 0)
          }
        },
      ),
    )
  })
})

it('attempts go on for ever, at most an hour apart', () => {
  expect([0, 1, 2, 3, 4, 5, 100].map(retryDelay)).toEqual(
    [5, 30, 60, 300, 600, 3_600, 3_600].map((s) => s * 1_000),
  )
})

it.each([
  ['now', 0, true],
  ['before', -1, true],
  ['ahead', 1, false],
  ['as far ahead as it can be', 60, false],
  ['further ahead', 61, true],
])('a time that is %s is due or not', (_, ahead, expected) =>
  expect(isDue(at(1_000 + ahead), at(1_000), at(60))).toBe(expected),
)
