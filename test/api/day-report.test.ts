// The figures of a day, a week and a month: every completed payment and refund counts once, in its hour or on its day of the
// deployment's offset (contract, section 16).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DayReportAnswer } from '../../src/contract/day-report.ts'
import { refundingSite } from '../support/refunds.ts'
import { CONNECTOR, call, errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

type Site = ReturnType<typeof refundingSite>

// 12:00 in Moscow, ahead of the real clock, by which tokens are checked.
const NOON = Date.UTC(2031, 10, 20, 9)
const HOUR = 3_600_000

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOON }))
afterEach(() => void vi.useRealTimers())

/** The report by the clock of the test, which `connected` does not have. */
const clocked = serviceWith({ settings: CONNECTOR, now: () => Date.now() })
const reportOf = async (site: Site, query = 'date=2031-11-20') =>
  strict(DayReportAnswer).parse(await (await site.ask(`/reports/day?${query}`, {}, clocked)).json())

const EARLY = { paymentUid: 'early', amount: { minorUnits: 100, currency: 'RUB' } }
const RUB = (value: string) => ({ value, currency: 'RUB' })
const NOTHING = {
  ...{ created: 0, payments: 0, paidAmount: RUB('0.00'), refunds: 0, refundedAmount: RUB('0.00') },
  netAmount: RUB('0.00'),
}

const DAY = {
  ...{ date: '2031-11-20', period: 'day' },
  ...{ from: '2031-11-20T00:00:00+03:00', to: '2031-11-21T00:00:00+03:00' },
}

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
    const { hours = [], before: _, ...day } = await reportOf(refundingSite())
    expect(day).toEqual({ ...DAY, createdDynamic: 0, createdAndPaid: 0, ...NOTHING })
    expect(hours).toHaveLength(24)
    expect(hours.map(({ dateTime }) => dateTime.slice(0, 16))).toEqual(
      Array.from({ length: 24 }, (_, hour) => `2031-11-20T${`${hour}`.padStart(2, '0')}:00`),
    )
  })

  it('count what was recorded in each hour, whatever time the bank gives', async () => {
    const { hours = [], before: _, ...day } = await reportOf(await aDay())
    expect(day).toEqual({
      ...{ ...DAY, createdDynamic: 2, createdAndPaid: 1, created: 5 },
      ...{ payments: 2, paidAmount: RUB('12.00'), refunds: 1, refundedAmount: RUB('2.00') },
      netAmount: RUB('10.00'),
    })
    const atNoon = {
      ...NOTHING,
      ...{ created: 4, payments: 2, paidAmount: RUB('12.00'), netAmount: RUB('12.00') },
    }
    const atOne = {
      ...NOTHING,
      ...{ created: 1, refunds: 1, refundedAmount: RUB('2.00'), netAmount: RUB('-2.00') },
    }
    expect(hours.map(({ dateTime: _, ...hour }) => hour)).toEqual(
      Array.from({ length: 24 }, (_, hour) => (hour === 12 ? atNoon : hour === 13 ? atOne : NOTHING)),
    )
  })

  it('are of the day that is asked for, and by default of the present one', async () => {
    const next = await reportOf(await aDay(), 'date=2031-11-21')
    expect(next).toMatchObject({ ...NOTHING, createdDynamic: 0, createdAndPaid: 0 })
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

  it('show a sum that is too large to be exact as the largest that is: of a quarter of an hour, an hour, a day', async () => {
    const site = refundingSite()
    const most = RUB('90071992547409.91')
    const { linkId, paymentUid } = await site.paid({ amount: most })
    const atNoon = async () => (await reportOf(site)).hours?.[12]
    const add = async (uid: string) => {
      await site.pay(linkId, { amount: most })
      await site.reportRefund(paymentUid, uid, { status: 'COMPLETED', amount: most })
    }
    const sums = { paidAmount: most, refundedAmount: most, netAmount: RUB('0.00') }
    await add('r-1')
    expect(await atNoon()).toMatchObject({ ...sums, payments: 2, refunds: 1 })
    vi.setSystemTime(NOON + HOUR / 4)
    await add('r-2')
    expect(await atNoon()).toMatchObject({ ...sums, payments: 3, refunds: 2 })
    vi.setSystemTime(NOON + HOUR)
    await add('r-3')
    expect(await reportOf(site)).toMatchObject({ ...sums, payments: 4, refunds: 3 })
    expect(await reportOf(site, 'period=week')).toMatchObject({ ...sums, payments: 4, refunds: 3 })
  })

  it.each([
    ['date=2031-02-30', 'date', 'must be a day'],
    ['date=1969-12-31', 'date', 'must be a day from 1970-01-01 to 9998-12-31'],
    ['date=0050-06-15&period=month', 'date', 'must be a day from 1970-01-01 to 9998-12-31'],
    ['date=9999-01-01', 'date', 'must be a day from 1970-01-01 to 9998-12-31'],
    ['currency=USD', 'currency', 'must be one of RUB'],
    ['period=year', 'period', 'must be one of day, week, month'],
  ])('with %s are refused', async (query, field, rule) => {
    const { cause } = await errorOf(await refundingSite().ask(`/reports/day?${query}`))
    expect(cause?.[field]?.[0]).toContain(rule)
  })
})

