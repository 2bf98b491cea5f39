// The outbox with a clock of the test's own: when each notification is sent, and what its result changes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { honoured } from '../../../src/site/outbox/backoff.ts'
import { sendAll } from '../../../src/site/outbox/endpoints.ts'
import { deleteEnded, leaseDue, nextDeletion, nextDelivery } from '../../../src/site/outbox/outbox.ts'
import { endLeases } from '../../../src/site/outbox/recovery.ts'
import { recordResult } from '../../../src/site/outbox/results.ts'
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
  outboxesFor,
  SECOND,
  START,
  TAKEN,
  upTo,
} from '../../support/outbox.ts'
import { RETRY_DELAYS } from '../../support/retry-delays.ts'
import { rowsReadBy } from '../../support/site.ts'

const inOutbox = outboxesFor('merchant')

describe('a notification that fails while others succeed', () => {
  it('is tried 13 times, at the delays of the contract, then it has FAILED', () =>
    inOutbox((outbox) => {
      const { notify, lease, record, row } = outbox
      notify(1)
      const times: number[] = []
      let now = START
      while (row(1).status === 'PENDING') {
        now = row(1).sendAt ?? 0
        notify(1000 + times.length, undefined, now)
        for (const leased of lease(now)) record(leased, leased.event === 1 ? FAILED : TAKEN, now)
        times.push(now)
      }
      expect(times.slice(1).map((time, i) => time - (times[i] ?? 0))).toEqual(RETRY_DELAYS)
      expect(row(1)).toMatchObject({ status: 'FAILED', sendAt: undefined, dueAt: undefined })
      expect(row(1).attempts.map(({ at }) => at)).toEqual(times)
    }))

  it('uses up no attempt where the endpoint fails for it alone, and the others are sent', () =>
    inOutbox((outbox) => {
      const { notify, lease, record, row, next } = outbox
      const poison = new Set([1, 2, 3, 4])
      for (const number of poison) notify(number)
      const taken: number[] = []
      for (let number = 10; number < 60; number++) {
        let now = START + (number - 10) * 10 * MINUTE
        notify(number, undefined, now)
        const end = now + 10 * MINUTE
        for (let due = next(); due !== undefined && due < end; due = next()) {
          now = Math.max(now, due)
          for (const leased of lease(now)) {
            const isTaken = !poison.has(leased.event)
            record(leased, isTaken ? TAKEN : FAILED, now)
            if (isTaken) taken.push(leased.event)
          }
        }
      }
      expect(taken).toEqual(Array.from({ length: 50 }, (_, i) => i + 10))
      for (const number of poison) {
        // As many as the table has within 500 minutes.
        expect(row(number)).toMatchObject({ status: 'PENDING', countedAttempts: 9 })
      }
    }))

  it.each([
    ['a probe', 3],
    ['an attempt', 1],
  ])('is over with 410, in %s too', (_, rows) =>
    inOutbox((outbox) => {
      for (const number of upTo(rows)) outbox.notify(number)
      if (rows >= 3) fail(outbox, START)
      const { event: number } = attempt(outbox, outbox.next() ?? 0, { httpStatus: 410, ms: 0 })
      expect(outbox.row(number)).toMatchObject({ status: 'FAILED', sendAt: undefined })
    }),
  )

  it('waits for Retry-After, 24 h at most', () =>
    inOutbox((outbox) => {
      for (const [i, retryAfter] of [1, 3600, 864_000].entries()) {
        outbox.notify(i + 1)
        const { event: number } = attempt(outbox, START, { httpStatus: 503, ms: 0, retryAfter })
        expect(outbox.row(number).sendAt).toBe(START + Math.max(5 * SECOND, honoured(retryAfter)))
        attempt(outbox, START + honoured(retryAfter) + DAY, TAKEN)
      }
    }))

  it('keeps its latest 50 attempts', () =>
    inOutbox((outbox) => {
      outbox.notify(1)
      for (let i = 0; i < 60; i++) outbox.redelivered(1, FAILED, START + i)
      expect(outbox.row(1).attempts.map(({ at }) => at - START)).toEqual(upTo(50).map((i) => i + 9))
    }))
})

