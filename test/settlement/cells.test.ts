import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginOf, Cells } from '../../src/settlement/cells.ts'
import { dayNumber } from '../../src/settlement/formats/dates.ts'
import type { Entry } from '../../src/settlement/formats/entry.ts'
import { match } from '../../src/settlement/matching.ts'
import type { Operation } from '../../src/settlement/operation.ts'
import { moscow } from '../support/settlement/tbank.ts'

const DAY = 86_400
/** A Friday. */
const MIDNIGHT = moscow('2026-11-20', '00:00:00')

const cellsOf = (lines: readonly { at: number; hasTime: boolean }[]) =>
  new Cells((day) => {
    const all = lines.filter(({ at }) => dayNumber(at) === day)
    const timed = all.filter(({ hasTime }) => hasTime)
    return { times: timed.map(({ at }) => at), hasUntimed: timed.length < all.length }
  })
const hours = (...all: number[]) => all.map((hour) => ({ at: MIDNIGHT + hour * 3600, hasTime: true }))
const untimed = (...days: number[]) => days.map((day) => ({ at: MIDNIGHT + day * DAY, hasTime: false }))

describe('a day is cut', () => {
  it.each<[string, { at: number; hasTime: boolean }[], number, [number, number]]>([
    ['in its longest gap', hours(9, 13, 17, 21, 33, 37, 41, 45), 12, [4.5, 28.5]],
    ['in the day of a shop that sells at night', hours(1, 2, 22, 23, 25, 26, 46, 47), 22, [12, 36]],
    ['at noon without lines', [], 13, [12, 36]],
  ])('%s', (_, lines, hour, [from, until]) =>
    expect(cellsOf(lines).at(MIDNIGHT + hour * 3600)).toEqual({
      ...{ from: MIDNIGHT + from * 3600, until: MIDNIGHT + until * 3600 },
    }),
  )

  it('of lines without a time at the beginning of a week alone', () => {
    const all = untimed(...Array.from({ length: 17 }, (_, i) => i - 5))
    expect(cellsOf(all).at(MIDNIGHT)).toEqual({ from: MIDNIGHT - 4 * DAY, until: MIDNIGHT + 3 * DAY })
  })
})

it('each time is in one cell, and no cell is longer than nine days', () => {
  const line = fc.record({ at: fc.integer({ min: 0, max: 20 * DAY }), hasTime: fc.boolean() })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 0, max: 20 * DAY }), (lines, time) => {
      const cells = cellsOf(lines)
      const { from, until } = cells.at(time)
      expect(from <= time && time < until).toBe(true)
      expect(cells.at(from)).toEqual({ from, until })
      expect(cells.at(until - 1)).toEqual({ from, until })
      expect(cells.at(until).from).toBe(until)
      expect(until - from).toBeLessThanOrEqual(9 * DAY)
      expect(beginOf(dayNumber(time))).toBeLessThanOrEqual(time)
    }),
  )
})

describe('of a payment each ten minutes, day and night, by one code', () => {
  const at = (i: number) => MIDNIGHT + i * 600
  const entries = (hasTime: boolean) =>
    Array.from({ length: 3000 }, (_, i): Entry => {
      const operatedAt = hasTime ? at(i) : beginOf(dayNumber(at(i)))
      return {
        ...{ kind: 'payment', type: 'Payment', line: i + 1, identity: `${i}`, currency: 'RUB' },
        ...{ gross: 10_000, operatedAt, hasTime, bankIds: { qrcId: 'AD1' } },
      }
    })
  const operation = (i: number): Operation => ({
    ...{ kind: 'payment', uid: `${i}`, amount: 10_000, currency: 'RUB', status: 'COMPLETED' },
    ...{ at: at(i) + 45, ids: { qrcId: 'AD1' } },
  })

  it.each([true, false])('each is found, though our time is 45 seconds later; with a time: %s', (hasTime) => {
    const operations = Array.from({ length: 3000 }, (_, i) => operation(i))
    const states = match(entries(hasTime), operations).map(({ state }) => state)
    expect(states.filter((state) => state !== 'MATCHED')).toEqual([])
  })

  it('one more changes nothing of another day', () => {
    const some = Array.from({ length: 1500 }, (_, i) => operation(2 * i))
    const pairs = (operations: readonly Operation[]) =>
      new Map(match(entries(true), operations).map((each) => [each.entry.identity, each.operation?.uid]))
    const [before, after] = [pairs(some), pairs([...some, operation(1501)])]
    const changed = [...after].flatMap(([line, uid]) => (before.get(line) === uid ? [] : [Number(line)]))
    expect(changed).toContain(1501)
    expect(changed.filter((line) => Math.abs(line - 1501) > 288)).toEqual([])
  })
})