describe('a week and a month', () => {
  /** Codes of 5.00 that are paid at these times of the offset. */
  async function paidAt(...times: string[]) {
    const site = refundingSite()
    const paid: string[] = []
    for (const time of times) {
      vi.setSystemTime(Date.parse(`${time}+03:00`))
      paid.push((await site.paid()).paymentUid)
    }
    return { site, paid }
  }
  const paymentsOf = (parts: { date: string; payments: number }[] = []) =>
    parts.flatMap(({ date, payments }) => (payments > 0 ? [[date, payments]] : []))

  // 20 November 2031 is a Thursday.
  it('are from Monday to Sunday, and the calendar month, day by day', async () => {
    const { site } = await paidAt(
      ...['2031-10-31T23:59:59', '2031-11-01T00:00:00', '2031-11-16T23:59:59'],
      ...['2031-11-17T00:00:00', '2031-11-23T23:59:59', '2031-11-24T00:00:00'],
      ...['2031-11-30T23:59:59', '2031-12-01T00:00:00'],
    )
    vi.setSystemTime(Date.parse('2032-01-01T00:00:00Z'))
    const week = await reportOf(site, 'date=2031-11-20&period=week')
    expect([week.from, week.to, week.payments, week.days?.length, week.hours]).toEqual([
      ...['2031-11-17T00:00:00+03:00', '2031-11-24T00:00:00+03:00', 2, 7, undefined],
    ])
    expect(paymentsOf(week.days)).toEqual([
      ['2031-11-17', 1],
      ['2031-11-23', 1],
    ])
    expect(paymentsOf(week.before.days)).toEqual([['2031-11-16', 1]])
    const month = await reportOf(site, 'date=2031-11-20&period=month')
    expect([month.from, month.to, month.payments, month.days?.length]).toEqual([
      ...['2031-11-01T00:00:00+03:00', '2031-12-01T00:00:00+03:00', 6, 30],
    ])
    expect([month.before.from, month.before.payments, month.before.days?.length]).toEqual([
      ...['2031-10-01T00:00:00+03:00', 1, 31],
    ])
  })

  it('are compared with the same time of the one before, while they are not over', async () => {
    const { site } = await paidAt('2031-11-13T11:44:59', '2031-11-13T11:45:00', '2031-11-20T11:59:00')
    vi.setSystemTime(Date.parse('2031-11-20T11:59:30+03:00'))
    const { before, payments } = await reportOf(site, 'period=week')
    expect([payments, before.from, before.to, before.payments, before.paidAmount.value]).toEqual([
      ...[1, '2031-11-10T00:00:00+03:00', '2031-11-13T11:45:00+03:00', 1, '5.00'],
    ])
    vi.setSystemTime(Date.parse('2031-11-24T00:00:00+03:00'))
    const over = await reportOf(site, 'date=2031-11-20&period=week')
    expect([over.before.to, over.before.payments]).toEqual(['2031-11-17T00:00:00+03:00', 2])
  })

  it.each([
    ['00:00:00', '00:00:00', 0],
    ['00:14:59', '00:00:00', 0],
    ['00:15:00', '00:15:00', 1],
    ['11:59:59', '11:45:00', 12],
    ['12:00:00', '12:00:00', 12],
    ['23:59:59', '23:45:00', 24],
  ])(
    'at %s are compared with a day before that ends at %s: whole quarters, rounded down',
    async (now, end, hours) => {
      vi.setSystemTime(Date.parse(`2031-11-20T${now}+03:00`))
      const { before, to } = await reportOf(refundingSite())
      expect([to, before.from, before.to, before.hours?.length]).toEqual([
        '2031-11-21T00:00:00+03:00',
        '2031-11-19T00:00:00+03:00',
        `2031-11-19T${end}+03:00`,
        hours,
      ])
    },
  )

  it('have `from` and do not have `to`: what happens at that moment is of the next period', async () => {
    const { site } = await paidAt('2031-11-20T00:00:00', '2031-11-20T23:59:59', '2031-11-21T00:00:00')
    const { from, to, payments } = await reportOf(site, 'date=2031-11-20')
    expect([from, to, payments]).toEqual(['2031-11-20T00:00:00+03:00', '2031-11-21T00:00:00+03:00', 2])
    expect((await reportOf(site, 'date=2031-11-21')).payments).toBe(1)
    const days = await site.ask('/reports/payments?from=2031-11-20&to=2031-11-21', {}, clocked)
    expect((await days.text()).match(/^PAYMENT,/gm)).toHaveLength(3)
  })

  it('end with the whole month before where that one is shorter', async () => {
    vi.setSystemTime(Date.parse('2031-03-31T10:00:00+03:00'))
    const { before } = await reportOf(refundingSite(), 'period=month')
    expect([before.from, before.to, before.days?.length]).toEqual([
      ...['2031-02-01T00:00:00+03:00', '2031-03-01T00:00:00+03:00', 28],
    ])
  })

  it.each([
    ['1970-01-01', 'day', '1969-12-31', '1970-01-01', '1970-01-02'],
    ['1970-01-01', 'week', '1969-12-22', '1969-12-29', '1970-01-05'],
    ['1970-01-01', 'month', '1969-12-01', '1970-01-01', '1970-02-01'],
    ['9998-12-31', 'day', '9998-12-30', '9998-12-31', '9999-01-01'],
    ['9998-12-31', 'week', '9998-12-21', '9998-12-28', '9999-01-04'],
    ['9998-12-31', 'month', '9998-11-01', '9998-12-01', '9999-01-01'],
  ])(
    'with %s, the first or the last day that can be asked for, a %s is whole',
    async (date, period, before, from, to) => {
      const report = await reportOf(refundingSite(), `date=${date}&period=${period}`)
      expect([report.before.from, report.from, report.to]).toEqual(
        [before, from, to].map((day) => `${day}T00:00:00+03:00`),
      )
    },
  )

  it('count a refund when it is made, and are negative where more was refunded', async () => {
    const { site, paid } = await paidAt('2031-11-12T12:00:00')
    vi.setSystemTime(Date.parse('2031-11-20T12:00:00+03:00'))
    for (const uid of paid) {
      await site.refund(uid, 2, 'r-1')
      await site.reportRefund(uid, 'r-1', { status: 'COMPLETED' })
    }
    const { netAmount, refunds, before } = await reportOf(site, 'period=week')
    expect([netAmount, refunds, before.netAmount]).toEqual([RUB('-2.00'), 1, RUB('5.00')])
  })
})