describe('an endpoint that fails three times in a row', () => {
  it('gets one delivery at a time, after 5 s, then twice as long each time, up to 60 s', () =>
    inOutbox((outbox) => {
      for (const number of upTo(60)) outbox.notify(number)
      fail(outbox, START)
      const probes: number[] = []
      for (let i = 0; i < 7; i++) {
        const now = outbox.next() ?? 0
        expect(outbox.lease(now - 1)).toEqual([])
        attempt(outbox, now, FAILED)
        probes.push(now - START)
      }
      const gaps = [5, 10, 20, 40, 60, 60, 60].map((seconds) => seconds * SECOND)
      expect(probes).toEqual(gaps.map((_, i) => gaps.slice(0, i + 1).reduce((a, b) => a + b)))
    }))

  it('is probed with what was never sent first: rows that fail for themselves alone hold up no others', () =>
    inOutbox((outbox) => {
      for (const number of upTo(10)) outbox.notify(number)
      fail(outbox, START)
      const now = START + MINUTE
      outbox.notify(11, undefined, now)
      outbox.notify(12, undefined, now)
      expect([attempt(outbox, now, TAKEN), ...outbox.lease(now)].map(({ event }) => event)).toEqual(
        expect.arrayContaining(upTo(12)),
      )
      expect(outbox.row(11).status).toBe('DELIVERED')
    }))

  it('is probed 5 s later, however many deliveries were in flight', () =>
    inOutbox((outbox) => {
      for (const number of upTo(50)) outbox.notify(number)
      const leased = outbox.lease(START)
      for (const [i, row] of leased.entries()) outbox.record(row, FAILED, START + 10 * SECOND + i)
      expect(outbox.next()).toBe(START + 10 * SECOND + 2 + 5 * SECOND)
    }))

  it('uses up no attempts of those that wait, nor of a probe before its own time', () =>
    inOutbox((outbox) => {
      for (const number of upTo(10)) outbox.notify(number)
      const leased = outbox.lease(START)
      for (const row of leased) outbox.record(row, FAILED, START)
      expect(upTo(10).map((number) => outbox.row(number).countedAttempts)).toEqual(upTo(10).map(() => 1))
      // Each is due after 5 s, when one of them is probed.
      for (let i = 0; i < 4; i++) attempt(outbox, outbox.next() ?? 0, FAILED)
      expect(upTo(10).reduce((sum, number) => sum + outbox.row(number).countedAttempts, 0)).toBe(14)
      // One alone: it is due in a minute, and probed until then.
      outbox.sql.exec('DELETE FROM outbox WHERE used < 2 OR event > 1')
      const { countedAttempts, dueAt = 0 } = outbox.row(1)
      let now = outbox.next() ?? 0
      while (now < dueAt) {
        attempt(outbox, now, FAILED)
        expect(outbox.row(1)).toMatchObject({ countedAttempts, dueAt })
        now = outbox.next() ?? 0
      }
      attempt(outbox, now, FAILED)
      expect(outbox.row(1).countedAttempts).toBe(countedAttempts + 1)
    }))

  it('gets no probe before Retry-After is over', () =>
    inOutbox((outbox) => {
      for (const number of upTo(3)) outbox.notify(number)
      for (const row of outbox.lease(START))
        outbox.record(row, { httpStatus: 429, ms: 0, retryAfter: 600 }, START)
      expect(outbox.next()).toBe(START + 600 * SECOND)
    }))

  it.each(['a probe', 'a redelivery'])('gets all notifications at once after %s succeeds', (how) =>
    inOutbox((outbox) => {
      for (const number of upTo(60)) outbox.notify(number)
      fail(outbox, START)
      const now = (outbox.next() ?? 0) + 1
      if (how === 'a probe') attempt(outbox, now, TAKEN)
      else outbox.redelivered(1, TAKEN, now)
      expect(outbox.next()).toBeLessThanOrEqual(now)
      expect(outbox.lease(now)).toHaveLength(30)
    }),
  )

  it('loses a notification 13 attempts of its own later, and the probes between them are none', () =>
    inOutbox((outbox) => {
      outbox.notify(1)
      let probes = 0
      const due: number[] = []
      let now = START
      while (outbox.row(1).status === 'PENDING') {
        now = outbox.next() ?? 0
        const { dueAt = 0 } = outbox.row(1)
        if (now >= dueAt) due.push(now)
        else probes++
        attempt(outbox, now, FAILED)
      }
      expect(due).toHaveLength(13)
      const gaps = due.slice(1).map((time, i) => time - (due[i] ?? 0))
      for (const [i, gap] of gaps.entries()) {
        expect(gap).toBeGreaterThanOrEqual(RETRY_DELAYS[i] ?? 0)
        expect(gap).toBeLessThanOrEqual((RETRY_DELAYS[i] ?? 0) + MINUTE)
      }
      expect(probes).toBeGreaterThan(4000)
      expect(outbox.next()).toBeUndefined()
    }))

  it('is not probing after another callbackUrl: all notifications are sent', () =>
    inOutbox((outbox) => {
      for (const number of upTo(5)) outbox.notify(number)
      fail(outbox, START)
      sendAll(outbox.sql, 'merchant', milliseconds(START + 1))
      expect(numbersOf(outbox.lease(START + 1))).toEqual(upTo(5))
    }))
})

