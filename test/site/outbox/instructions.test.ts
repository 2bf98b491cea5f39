// Instructions in the outbox, with a clock of the test's own: when each is sent, repeated and overdue, and what ends it.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Delivered } from '../../../src/contract/delivery.ts'
import type { Network } from '../../../src/contract/payment.ts'
import { nextWake } from '../../../src/site/clock.ts'
import { sendAll } from '../../../src/site/outbox/endpoints.ts'
import { leaseDue } from '../../../src/site/outbox/outbox.ts'
import { nextOverdue, takeOverdue } from '../../../src/site/outbox/overdue.ts'
import { endLeases } from '../../../src/site/outbox/recovery.ts'
import type { OutboxRow } from '../../../src/site/outbox/rows.ts'
import { milliseconds } from '../../../src/site/time.ts'
import {
  attempt,
  DAY,
  FAILED,
  fail,
  HOUR,
  MINUTE,
  numbersOf,
  type Outbox,
  outboxesFor,
  SECOND,
  START,
  TAKEN,
  upTo,
} from '../../support/outbox.ts'
import { rowsReadBy } from '../../support/site.ts'

const askingAgain = (retryAfter: number): Delivered => ({ ...TAKEN, retryAfter })
const inOutbox = outboxesFor('external')

describe('an instruction that was taken', () => {
  it('is sent again each day until the network reports, and never otherwise', () =>
    inOutbox((outbox) => {
      outbox.instruct(1)
      for (let day = 0; day < 400; day++) {
        const now = START + day * DAY
        expect(outbox.next()).toBe(now)
        expect(outbox.lease(now - 1)).toEqual([])
        attempt(outbox, now, TAKEN)
        expect(outbox.row(1)).toMatchObject({ status: 'PENDING', sendAt: now + DAY, countedAttempts: 0 })
      }
      outbox.report(1)
      expect([outbox.statuses(), outbox.next(), nextWake(outbox.sql)]).toEqual([[], undefined, undefined])
    }))

  it.each([
    ['when Retry-After says', 30, 30 * SECOND],
    ['a second later at the earliest', 0, SECOND],
    ['a day later at the latest', 1_000_000, DAY],
  ])('is sent again %s', (_, retryAfter, delay) =>
    inOutbox((outbox) => {
      outbox.instruct(1)
      attempt(outbox, START, askingAgain(retryAfter))
      expect(outbox.next()).toBe(START + delay)
    }),
  )

  it('starts its delays anew where its repeat fails', () =>
    inOutbox((outbox) => {
      outbox.instruct(1)
      for (const delay of [5 * SECOND, MINUTE]) {
        const now = outbox.next() ?? 0
        attempt(outbox, now, FAILED)
        expect(outbox.next()).toBe(now + delay)
      }
      attempt(outbox, START + HOUR, TAKEN)
      attempt(outbox, START + HOUR + DAY, FAILED)
      expect(outbox.next()).toBe(START + HOUR + DAY + 5 * SECOND)
    }))

  it('is no probe of a connector that fails, and keeps its own time when the connector works again', () =>
    inOutbox((outbox) => {
      outbox.instruct(1)
      attempt(outbox, START, TAKEN)
      for (const number of [2, 3, 4]) outbox.instruct(number, undefined, START)
      fail(outbox, START)
      for (const number of [2, 3, 4]) outbox.report(number)
      expect(outbox.next()).toBe(START + DAY)
      expect(outbox.lease(START + DAY - 1)).toEqual([])
      // Another one is the probe; its success sends the others that wait, not the one that was taken.
      for (const number of [5, 6]) outbox.instruct(number, undefined, START + MINUTE)
      expect(numbersOf([attempt(outbox, START + MINUTE, TAKEN)])).toEqual([5])
      expect(numbersOf(outbox.lease(START + MINUTE))).toEqual([6])
      expect(outbox.row(1).sendAt).toBe(START + DAY)
    }))

  it('is a repeat in its time while the connector fails, not before the next probe', () =>
    inOutbox((outbox) => {
      outbox.instruct(1)
      attempt(outbox, START, askingAgain(1))
      for (const number of [2, 3, 4]) outbox.instruct(number, undefined, START)
      fail(outbox, START)
      for (const number of [2, 3, 4]) outbox.report(number)
      expect(outbox.next()).toBe(START + 5 * SECOND)
      expect(outbox.lease(START + SECOND)).toEqual([])
      expect(numbersOf(outbox.lease(START + 5 * SECOND))).toEqual([1])
    }))
})

