// The report of payments: what it has, in which order, and that a part of it is never taken for the whole.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { reportPage } from '../../src/site/payments/payments-report.ts'
import { textIn } from '../support/client.ts'
import { refundingSite } from '../support/refunds.ts'
import { errorOf, serviceWith } from '../support/service.ts'
import { contextOf, rowsReadBy } from '../support/site.ts'

type Site = ReturnType<typeof refundingSite>

const DAY = 'from=2031-11-20&to=2031-11-20'
const NDJSON = { Accept: 'application/x-ndjson' }
// Ahead of the real clock, by which tokens are checked.
const NOON = Date.UTC(2031, 10, 20, 9)

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOON }))
afterEach(() => void vi.useRealTimers())

interface Row {
  type: string
  dateTime: string
  bankDateTime?: string
  amount: string
  paymentUid: string
  refundUid?: string
  qrCodeUid?: string
  saleUid?: string
  applied: boolean
  paymentPurpose?: string
}

const reportOf = async (site: Site, query = DAY): Promise<Row[]> => {
  const response = await site.ask(`/reports/payments?${query}`, { headers: NDJSON })
  expect(response.headers.get('Content-Type')).toBe('application/x-ndjson')
  const text = await textIn(response)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

describe('the report of payments', () => {
  it('has completed payments and refunds in the order of their events, and nothing else', async () => {
    const site = refundingSite()
    const { qrCodeUid, paymentUid, linkId } = await site.paid(
      { dateTime: '2031-11-19T23:59:59+03:00', payer: { bankMemberId: '100000000111' }, networkUid: 'N-1' },
      { paymentPurpose: '=1+1' },
    )
    const again = await site.payAgain(linkId, 7)
    const declined = await site.make()
    await site.report(declined.linkId, 'declined', { status: 'DECLINED' })
    vi.setSystemTime(NOON + 60_000)
    await site.refund(paymentUid, 2, 'done')
    await site.reportRefund(paymentUid, 'done', { status: 'COMPLETED' })
    await site.refund(paymentUid, 1, 'waits')
    await site.refund(paymentUid, 1, 'refused')
    await site.reportRefund(paymentUid, 'refused', { status: 'DECLINED' })
    const of = { paymentUid, qrCodeUid, paymentPurpose: '=1+1' }
    const bank = { payerBank: '100000000111', networkUid: 'N-1', currency: 'RUB' }
    expect(await reportOf(site)).toEqual([
      {
        ...{
          type: 'PAYMENT',
          dateTime: '2031-11-20T12:00:00+03:00',
          bankDateTime: '2031-11-19T23:59:59+03:00',
        },
        ...{ amount: '5.00', applied: true, ...of, ...bank },
      },
      {
        ...{
          type: 'PAYMENT',
          dateTime: '2031-11-20T12:00:00+03:00',
          bankDateTime: '2031-11-20T12:00:00+03:00',
        },
        ...{ amount: '7.00', currency: 'RUB', applied: false, ...of, paymentUid: again },
      },
      {
        ...{ type: 'REFUND', dateTime: '2031-11-20T12:01:00+03:00' },
        ...{ amount: '-2.00', applied: true, refundUid: 'done', ...of, ...bank },
      },
    ])
  })

  it('is CSV by default, as a file', async () => {
    const site = refundingSite()
    await site.paid({}, { paymentPurpose: '=1+1' })
    const response = await site.ask(`/reports/payments?${DAY}`)
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present')
    expect(response.headers.get('Content-Disposition')).toBe(
      `attachment; filename="payments-${site.siteId}-2031-11-20-2031-11-20.csv"`,
    )
    const [head, row, end] = (await response.text()).split('\r\n')
    expect([head?.split(',').length, row?.split(',').length, end]).toEqual([19, 19, ''])
    expect(row?.endsWith(",'=1+1,,,,,,")).toBe(true)
  })

  it('names the sale that a payment of a COUNTER code is for, and its purpose, also with its refund', async () => {
    const site = refundingSite()
    const code = { amount: undefined, paymentPurpose: 'Till 1' }
    const { qrCodeUid, linkId } = await site.make(code, { type: 'COUNTER' })
    const paidSale = async (saleUid: string, paymentPurpose?: string) => {
      const path = `/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`
      const armed = await site.ask(path, { method: 'PUT', body: { amount: { value: 5 }, paymentPurpose } })
      expect(armed.status).toBe(200)
      return (await site.pay(linkId, { saleUid })).paymentUid
    }
    const paymentUid = await paidSale('-1', 'Two teas')
    await paidSale('receipt-2')
    await site.pay(linkId)
    await site.refund(paymentUid, 2, 'r')
    await site.reportRefund(paymentUid, 'r', { status: 'COMPLETED' })
    expect((await reportOf(site)).map(({ saleUid, paymentPurpose }) => [saleUid, paymentPurpose])).toEqual([
      ['-1', 'Two teas'],
      ['receipt-2', undefined],
      [undefined, 'Till 1'],
      ['-1', 'Two teas'],
    ])
    const lines = (await (await site.ask(`/reports/payments?${DAY}`)).text()).split('\r\n')
    expect(lines.map((line) => line.split(',')[8])).toEqual([
      ...['saleUid', `'-1`, 'receipt-2', '', `'-1`],
      undefined,
    ])
  })

  it('of days without payments has a head alone', async () => {
    const site = refundingSite()
    await site.make()
    expect((await (await site.ask(`/reports/payments?${DAY}`)).text()).split('\r\n')).toHaveLength(2)
    expect(await reportOf(site)).toEqual([])
  })

  it('begins and ends with the days of the deployment’s offset', async () => {
    const site = refundingSite()
    const midnight = Date.UTC(2031, 10, 19, 21)
    const uids: string[] = []
    for (const at of [midnight - 1000, midnight, midnight + 86_399_000, midnight + 86_400_000]) {
      vi.setSystemTime(at)
      uids.push((await site.paid()).paymentUid)
    }
    expect((await reportOf(site)).map(({ paymentUid }) => paymentUid)).toEqual(uids.slice(1, 3))
    const days = 'from=2031-11-19&to=2031-11-21'
    expect((await reportOf(site, days)).map(({ paymentUid }) => paymentUid)).toEqual(uids)
  })

  it('has a payment of an unknown QR code once, also if the code takes it later', async () => {
    const site = refundingSite()
    const { linkId, paymentUid } = await site.paid()
    // As a create does it that finds a payment that was faster.
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      sql.exec(`UPDATE events SET qr_code = NULL, status = NULL WHERE type = 'payment.completed';
        INSERT INTO events (number, type, at, caller, qr_code, status, payment)
          SELECT 3, type, at + 5, caller, 1, 'PAYED', json_set(payment, '$.isRepeated', json('true')) FROM events WHERE number = 2`)
    })
    expect(linkId).toBeTypeOf('string')
    expect((await reportOf(site)).map((row) => row.paymentUid)).toEqual([paymentUid])
  })

  it.each([
    ['', 'from'],
    ['from=2031-11-20', 'to'],
    ['from=2031-11-31&to=2031-12-01', 'from'],
    ['from=2031-11-20&to=2031-11-19', 'to'],
    ['from=2031-11-01&to=2031-12-02', 'to'],
  ])('?%s: 400, %s', async (query, field) => {
    const response = await refundingSite().ask(`/reports/payments?${query}`)
    const { errorCode, cause } = await errorOf(response)
    expect([response.status, errorCode]).toEqual([400, 'validation.error'])
    expect(Object.keys(cause ?? {})).toContain(field)
  })

  it('whose site fails in the midst of it is broken off, and the log says so', async () => {
    const site = refundingSite()
    await site.paid()
    const lines: string[] = []
    let calls = 0
    const stub = env.SITES.getByName(site.siteId)
    const broken = site.at(
      serviceWith({
        log: (line) => lines.push(line),
        site: () =>
          Object.assign(Object.create(stub), {
            paymentsReport: async () => {
              if (calls++ > 0) throw new Error('the disk is on fire')
              const first = await stub.paymentsReport(
                { actor: 'merchant', keyId: 'test', scopes: [] },
                { since: 0, until: 1 },
              )
              return {
                ok: true,
                value: { rows: first.ok ? first.value.rows : [], next: { at: 0, number: 0 } },
              }
            },
          }),
      }),
    )
    const response = await broken.ask(`/reports/payments?${DAY}`)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
    expect(lines.map((line) => JSON.parse(line).message)).toContain('an answer was broken off')
  })
})

