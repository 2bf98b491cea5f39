// Measures the pages of the console on a site with a million payments: milliseconds per page.
import { join } from 'node:path'
import { mintToken } from '../bin/mint-token.ts'
import { SECRET } from '../test/support/secret.ts'
import { linkIdIn, siteAt } from '../test/support/site-at.ts'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { DAY, MILLION, manyPayments } from './million-payments.ts'
import { median, percentile } from './statistics.ts'
import { figure, table } from './table.ts'

/** Sales of a till, payments of a sticker, and failed attempts are more than a page of each. */
const FULL = { payments: MILLION, times: 21, many: 150 }
const SMALLEST = { payments: 1_000, times: 2, many: 3 }
const ADMIN = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant:admin', days: 1 })

/** The pages of a site with so many payments, by the names of their figures. */
const pagesOf = (payments: number): Record<string, string[]> => ({
  today: [''],
  week: [`?date=${DAY}&period=week`],
  month: [`?date=${DAY}&period=month`],
  search_beginning: ['search?q=order-99'],
  search_part: [`search?q=rder-${payments / 2}`],
  search_amount: ['search?q=17.34'],
  search_purpose: ['search?q=%D1%87%D0%B0%D0%B9'],
  search_refund: ['search?q=refund-1'],
  search_nothing: ['search?q=nothing'],
  others: [
    ...[`?date=${DAY}`, 'qr', 'qr?status=PAYED', 'qr?status=CREATED', 'qr?type=COUNTER'],
    ...[
      `qr?status=PAYED&type=DYNAMIC&from=${DAY}&to=${DAY}`,
      `qr/order-${payments / 2}`,
      'qr/sticker',
      'new',
    ],
    ...['payments', 'payments?status=DECLINED', 'payments?applied=false'],
    ...[
      `payments?status=COMPLETED&from=${DAY}&to=${DAY}`,
      `payments/A${String(payments / 2).padStart(9, '0')}`,
    ],
    ...['tills', 'tills/till', 'notifications', 'events', 'settings', 'keys', 'notification-keys'],
  ],
})

export const consolePages: Part = async (setting) => {
  const { directory, ours, isSmallest } = setting
  const { payments, times, many } = isSmallest ? SMALLEST : FULL
  const disk = join(directory, 'disk')
  await manyPayments(ours, disk, payments)
  await addRest(ours, disk, many)

  const server = await serve(ours, disk)
  const address = `http://127.0.0.1:${server.port}/console/`
  const cookie = await signIn(address, ADMIN)
  const rows: string[][] = []
  const costs: Record<string, Cost[]> = {}
  const pages = Object.entries(pagesOf(payments)).flatMap(([group, paths]) =>
    paths.map((page) => ({ group, page })),
  )
  for (const { group, page } of pages) {
    const ms: number[] = []
    let before = 0
    for (let i = 0; i < times; i++) {
      if (i === 1) before = server.cpuSeconds() ?? Number.NaN
      const started = performance.now()
      const response = await fetch(`${address}sites/demo/${page}`, {
        headers: { Cookie: cookie },
        redirect: 'manual',
      })
      await response.text()
      ms.push(performance.now() - started)
      if (response.status !== 200) throw new Error(`${page} is answered ${response.status}`)
    }
    const cpu = (((server.cpuSeconds() ?? Number.NaN) - before) * 1000) / (times - 1)
    const p95 = percentile(ms.slice(1), 0.95)
    costs[group] = [...(costs[group] ?? []), { median: median(ms), p95, cpu }]
    rows.push([page || 'today', ...[ms[0] ?? Number.NaN, median(ms), p95, Math.max(...ms), cpu].map(figure)])
  }
  await server.stop()
  return {
    tables: [
      table(
        `Pages of the console, of a site with ${payments.toLocaleString('en')} QR codes and payments (${times} times; ms)`,
        ['page', 'first', 'median', 'p95 without the first', 'slowest', 'CPU time without the first'],
        rows,
      ),
    ],
    figures: {
      console_ms: Object.fromEntries(
        Object.entries(costs).map(([group, each]) => [group, slowestOf(each)] as const),
      ),
    },
    faults: [],
  }
}

/** Of a page: milliseconds, without its first answer but for the median. */
type Cost = Record<'median' | 'p95' | 'cpu', number>

const slowestOf = (costs: readonly Cost[]): Cost => ({
  median: Math.max(...costs.map((each) => each.median)),
  p95: Math.max(...costs.map(({ p95 }) => p95)),
  cpu: Math.max(...costs.map(({ cpu }) => cpu)),
})

/** @param address of the console @param token whose scope allows it @returns the cookie of the session */
export async function signIn(address: string, token: string): Promise<string> {
  const response = await fetch(`${address}sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
    headers: { Origin: new URL(address).origin },
    redirect: 'manual',
  })
  const [cookie = ''] = response.headers.getSetCookie()
  return cookie.replace(/;.*/, '')
}

/** A till with sales, a code that is paid many times, payments that were declined, refunded, not applied. */
async function addRest(ours: string, disk: string, many: number): Promise<void> {
  const server = await serve(ours, disk)
  const site = siteAt(() => `http://127.0.0.1:${server.port}`, SECRET, 'demo')
  const good = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer
    if (status >= 300) throw new Error(`${status} ${text}`)
  }
  const reusable = (uid: string, type: string) => site.create(uid, { amount: undefined }, { type })
  const till = linkIdIn(await reusable('till', 'COUNTER'))
  const sticker = linkIdIn(await reusable('sticker', 'STATIC'))
  for (let i = 0; i < many; i++) {
    const saleUid = `sale-${i}`
    const body = { amount: { value: 5 } }
    await good(site.ask(`/sbp/qrCodes/till/sales/${saleUid}`, { method: 'PUT', body }))
    await good(site.report(till, `till-${i}`, { saleUid }))
    await good(site.report(sticker, `sticker-${i}`))
    await good(site.report(sticker, `declined-${i}`, { status: 'DECLINED' }))
    await good(site.report(till, `late-${i}`))
  }
  await good(site.reportRefund('sticker-0', 'refund-1', { status: 'COMPLETED', amount: { value: 1 } }))
  await server.stop()
}