describe('instructions of one QR code', () => {
  it.each([
    ['is taken', (outbox: Outbox, row: OutboxRow) => outbox.record(row, TAKEN, START)],
    ['is reported while it is in flight', (outbox: Outbox) => outbox.report(1)],
  ])('are in flight one at a time: the next is sent when one %s', (_, end) =>
    inOutbox((outbox) => {
      for (const number of [1, 2]) outbox.instruct(number, 7)
      const [first] = outbox.lease(START)
      if (!first) throw new Error('nothing is sent')
      expect([first.event, outbox.lease(START), outbox.next()]).toEqual([1, [], START + 30 * SECOND])
      end(outbox, first)
      expect(outbox.next()).toBe(START)
      expect(numbersOf(outbox.lease(START))).toEqual([2])
    }),
  )
})

describe('an instruction that fails', () => {
  it('is sent for ever, at most an hour apart, whatever the connector answers: never FAILED', () =>
    inOutbox((outbox) => {
      const failure = fc.record({
        httpStatus: fc.constantFrom(undefined, 301, 400, 401, 404, 410, 429, 500, 503),
        ms: fc.constant(0),
        // The connector's gateway lets no more than an hour through.
        retryAfter: fc.option(fc.nat({ max: 3600 }), { nil: undefined }),
      })
      fc.assert(
        fc.property(fc.array(failure, { minLength: 20, maxLength: 60 }), (failures) => {
          outbox.sql.exec('DELETE FROM outbox')
          outbox.sql.exec('DELETE FROM endpoints')
          outbox.instruct(1)
          let now = START
          for (const result of failures) {
            const next = outbox.next() ?? 0
            expect(next - now).toBeLessThanOrEqual(HOUR)
            now = next
            attempt(outbox, now, result)
            expect(outbox.row(1).status).toBe('PENDING')
            expect(outbox.next()).toBeGreaterThan(now)
          }
        }),
        { numRuns: 50 },
      )
    }))

  it('is probed before its own time while the connector fails: after 5 s, then up to a minute apart', () =>
    inOutbox((outbox) => {
      for (const number of [1, 2, 3]) outbox.instruct(number)
      fail(outbox, START)
      const times = [START]
      for (let i = 0; i < 8; i++) {
        times.push(outbox.next() ?? 0)
        attempt(outbox, outbox.next() ?? 0, FAILED)
      }
      const seconds = times.slice(1).map((time, i) => (time - (times[i] ?? 0)) / SECOND)
      expect(seconds).toEqual([5, 10, 20, 40, 60, 60, 60, 60])
    }))

  it('beside others that are taken, keeps the delays of the contract up to an hour', () =>
    inOutbox((outbox) => {
      outbox.instruct(1)
      const times: number[] = []
      let now = START
      for (let i = 0; i < 15; i++) {
        now = outbox.row(1).sendAt ?? 0
        outbox.instruct(100 + i, undefined, now)
        for (const leased of outbox.lease(now)) {
          outbox.record(leased, leased.event === 1 ? FAILED : TAKEN, now)
          if (leased.event !== 1) outbox.report(leased.event)
        }
        times.push(now)
      }
      const minutes = times.slice(1).map((time, i) => (time - (times[i] ?? 0)) / MINUTE)
      expect(minutes).toEqual([5 / 60, 1, 5, 5, 5, 30, 60, 60, 60, 60, 60, 60, 60, 60])
    }))
})

