// The numbers of payments at their banks, by which a bank's file is split over sites.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { BankNumbersJson, type BankNumbersPosition } from '../../src/contract/bank-numbers.ts'
import { bankNumbersPage } from '../../src/site/payments/bank-numbers.ts'
import { textIn } from '../support/client.ts'
import { refundingSite } from '../support/refunds.ts'
import { errorOf } from '../support/service.ts'
import { contextOf, rowsReadBy } from '../support/site.ts'

const DAY = 'from=2026-11-20&to=2026-11-20'
const PATH = '/reports/bankNumbers'

async function numbersOf(site: ReturnType<typeof refundingSite>, query = DAY) {
  const response = await site.ask(`${PATH}?${query}`, { headers: { Accept: 'application/x-ndjson' } })
  expect(response.status).toBe(200)
  const lines = (await textIn(response)).split('\n').filter((line) => line !== '')
  return lines.map((line) => BankNumbersJson.parse(JSON.parse(line)))
}

/** A site with a payment at each end of the day in Moscow, one before and one behind it, and a declined one without numbers. */
async function furnished() {
  const site = refundingSite()
  const paid: Awaited<ReturnType<typeof site.paid>>[] = []
  for (const [index, time] of ['19T23:59:59', '20T00:00:00', '20T23:59:59', '21T00:00:00'].entries())
    paid.push(
      await site.paid({
        ...{
          dateTime: `2026-11-${time}+03:00`,
          networkUid: `N-${index}`,
          bank: 'tbank',
          order: `o-${index}`,
        },
      }),
    )
  const declined = await site.make()
  await site.report(declined.linkId, 'declined', {
    status: 'DECLINED',
    dateTime: '2026-11-20T12:00:00+03:00',
  })
  return { site, paid, declined }
}

it('has each payment of the days, whatever its status is, with what was reported of it', async () => {
  const { site, paid, declined } = await furnished()
  const numbers = await numbersOf(site)
  const expected = [1, 2].map((index) => ({
    ...{ paymentUid: paid[index]?.paymentUid, qrcId: paid[index]?.linkId, bank: 'tbank' },
    ...{ networkUid: `N-${index}`, order: `o-${index}` },
  }))
  expect(numbers).toEqual([...expected, { paymentUid: 'declined', qrcId: declined.linkId }])
  expect(await numbersOf(site, 'from=2026-11-22&to=2026-11-30')).toEqual([])
})

it('is the same in pages of one row, each of which reads one payment besides', async () => {
  const { site } = await furnished()
  const all = await numbersOf(site)
  await runInDurableObject(env.SITES.getByName(site.siteId), (_, state) => {
    const context = contextOf(state.storage.sql, 0)
    const times = {
      since: Date.parse('2026-11-20T00:00+03:00') / 1000,
      until: Date.parse('2026-11-21T00:00+03:00') / 1000,
    }
    const read: unknown[] = []
    let after: BankNumbersPosition | undefined
    do {
      const page = bankNumbersPage(context, { ...times, after }, 1)
      read.push(...page.rows)
      after = page.next
    } while (after)
    expect(read).toEqual(all)
    const { rowsRead } = rowsReadBy(state.storage.sql, (sql) => bankNumbersPage(contextOf(sql, 0), times, 1))
    expect(rowsRead).toBeLessThan(4)
  })
})

it.each([
  ['from=2026-11-02&to=2026-11-01', { to: ['is before from, must be the same day or a later one'] }],
  ['from=2026-10-01&to=2026-11-30', { to: ['is 61 days with from, must be at most 31'] }],
])('%s is refused', async (query, cause) => {
  const site = refundingSite()
  await site.paid()
  const response = await site.ask(`${PATH}?${query}`)
  expect(response.status).toBe(400)
  expect((await errorOf(response)).cause).toEqual(cause)
})
