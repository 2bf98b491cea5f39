// What a site tells the registry: what waits for longer than a minute, and its size; not at every delivery.
import { runInDurableObject } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { REGISTRY } from '../../../src/contract/site-id.ts'
import { Courier } from '../../../src/entry/courier.ts'
import { Registry } from '../../../src/registry/registry.ts'
import type { FreshSite } from '../../support/admin.ts'
import { configure } from '../../support/merchant.ts'
import { notifiedSite } from '../../support/notified-site.ts'
import { operator } from '../../support/operator.ts'
import { refundingSite } from '../../support/refunds.ts'

type Site = Pick<FreshSite, 'siteId' | 'stub'>

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const rowOf = ({ siteId }: Site) =>
  runInDurableObject(exports.Registry.getByName(REGISTRY), (_, { storage }) =>
    storage.sql.exec('SELECT * FROM sites WHERE site_id = ?', siteId).toArray().at(0),
  )
const wake = async ({ stub }: Site, after: number) => {
  vi.setSystemTime(Date.now() + after)
  await runInDurableObject(stub, (object) => object.alarm())
}
/** Waits until the registry has it: no alarm waits for the registry. */
const isTold = (site: Site, figures: object) =>
  vi.waitFor(async () => expect(await rowOf(site)).toMatchObject(figures), 10_000)
const alarmOf = ({ stub }: Site) => runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
const messages = () => vi.spyOn(Registry.prototype, 'record')

/** A site that the registry has, with a refund that the connector does not take. */
async function withRefund() {
  const instruct = vi
    .spyOn(Courier.prototype, 'instruct')
    .mockResolvedValue({ error: 'no connection', ms: 1 })
  const site = refundingSite()
  const { paymentUid } = await site.paid()
  await vi.waitFor(async () => expect(await rowOf(site)).toBeDefined(), 30_000)
  await site.refund(paymentUid, 1, 'r')
  return { ...site, paymentUid, instruct }
}

describe('the figures of a site', () => {
  it('are told by the alarm once an instruction waits for a minute, and again when it is overdue', async () => {
    const site = await withRefund()
    await wake(site, 1000)
    await isTold(site, { instructions: 0, overdue_instructions: 0 })
    const { bytes } = (await rowOf(site)) ?? {}
    expect(bytes).toBeGreaterThan(4096)
    await wake(site, MINUTE)
    await isTold(site, { instructions: 1, overdue_instructions: 0 })
    await wake(site, HOUR)
    await isTold(site, { instructions: 1, overdue_instructions: 1 })
  })

  it('are told again within a minute after the last result', async () => {
    const site = await withRefund()
    await wake(site, 2 * MINUTE)
    await isTold(site, { instructions: 1 })
    await site.reportRefund(site.paymentUid, 'r', { status: 'COMPLETED' })
    await wake(site, MINUTE)
    await isTold(site, { instructions: 0, oldest_instruction: null })
  })

  it('have no notification of a site that has removed its callbackUrl, within a minute', async () => {
    vi.spyOn(Courier.prototype, 'deliver').mockResolvedValue({ error: 'no connection', ms: 1 })
    const site = await notifiedSite({ callbackUrl: 'https://shop.example/' })
    const { linkId } = await site.make()
    await vi.waitFor(async () => expect(await rowOf(site)).toBeDefined(), 30_000)
    await site.pay(linkId)
    await wake(site, 2 * MINUTE)
    await isTold(site, { notifications: 1 })
    await configure(site, {})
    expect((await alarmOf(site)) ?? Number.NaN).toBeLessThanOrEqual(Date.now() + MINUTE)
    await wake(site, MINUTE)
    await isTold(site, { notifications: 0, oldest_notification: null })
    const record = messages()
    await wake(site, HOUR)
    expect(record.mock.calls.filter(([siteId]) => siteId === site.siteId)).toEqual([])
  })

  it('of a site that is resumed are told a minute later', async () => {
    const site = await withRefund()
    await runInDurableObject(site.stub, (_, { storage }) => storage.sql.exec('UPDATE site SET restored = 1'))
    await wake(site, 2 * MINUTE)
    await isTold(site, { restored: 1 })
    vi.setSystemTime(Date.now() + MINUTE)
    await operator(`/${site.siteId}/resume`, { method: 'POST' })
    await vi.waitFor(
      async () => expect((await alarmOf(site)) ?? 0).toBeLessThanOrEqual(Date.now() + MINUTE),
      30_000,
    )
    await wake(site, MINUTE)
    await isTold(site, { restored: 0 })
  })

  it('are not told at a create, at a payment, or at an alarm that finds nothing new', async () => {
    const site = await withRefund()
    await wake(site, 2 * MINUTE)
    await isTold(site, { instructions: 1 })
    const record = messages()
    const { linkId } = await site.make()
    await site.pay(linkId)
    for (let i = 0; i < 5; i++) await wake(site, 1000)
    expect(record.mock.calls.filter(([siteId]) => siteId === site.siteId)).toEqual([])
  })

  it('that the registry does not take are told a minute later, not in a loop', async () => {
    const site = await withRefund()
    // The alarm of the refund tells them too: it must not run beside the next one.
    await wake(site, 1000)
    await vi.waitFor(async () => expect((await rowOf(site))?.bytes).toBeGreaterThan(0), 30_000)
    const record = messages().mockRejectedValue(new Error('not now'))
    const calls = () => record.mock.calls.filter(([siteId]) => siteId === site.siteId).length
    await wake(site, 2 * MINUTE)
    await vi.waitFor(() => expect(calls()).toBe(1), 10_000)
    await wake(site, 1000)
    expect(calls()).toBe(1)
    record.mockRestore()
    await wake(site, MINUTE)
    await isTold(site, { instructions: 1 })
  })

  it('that the registry never answers are told again, with the next alarm', async () => {
    const site = await withRefund()
    await wake(site, 1000)
    await vi.waitFor(async () => expect((await rowOf(site))?.bytes).toBeGreaterThan(0), 30_000)
    const after = setTimeout
    vi.stubGlobal('setTimeout', (run: () => void, time?: number) => after(run, time === 30_000 ? 0 : time))
    const warnings = vi.spyOn(console, 'log')
    const record = messages().mockReturnValue(new Promise(() => {}))
    await wake(site, 2 * MINUTE)
    const warning = expect.stringContaining('no answer within 30 seconds')
    await vi.waitFor(() => expect(warnings).toHaveBeenCalledWith(warning), 30_000)
    record.mockRestore()
    await wake(site, MINUTE)
    await isTold(site, { instructions: 1 })
  })

  it('of a deleted site are none', async () => {
    const site = await withRefund()
    await wake(site, 2 * MINUTE)
    const body = { siteId: site.siteId, force: true }
    expect((await operator(`/${site.siteId}`, { method: 'DELETE', body })).status).toBe(204)
    await isTold(site, { instructions: 0, bytes: 0, deleted_at: expect.any(Number) })
  })
})
