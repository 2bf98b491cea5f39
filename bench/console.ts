// Measures the pages of the console on a site with a million payments: milliseconds per page.
import { join } from 'node:path'
import { mintToken } from '../bin/mint-token.ts'
import { SECRET } from '../test/support/secret.ts'
import { linkIdIn, siteAt } from '../test/support/site-at.ts'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { DAY, millionPayments, PAYMENTS } from './million-payments.ts'
import { median, percentile } from './statistics.ts'
import { figure, table } from './table.ts'

const TIMES = 21
/** Sales of a till, payments of a sticker, and failed attempts: more than a page of each. */
const MANY = 150
const ADMIN = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant:admin', days: 1 })

const PAGES = [
  ...['', `?date=${DAY}`, `?date=${DAY}&period=week`, `?date=${DAY}&period=month`],
  ...['qr', 'qr?status=PAYED', 'qr?status=CREATED', 'qr?type=COUNTER'],
  ...[`qr?status=PAYED&type=DYNAMIC&from=${DAY}&to=${DAY}`, 'qr/order-500000', 'qr/sticker', 'new'],
  ...['payments', 'payments?status=DECLINED', 'payments?applied=false'],
  ...[
    'search?q=order-99',
    'search?q=rder-500000',
    'search?q=17.34',
    'search?q=%D1%87%D0%B0%D0%B9',
    'search?q=nothing',
    'search?q=refund-1',
  ],
  ...[`payments?status=COMPLETED&from=${DAY}&to=${DAY}`, 'payments/A000500000', 'tills', 'tills/till'],
  ...['notifications', 'events', 'settings', 'keys', 'notification-keys'],
]

export const consolePages: Part = async (setting) => {
  const { directory, ours } = setting
  const disk = join(directory, 'disk')
  await millionPayments(ours, disk)
  await addRest(ours, disk)

  const server = await serve(ours, disk)
  const address = `http://127.0.0.1:${server.port}/console/`
  const cookie = await signIn(address, ADMIN)
  const rows: string[][] = []
  const medians: number[] = []
  const slow: number[] = []
  for (const page of PAGES) {
    const ms: number[] = []
    let before = 0
    for (let i = 0; i < TIMES; i++) {
      if (i === 1) before = server.cpuSeconds() ?? Number.NaN
      const started = performance.now()
      const response = await fetch(address + page, { headers: { Cookie: cookie }, redirect: 'manual' })
      await response.text()
      ms.push(performance.now() - started)
      if (response.status !== 200) throw new Error(`${page} is answered ${response.status}`)
    }
    const cpu = (((server.cpuSeconds() ?? Number.NaN) - before) * 1000) / (TIMES - 1)
    const p95 = percentile(ms.slice(1), 0.95)
    medians.push(median(ms))
    slow.push(p95)
    rows.push([page || 'today', ...[ms[0] ?? Number.NaN, median(ms), p95, Math.max(...ms), cpu].map(figure)])
  }
  await server.stop()
  return {
    tables: [
      table(
        `Pages of the console, of a site with ${PAYMENTS.toLocaleString('en')} QR codes and payments (${TIMES} times; ms)`,
        ['page', 'first', 'median', 'p95 without the first', 'slowest', 'CPU time without the first'],
        rows,
      ),
    ],
    figures: { console_page_ms: Math.max(...medians), console_page_p95_ms: Math.max(...slow) },
    faults: [],
  }
}

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
async function addRest(ours: string, disk: string): Promise<void> {
  const server = await serve(ours, disk)
  const site = siteAt(() => `http://127.0.0.1:${server.port}`, SECRET, 'demo')
  const good = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer
    if (status >= 300) throw new Error(`${status} ${text}`)
  }
  const reusable = (uid: string, type: string) => site.create(uid, { amount: undefined }, { type })
  const till = linkIdIn(await reusable('till', 'COUNTER'))
  const sticker = linkIdIn(await reusable('sticker', 'STATIC'))
  for (let i = 0; i < MANY; i++) {
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