describe('the pages of the report', () => {
  it('have every event of the time once, in order, whatever their size, and their sums are those of the feed', async () => {
    const site = refundingSite()
    for (const step of [0, 0, 1, 0, 5, 0]) {
      vi.setSystemTime(Date.now() + step * 1000)
      const { paymentUid } = await site.paid({ amount: { value: 5 } })
      await site.refund(paymentUid, 2, 'r')
      await site.reportRefund(paymentUid, 'r', { status: 'COMPLETED' })
    }
    const feed = await site.feed()
    const money = feed.flatMap(({ type, payment, refund }) => {
      if (type === 'payment.completed') return [Number(payment?.amount.value)]
      return type === 'refund.completed' ? [-Number(refund?.amount.value)] : []
    })
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      const times = { since: NOON / 1000, until: NOON / 1000 + 3600 }
      const pages = (limit: number) => {
        const rows: number[] = []
        for (let after: { at: number; number: number } | undefined; ; ) {
          const page = reportPage(contextOf(sql, 0), { ...times, after }, limit)
          rows.push(
            ...page.rows.map(({ type, amount }) => (amount.minorUnits / 100) * (type === 'REFUND' ? -1 : 1)),
          )
          if (!page.next) return rows
          after = page.next
        }
      }
      for (const limit of [1, 2, 3, 5, 7, 12, 20]) expect([limit, pages(limit)]).toEqual([limit, money])
    })
  })

  it('cost the rows of their page, however many other events there are', async () => {
    const site = refundingSite()
    await site.paid()
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      sql.exec(`WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO events (number, type, at, caller) SELECT i, 'settings.changed', ${NOON / 1000}, 1 FROM n`)
      const query = { since: NOON / 1000 - 10, until: NOON / 1000 + 10 }
      const { value, rowsRead } = rowsReadBy(sql, (counted) => reportPage(contextOf(counted, 0), query))
      expect(value.rows).toHaveLength(1)
      expect(rowsRead).toBeLessThan(10)
    })
  })
})