describe('the network’s report', () => {
  it.each([TAKEN, FAILED, { error: 'no connection', ms: 0 }])(
    'ends an instruction that is in flight: the result %j brings nothing back',
    (result) =>
      inOutbox((outbox) => {
        outbox.instruct(1)
        const [leased] = outbox.lease(START)
        outbox.report(1)
        if (leased) outbox.record(leased, result, START + SECOND)
        expect([outbox.statuses(), outbox.next(), nextWake(outbox.sql)]).toEqual([[], undefined, undefined])
      }),
  )

  it('ends no notification of the same event number', () =>
    inOutbox((outbox) => {
      outbox.notify(1)
      outbox.report(1)
      expect(outbox.row(1).status).toBe('PENDING')
    }))

  it('lets the next instruction of the QR code go', () =>
    inOutbox((outbox) => {
      for (const number of [1, 2]) outbox.instruct(number, 7)
      expect(numbersOf(outbox.lease(START))).toEqual([1])
      expect(outbox.lease(START)).toEqual([])
      outbox.report(1)
      expect(numbersOf(outbox.lease(START))).toEqual([2])
    }))
})

it('instructions of one QR code are sent one after the other, in their order; those without one beside them', () =>
  inOutbox((outbox) => {
    for (const number of [1, 2, 3]) outbox.instruct(number, 7)
    for (const number of [4, 5]) outbox.instruct(number)
    const sent: number[][] = []
    for (let leased = outbox.lease(START); leased.length > 0; leased = outbox.lease(START)) {
      sent.push(numbersOf(leased))
      for (const row of leased) outbox.record(row, TAKEN, START)
    }
    expect(sent).toEqual([[1, 4, 5], [2], [3]])
  }))

describe('two queues', () => {
  const QUEUES = ['merchant', 'sandbox', 'external'] as const

  it.each(QUEUES)('%s fails: the others are sent, at once and in full', (failing) =>
    inOutbox((outbox) => {
      for (const [index, queue] of QUEUES.entries()) {
        for (const i of upTo(60)) {
          const number = 100 * index + i
          if (queue === 'merchant') outbox.notify(number)
          else outbox.instruct(number, undefined, START, queue)
        }
      }
      fail(outbox, START, failing)
      expect(outbox.lease(START, failing)).toEqual([])
      expect(outbox.next(failing)).toBe(START + 5 * SECOND)
      for (const queue of QUEUES.filter((each) => each !== failing)) {
        expect(outbox.next(queue)).toBe(START)
        const leased = outbox.lease(START, queue)
        expect([leased.length, new Set(leased.map((row) => row.queue))]).toEqual([30, new Set([queue])])
        for (const row of leased) outbox.record(row, TAKEN, START)
      }
      // Their success says nothing about the one that fails.
      expect(outbox.next(failing)).toBe(START + 5 * SECOND)
      expect(outbox.lease(START + 5 * SECOND - 1, failing)).toEqual([])
      expect(outbox.lease(START + 5 * SECOND, failing)).toHaveLength(1)
    }),
  )

  it('have times of their own after another callbackUrl: instructions keep theirs', () =>
    inOutbox((outbox) => {
      outbox.instruct(1)
      attempt(outbox, START, FAILED)
      sendAll(outbox.sql, 'merchant', milliseconds(START))
      expect(outbox.next()).toBe(START + 5 * SECOND)
    }))
})

describe('an overdue instruction', () => {
  it('is named once, an hour after it was given, taken or not', () =>
    inOutbox((outbox) => {
      for (const number of [1, 2, 3]) outbox.instruct(number, undefined, START + number)
      for (const row of outbox.lease(START + 3)) if (row.event < 3) outbox.record(row, TAKEN, START)
      outbox.report(2)
      expect(nextOverdue(outbox.sql)).toBe(START + 1 + HOUR)
      expect(takeOverdue(outbox.sql, milliseconds(START + HOUR))).toEqual([])
      expect(numbersOf(takeOverdue(outbox.sql, milliseconds(START + HOUR + 3)))).toEqual([1, 3])
      expect(takeOverdue(outbox.sql, milliseconds(START + DAY))).toEqual([])
      expect(nextOverdue(outbox.sql)).toBeUndefined()
      expect(outbox.row(1)).toMatchObject({ status: 'PENDING' })
    }))

  it('waits where more than a hundred are overdue, and is named by the next wake', () =>
    inOutbox((outbox) => {
      for (const number of upTo(250)) outbox.instruct(number)
      const named: number[] = []
      for (const expected of [100, 100, 50, 0]) {
        const overdue = takeOverdue(outbox.sql, milliseconds(START + HOUR))
        expect(overdue).toHaveLength(expected)
        named.push(...numbersOf(overdue))
      }
      expect(new Set(named).size).toBe(250)
    }))

  it('is no notification', () =>
    inOutbox((outbox) => {
      outbox.notify(1)
      expect(takeOverdue(outbox.sql, milliseconds(START + DAY))).toEqual([])
    }))
})