it('two failures and a success are no failures in a row', () =>
  inOutbox((outbox) => {
    for (let i = 0; i < 6; i++) {
      outbox.notify(i + 1, undefined, START + i)
      attempt(outbox, START + i, i % 3 === 2 ? TAKEN : FAILED)
    }
    for (const number of [10, 11]) outbox.notify(number, undefined, START + 6)
    expect(numbersOf(outbox.lease(START + 6))).toEqual([10, 11])
    // Nor does that success send the others before their time.
    expect(outbox.row(1)).toMatchObject({ sendAt: START + 5 * SECOND, dueAt: START + 5 * SECOND })
  }))

describe('notifications of one QR code', () => {
  it('are delivered in their order while they succeed, one at a time, beside those of 49 others', () =>
    inOutbox((outbox) => {
      const qrCode = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined })
      fc.assert(
        fc.property(fc.array(qrCode, { maxLength: 80 }), fc.infiniteStream(fc.nat()), (qrCodes, chance) => {
          outbox.sql.exec('DELETE FROM outbox')
          for (const [i, each] of qrCodes.entries()) outbox.notify(i + 1, each)
          const delivered: number[] = []
          let inFlight: OutboxRow[] = []
          while (delivered.length < qrCodes.length) {
            inFlight.push(...outbox.lease(START))
            expect(inFlight.length).toBeLessThanOrEqual(30)
            const ofCodes = inFlight.flatMap((row) => row.qrCode ?? [])
            expect(new Set(ofCodes).size).toBe(ofCodes.length)
            const done = inFlight[(chance.next().value ?? 0) % inFlight.length]
            if (!done) throw new Error('nothing is sent')
            outbox.record(done, TAKEN, START)
            inFlight = inFlight.filter((row) => row !== done)
            delivered.push(done.event)
          }
          for (const code of upTo(6)) {
            const numbers = delivered.filter((number) => qrCodes[number - 1] === code)
            expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
          }
        }),
        { numRuns: 60 },
      )
    }))

  it('that were delivered meanwhile are passed over', () =>
    inOutbox((outbox) => {
      for (const number of upTo(3)) outbox.notify(number, 7)
      const [first] = outbox.lease(START)
      if (!first) throw new Error('nothing is sent')
      outbox.redelivered(2, TAKEN, START)
      outbox.record(first, TAKEN, START)
      expect(numbersOf(outbox.lease(START))).toEqual([3])
    }))

  it('are sent after a restart, where an older version ended the one before them', () =>
    inOutbox((outbox) => {
      for (const number of upTo(3)) outbox.notify(number, 7)
      outbox.lease(START)
      outbox.sql.exec("UPDATE outbox SET status = 'FAILED', leased_until = NULL WHERE event = 1")
      endLeases(outbox.sql)
      expect(outbox.next()).toBe(START)
      expect(numbersOf(outbox.lease(START))).toEqual([2])
    }))

  it('do not wait for those of another queue', () =>
    inOutbox((outbox) => {
      outbox.instruct(1, 7)
      expect(outbox.lease(START, 'external')).toHaveLength(1)
      outbox.notify(2, 7)
      expect(numbersOf(outbox.lease(START))).toEqual([2])
    }))
})

