import { describe, expect, it } from 'vitest'
import {
  isRateAt,
  RATE_22_SINCE,
  rateOf,
  rateOn,
  VAT_RATES,
  vatOf,
} from '../../../src/contract/receipts/vat.ts'

const at = (time: string): number => Date.parse(time) / 1000

describe('the general rate of VAT', () => {
  it.each([
    ['2025-12-31T23:59:59+03:00', '20'],
    ['2026-01-01T00:00:00+03:00', '22'],
    // The same second elsewhere: the time of the payment in Moscow decides.
    ['2026-01-01T02:59:59+06:00', '20'],
    ['2025-12-31T22:00:00+01:00', '22'],
    ['2019-01-01T00:00:00+03:00', '20'],
    ['2030-01-01T00:00:00+03:00', '22'],
  ] as const)('at %s is %s', (time, rate) => {
    expect(isRateAt(rate, at(time))).toBe(true)
    expect(isRateAt(rate === '20' ? '22' : '20', at(time))).toBe(false)
    expect(rateOn('20', at(time))).toBe(rate)
    expect(rateOn('22', at(time))).toBe(rate)
  })

  it.each(VAT_RATES.filter((rate) => rate !== '20' && rate !== '22'))('%s holds at all times', (rate) => {
    for (const time of [RATE_22_SINCE - 1, RATE_22_SINCE]) {
      expect(isRateAt(rate, time)).toBe(true)
      expect(rateOn(rate, time)).toBe(rate)
    }
  })
})

it.each([
  ['none', 'none'],
  ['0', '0'],
  ['5', '5/105'],
  ['7', '7/107'],
  ['10', '10/110'],
  ['20', '20/120'],
  ['22', '22/122'],
] as const)('a prepayment at the rate %s is shown at %s', (rate, computed) => {
  expect(vatOf(rate, true)).toBe(computed)
  expect(vatOf(rate, false)).toBe(rate)
  expect([rateOf(rate), rateOf(computed)]).toEqual([rate, rate])
})
