// What the metrics of the production build tell of test sites: nothing, so that they neither raise nor silence an alert.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listedSites } from '../../bin/data/site-list.ts'
import { EXTERNAL, type Served, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import type { Site } from '../support/site-at.ts'

const FAMILIES = ['qr_codes', 'payments', 'refunds', 'deliveries', 'instructions']

/** The families of the metrics that have a series, and the number of sites. */
async function metricsOf({ admin }: Served) {
  const text = await (await fetch(`${admin}/metrics`)).text()
  const [, sites] = /^fps_qr_sites (\d+)$/m.exec(text) ?? []
  const counted = FAMILIES.filter((family) => text.includes(`\nfps_qr_${family}_total{`))
  return { counted, sites: Number(sites) }
}

/** A payment with a notification and a refund, both of which were sent. */
async function live(site: Site): Promise<void> {
  const callbackUrl = 'https://shop.invalid/notifications'
  expect((await site.ask('/settings', { method: 'PUT', body: { callbackUrl } })).status).toBe(200)
  expect((await site.ask('/settings/notificationKeys', { method: 'POST' })).status).toBe(200)
  expect(await site.pay('a')).toBe(200)
  expect((await site.refund('pay-a', 'refund-1', 1)).status).toBe(200)
  await expect.poll(async () => (await site.ask('/notifications')).text).toContain('"ms"')
}

it('of a test site nothing is counted; of a live one all is', async () => {
  const data = join(temporaryDirectory(), 'data')
  const served = await started(data, { settings: { ...EXTERNAL, TEST_SITES: 'on' } })
  const test = siteOf(served, 'tea-test')
  await live(test)
  await expect.poll(async () => (await test.ask('/payments/pay-a/refunds')).text).toContain('"COMPLETED"')
  await expect.poll(() => listedSites(data).map(({ siteId }) => siteId)).toEqual(['tea-test'])
  expect(await metricsOf(served)).toEqual({ counted: [], sites: 0 })

  await live(siteOf(served, 'tea'))
  await expect.poll(() => metricsOf(served)).toEqual({ counted: FAMILIES, sites: 1 })
  await served.stop()
})