describe('a delivery without a result', () => {
  it('is sent again when its lease ends, 30 s later, and not before', () =>
    inOutbox((outbox) => {
      outbox.notify(1)
      outbox.lease(START)
      expect(outbox.lease(START + 30 * SECOND - 1)).toEqual([])
      expect(outbox.next()).toBe(START + 30 * SECOND)
      expect(numbersOf(outbox.lease(START + 30 * SECOND))).toEqual([1])
    }))

  it('is sent again at once where the object has restarted', () =>
    inOutbox((outbox) => {
      outbox.notify(1)
      outbox.lease(START)
      endLeases(outbox.sql)
      expect(outbox.next()).toBe(START)
      expect(numbersOf(outbox.lease(START + 1))).toEqual([1])
    }))

  it('and with a late one after all: a success counts, a failure changes nothing', () =>
    inOutbox((outbox) => {
      outbox.notify(1)
      const [lost] = outbox.lease(START)
      const again = START + 30 * SECOND
      const [leased] = outbox.lease(again)
      if (!lost || !leased) throw new Error('nothing is sent')
      outbox.record(lost, FAILED, again + 1)
      expect(outbox.row(1)).toMatchObject({
        status: 'PENDING',
        countedAttempts: 0,
        leasedUntil: leased.leasedUntil,
      })
      outbox.record(lost, TAKEN, again + 2)
      expect(outbox.row(1)).toMatchObject({ status: 'DELIVERED', leasedUntil: undefined })
      outbox.record(leased, FAILED, again + 3)
      expect(outbox.row(1)).toMatchObject({ status: 'DELIVERED', sendAt: undefined })
      expect(outbox.row(1).attempts).toHaveLength(3)
    }))

  it('has no effect on a row that is deleted', () =>
    inOutbox((outbox) => {
      outbox.notify(1)
      const [leased] = outbox.lease(START)
      outbox.sql.exec('DELETE FROM outbox')
      if (leased) outbox.record(leased, TAKEN, START)
      expect(outbox.statuses()).toEqual([])
    }))
})

describe('a redelivery', () => {
  it('that succeeds delivers the notification, whatever its status', () =>
    inOutbox((outbox) => {
      for (const number of [1, 2, 3]) outbox.notify(number)
      for (const row of outbox.lease(START))
        outbox.record(row, row.event === 1 ? TAKEN : { httpStatus: 410, ms: 0 }, START)
      expect(outbox.statuses()).toEqual(['DELIVERED', 'FAILED', 'FAILED'])
      outbox.notify(4, undefined, START + DAY)
      for (const number of [1, 2, 4]) outbox.redelivered(number, TAKEN, START + DAY)
      expect(outbox.statuses()).toEqual(['DELIVERED', 'DELIVERED', 'FAILED', 'DELIVERED'])
      expect(outbox.row(2).attempts.map(({ httpStatus }) => httpStatus)).toEqual([410, 204])
    }))

  it('that fails changes neither the status nor the next attempt', () =>
    inOutbox((outbox) => {
      outbox.notify(1)
      attempt(outbox, START, FAILED)
      const { sendAt, dueAt, countedAttempts } = outbox.row(1)
      for (let i = 0; i < 5; i++) outbox.redelivered(1, FAILED, START + 1)
      expect(outbox.row(1)).toMatchObject({ status: 'PENDING', sendAt, dueAt, countedAttempts })
      expect(outbox.next()).toBe(sendAt)
    }))
})

describe('ended notifications', () => {
  it('are deleted after 30 days if delivered, after 90 if failed, 500 at a time', () =>
    inOutbox((outbox) => {
      for (const number of upTo(3)) outbox.notify(number)
      const [first, second] = outbox.lease(START)
      if (!first || !second) throw new Error('nothing is sent')
      outbox.record(first, TAKEN, START)
      outbox.record(second, { httpStatus: 410, ms: 0 }, START)
      expect(nextDeletion(outbox.sql)).toBe(START + 30 * DAY)
      deleteEnded(outbox.sql, milliseconds(START + 30 * DAY - 1))
      expect(outbox.statuses()).toHaveLength(3)
      deleteEnded(outbox.sql, milliseconds(START + 30 * DAY))
      expect(outbox.statuses()).toEqual(['FAILED', 'PENDING'])
      expect(nextDeletion(outbox.sql)).toBe(START + 90 * DAY)
      deleteEnded(outbox.sql, milliseconds(START + 90 * DAY))
      expect(outbox.statuses()).toEqual(['PENDING'])
      expect(nextDeletion(outbox.sql)).toBeUndefined()

      for (const number of upTo(600)) outbox.notify(10 + number)
      for (const number of upTo(600)) outbox.redelivered(10 + number, TAKEN, START)
      deleteEnded(outbox.sql, milliseconds(START + 30 * DAY))
      expect(outbox.statuses()).toHaveLength(101)
    }))
})