describe('the next wake', () => {
  it('is never in the past where nothing can be done, whatever happened', () =>
    inOutbox((outbox) => {
      const step = fc.record({
        added: fc.nat({ max: 60 }),
        qrCodes: fc.integer({ min: 1, max: 50 }),
        network: fc.constantFrom<Network>('external', 'sandbox'),
        results: fc.array(fc.constantFrom(TAKEN, FAILED, askingAgain(0), { ...FAILED, retryAfter: 90 }), {
          maxLength: 60,
        }),
        reported: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 20 }),
        pause: fc.constantFrom(0, SECOND, 5 * SECOND, 29 * SECOND, MINUTE, HOUR, DAY),
        isRestarted: fc.boolean(),
      })
      fc.assert(
        fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
          outbox.sql.exec('DELETE FROM outbox')
          outbox.sql.exec('DELETE FROM endpoints')
          let [number, now] = [0, START]
          const inFlight: OutboxRow[] = []
          for (const { added, qrCodes, network, results, reported, pause, isRestarted } of steps) {
            for (let i = 0; i < added; i++)
              outbox.instruct(++number, number % qrCodes || undefined, now, network)
            now += pause
            if (isRestarted) endLeases(outbox.sql)
            for (const each of reported) outbox.report(number - each)
            for (const result of results) {
              const row = inFlight.shift()
              if (row) outbox.record(row, result, now)
            }
            for (let wakes = 0; (nextWake(outbox.sql) ?? now + 1) <= now; wakes++) {
              expect(wakes).toBeLessThan(number + 10)
              for (const queue of ['external', 'sandbox'] as const) inFlight.push(...outbox.lease(now, queue))
              takeOverdue(outbox.sql, milliseconds(now))
            }
            expect(nextWake(outbox.sql) !== undefined).toBe(outbox.statuses().includes('PENDING'))
          }
        }),
        { numRuns: 100 },
      )
    }))

  it('is the earliest of deliveries and overdue instructions, of each network', () =>
    inOutbox((outbox) => {
      outbox.instruct(1, undefined, START, 'external')
      outbox.instruct(2, undefined, START + SECOND, 'sandbox')
      expect(nextWake(outbox.sql)).toBe(START)
      attempt(outbox, START, TAKEN)
      expect(nextWake(outbox.sql)).toBe(START + SECOND)
      const [leased] = outbox.lease(START + SECOND, 'sandbox')
      expect(nextWake(outbox.sql)).toBe(START + 31 * SECOND)
      if (leased) outbox.record(leased, TAKEN, START + SECOND)
      expect(nextWake(outbox.sql)).toBe(START + HOUR)
      takeOverdue(outbox.sql, milliseconds(START + HOUR + SECOND))
      expect(nextWake(outbox.sql)).toBe(START + DAY)
    }))

  it('reads no more rows than it needs, however many instructions wait for reports, in a failing connector too', () =>
    inOutbox((outbox) => {
      for (const number of upTo(3000)) outbox.instruct(number, number)
      outbox.sql.exec('UPDATE outbox SET taken_at = ?, send_at = ?', START, START + DAY)
      expect(rowsReadBy(outbox.sql, nextWake).rowsRead).toBeLessThan(20)
      for (const number of [4001, 4002, 4003]) outbox.instruct(number)
      fail(outbox, START)
      expect(rowsReadBy(outbox.sql, nextWake).rowsRead).toBeLessThan(30)
      for (const number of [4001, 4002, 4003]) outbox.report(number)
      expect(rowsReadBy(outbox.sql, nextWake).rowsRead).toBeLessThan(30)
      const leased = rowsReadBy(outbox.sql, (sql) => leaseDue(sql, 'external', milliseconds(START + MINUTE)))
      expect(leased.value).toEqual([])
      expect(leased.rowsRead).toBeLessThan(10)
    }))
})
