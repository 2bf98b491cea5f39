// The figures of a day: every completed payment and refund counts once, in its hour of the deployment's offset (contract, section 16).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DayReportAnswer } from '../../src/contract/day-report.ts'
import { refundingSite } from '../support/refunds.ts'
import { call, errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

type Site = ReturnType<typeof refundingSite>

// 12:00 in Moscow, ahead of the real clock, by which tokens are checked.
const NOON = Date.UTC(2031, 10, 20, 9)
const HOUR = 3_600_000

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOON }))
afterEach(() => void vi.useRealTimers())

const reportOf = async (site: Site, query = 'date=2031-11-20') =>
  strict(DayReportAnswer).parse(await (await site.ask(`/reports/day?${query}`)).json())

const EARLY = { paymentUid: 'early', amount: { minorUnits: 100, currency: 'RUB' } }
const RUB = (value: string) => ({ value, currency: 'RUB' })
const NOTHING = { created: 0, payments: 0, paidAmount: RUB('0.00'), refunds: 0, refundedAmount: RUB('0.00') }

/**
 * A day on which, at noon, a code is paid and paid again, and at 13:59:59 another is made and a part is returned. Three codes
 * are made that are not for one payment.
 */
async function aDay() {
  const site = refundingSite()
  const { paymentUid, linkId } = await site.paid({ dateTime: '2031-11-19T23:59:59+03:00' })
  await site.payAgain(linkId, 7)
  for (const type of ['STATIC', 'STATIC', 'COUNTER'])
    await site.make({ qrCodeUid: crypto.randomUUID(), amount: undefined }, { type, ttl: undefined })
  vi.setSystemTime(NOON + 2 * HOUR - 1000)
  const unpaid = await site.make()
  await site.report(unpaid.linkId, 'declined', { status: 'DECLINED' })
  await site.refund(paymentUid, 2, 'done')
  await site.refund(paymentUid, 1, 'waits')
  await site.reportRefund(paymentUid, 'done', { status: 'COMPLETED' })
  return site
}

describe('the figures of a day', () => {
  it('of a site without any QR code are zeros, for 24 hours', async () => {
    const { hours, ...day } = await reportOf(refundingSite())
    expect(day).toEqual({ date: '2031-11-20', createdDynamic: 0, createdAndPaid: 0, ...NOTHING })
    expect(hours).toHaveLength(24)
    expect(hours.map(({ dateTime }) => dateTime.slice(0, 16))).toEqual(
      Array.from({ length: 24 }, (_, hour) => `2031-11-20T${`${hour}`.padStart(2, '0')}:00`),
    )
  })

  it('count what was recorded in each hour, whatever time the bank gives', async () => {
    const { hours, ...day } = await reportOf(await aDay())
    expect(day).toEqual({
      ...{ date: '2031-11-20', createdDynamic: 2, createdAndPaid: 1, created: 5 },
      ...{ payments: 2, paidAmount: RUB('12.00'), refunds: 1, refundedAmount: RUB('2.00') },
    })
    const atNoon = { ...NOTHING, created: 4, payments: 2, paidAmount: RUB('12.00') }
    const atOne = { ...NOTHING, created: 1, refunds: 1, refundedAmount: RUB('2.00') }
    expect(hours.map(({ dateTime: _, ...hour }) => hour)).toEqual(
      Array.from({ length: 24 }, (_, hour) => (hour === 12 ? atNoon : hour === 13 ? atOne : NOTHING)),
    )
  })

  it('are of the day that is asked for, and by default of the present one', async () => {
    expect((await reportOf(await aDay(), 'date=2031-11-21')).created).toBe(0)
    const evening = serviceWith({ now: () => Date.UTC(2031, 10, 20, 21) })
    const token = await tokenOf({ exp: 4_000_000_000 })
    const answer = await call('/payin/v1/sites/demo/reports/day', { token }, evening)
    expect(strict(DayReportAnswer).parse(await answer.json()).date).toBe('2031-11-21')
  })

  it('count a payment once that was reported before its QR code was created', async () => {
    const site = await aDay()
    const before = await reportOf(site)
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      const event = (qrCode: number | null) =>
        sql.exec(
          `INSERT INTO events (number, type, at, caller, qr_code, payment)
           SELECT max(number) + 1, 'payment.completed', ?, 1, ?, ? FROM events`,
          ...[
            NOON / 1000,
            qrCode,
            JSON.stringify({ ...EARLY, ...(qrCode !== null && { isRepeated: true }) }),
          ],
        )
      event(null)
      event(1)
    })
    const { payments, paidAmount } = await reportOf(site)
    expect({ payments, paidAmount }).toEqual({ payments: before.payments + 1, paidAmount: RUB('13.00') })
  })

  it.each([
    ['date=2031-02-30', 'date', 'must be a day'],
    ['currency=USD', 'currency', 'must be one of RUB'],
  ])('with %s are refused', async (query, field, rule) => {
    const { cause } = await errorOf(await refundingSite().ask(`/reports/day?${query}`))
    expect(cause?.[field]?.[0]).toContain(rule)
  })
})