const retryAtOnce = () => milliseconds(0)

describe('the next delivery', () => {
  it('is never in the past where nothing can be sent, whatever happened', () =>
    inOutbox((outbox) => {
      const step = fc.record({
        added: fc.nat({ max: 60 }),
        qrCodes: fc.integer({ min: 1, max: 100 }),
        results: fc.array(fc.constantFrom(TAKEN, FAILED, { httpStatus: 503, ms: 0, retryAfter: 90 }), {
          maxLength: 60,
        }),
        pause: fc.constantFrom(0, 1, SECOND, 5 * SECOND, 29 * SECOND, MINUTE, HOUR),
        isRestarted: fc.boolean(),
      })
      fc.assert(
        fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
          outbox.sql.exec('DELETE FROM outbox')
          outbox.sql.exec('DELETE FROM endpoints')
          let [number, now] = [0, START]
          const inFlight: OutboxRow[] = []
          for (const { added, qrCodes, results, pause, isRestarted } of steps) {
            for (let i = 0; i < added; i++) outbox.notify(++number, number % qrCodes || undefined, now)
            now += pause
            if (isRestarted) endLeases(outbox.sql)
            for (const result of results) {
              const row = inFlight.shift()
              if (row) outbox.record(row, result, now)
            }
            for (let next = outbox.next(); next !== undefined && next <= now; next = outbox.next()) {
              const leased = outbox.lease(now)
              expect(leased.length > 0 || (outbox.next() ?? now + 1) > now).toBe(true)
              inFlight.push(...leased)
            }
            expect(outbox.next() !== undefined).toBe(outbox.statuses().includes('PENDING'))
          }
        }),
        { numRuns: 100 },
      )
    }))

  it('and a lease read no more rows than they need, however many notifications there are', () =>
    inOutbox((outbox) => {
      for (const number of upTo(3000)) outbox.notify(number, number)
      for (const number of upTo(1000)) outbox.redelivered(number, TAKEN, START)
      expect(rowsReadBy(outbox.sql, (sql) => nextDelivery(sql, 'merchant')).rowsRead).toBeLessThan(10)
      const { value, rowsRead } = rowsReadBy(outbox.sql, (sql) =>
        leaseDue(sql, 'merchant', milliseconds(START)),
      )
      expect(numbersOf(value)).toEqual(upTo(30).map((i) => i + 1000))
      expect(rowsRead).toBeLessThan(500)
      expect(rowsReadBy(outbox.sql, (sql) => nextDelivery(sql, 'merchant')).rowsRead).toBeLessThan(200)
      expect(rowsReadBy(outbox.sql, nextDeletion).rowsRead).toBeLessThan(3)
    }))

  it('and a result read few rows, however many notifications of one QR code wait', () =>
    inOutbox((outbox) => {
      for (const number of upTo(3000)) outbox.notify(number, 1)
      outbox.notify(3001, 2)
      const inFlight: OutboxRow[] = []
      // The first leases sort the rows, each once; those of other QR codes are not behind them.
      while ((outbox.next() ?? START + 1) <= START) inFlight.push(...outbox.lease(START))
      expect(numbersOf(inFlight)).toEqual([1, 3001])
      for (const number of upTo(50)) {
        const [row] = inFlight
        if (!row) throw new Error('nothing is sent')
        const { rowsRead } = rowsReadBy(outbox.sql, (sql) => {
          nextDelivery(sql, 'merchant')
          recordResult(sql, row, { ...TAKEN, at: milliseconds(START) }, retryAtOnce)
          nextDelivery(sql, 'merchant')
          inFlight.splice(0, 1, ...leaseDue(sql, 'merchant', milliseconds(START)))
          nextDelivery(sql, 'merchant')
        })
        expect(rowsRead).toBeLessThan(100)
        expect(inFlight[0]?.event).toBe(number + 1)
      }
    }))
})
