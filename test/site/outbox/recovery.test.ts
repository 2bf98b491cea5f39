// Times that a clock which was ahead has written.

import { runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { nextWake } from '../../../src/site/clock.ts'
import { correctTimes } from '../../../src/site/outbox/recovery.ts'
import { milliseconds } from '../../../src/site/time.ts'
import {
  attempt,
  DAY,
  FAILED,
  fail,
  HOUR,
  MINUTE,
  type Outbox,
  outboxesFor,
  SECOND,
  START,
  TAKEN,
  upTo,
} from '../../support/outbox.ts'
import { refundingSite } from '../../support/refunds.ts'

const AHEAD = START + DAY
const inOutbox = outboxesFor('external')
const times = ({ sql }: Outbox) =>
  sql.exec('SELECT event, due_at, send_at, leased_until, overdue_at FROM outbox ORDER BY event').toArray()
const probeAt = ({ sql }: Outbox) => sql.exec('SELECT probe_at FROM endpoints').toArray()[0]?.probe_at

describe('a clock that was a day ahead', () => {
  it.each<[string, (outbox: Outbox) => void, number]>([
    ['a new instruction is sent at once', ({ instruct }) => instruct(1, 1, AHEAD), 0],
    [
      'an instruction that failed keeps its delay',
      (outbox) => {
        outbox.instruct(1, 1, AHEAD)
        attempt(outbox, AHEAD, FAILED)
      },
      5 * SECOND,
    ],
    [
      'an instruction that was taken is repeated after a day, not two',
      (outbox) => {
        outbox.instruct(1, 1, AHEAD)
        attempt(outbox, AHEAD, TAKEN)
        outbox.sql.exec('UPDATE outbox SET overdue_at = NULL')
      },
      DAY,
    ],
    [
      'an instruction is overdue after an hour',
      (outbox) => {
        outbox.instruct(1, 1, AHEAD)
        attempt(outbox, AHEAD, TAKEN)
      },
      HOUR,
    ],
    [
      'a queue that fails is probed after its delay',
      (outbox) => {
        for (const number of upTo(3)) outbox.instruct(number, number, AHEAD)
        fail(outbox, AHEAD)
      },
      5 * SECOND,
    ],
    [
      'a delivery in flight is lost',
      (outbox) => {
        outbox.instruct(1, 1, AHEAD)
        outbox.lease(AHEAD)
      },
      0,
    ],
  ])('%s', (_, write, delay) =>
    inOutbox((outbox) => {
      write(outbox)
      expect(nextWake(outbox.sql)).toBeGreaterThan(START + 23 * HOUR)
      correctTimes(outbox.sql, milliseconds(START))
      expect(nextWake(outbox.sql)).toBe(START + delay)
    }),
  )
})

it('a clock that was right: what Retry-After made late stays so', () =>
  inOutbox((outbox) => {
    for (const number of upTo(3)) outbox.instruct(number, number)
    for (const row of outbox.lease(START)) outbox.record(row, { ...FAILED, retryAfter: 86_400 }, START)
    outbox.instruct(4, 4, START + MINUTE)
    const before = [times(outbox), probeAt(outbox)]
    expect(probeAt(outbox)).toBe(START + DAY)
    correctTimes(outbox.sql, milliseconds(START + MINUTE))
    expect([times(outbox), probeAt(outbox)]).toEqual(before)
  }))

/** What happens at a time, which a clock that is set can make any. */
const step = fc.record({
  does: fc.constantFrom('instruct', 'fail', 'take', 'lease'),
  at: fc.integer({ min: 0, max: 72 }).map((hours) => START + hours * HOUR),
})

it('whatever a clock did, nothing waits longer than its delay, and a second time changes nothing', () =>
  inOutbox((outbox) =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.nat({ max: 72 }), (steps, hours) => {
        for (const table of ['outbox', 'endpoints']) outbox.sql.exec(`DELETE FROM ${table}`)
        let number = 0
        for (const { does, at } of steps) {
          if (does === 'instruct') outbox.instruct(++number, number, at)
          else
            for (const row of outbox.lease(at))
              if (does !== 'lease') outbox.record(row, does === 'fail' ? FAILED : TAKEN, at)
        }
        const now = START + hours * HOUR
        correctTimes(outbox.sql, milliseconds(now))
        for (const { due_at, send_at, leased_until, overdue_at } of times(outbox)) {
          expect(due_at).toBeLessThanOrEqual(now + DAY)
          expect(send_at).toBeLessThanOrEqual(Number(due_at))
          expect(leased_until ?? 0).toBeLessThanOrEqual(now + 30 * SECOND)
          expect(overdue_at ?? 0).toBeLessThanOrEqual(now + HOUR)
        }
        expect(probeAt(outbox) ?? 0).toBeLessThanOrEqual(now + MINUTE)
        for (const { since } of outbox.sql.exec('SELECT since FROM endpoints'))
          expect(since).toBeLessThanOrEqual(now)
        const before = [times(outbox), probeAt(outbox)]
        correctTimes(outbox.sql, milliseconds(now + SECOND))
        expect([times(outbox), probeAt(outbox)]).toEqual(before)
      }),
      { numRuns: 200 },
    ),
  ))

it('an object whose clock goes back while it runs brings its times back at its next write', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const site = refundingSite()
  const now = Date.now()
  const { paymentUid } = await site.paid()
  vi.setSystemTime(now + 1800 * SECOND)
  await site.refund(paymentUid, 1, 'r-1')
  const sendAt = () =>
    runInDurableObject(site.stub, (_, { storage }) =>
      Number(storage.sql.exec("SELECT send_at FROM outbox WHERE queue = 'external'").one().send_at),
    )
  expect(await sendAt()).toBeGreaterThan(now + 1799 * SECOND)
  vi.setSystemTime(now)
  await site.paid()
  expect(await sendAt()).toBeLessThan(now + MINUTE)
  vi.useRealTimers()
})
