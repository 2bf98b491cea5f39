// What is stuck in a site is told to the operator within two minutes, on a site that nobody calls too (contract, section 16).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Courier } from '../../src/entry/courier.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { elapse } from '../support/elapse.ts'
import { configure, logOf } from '../support/merchant.ts'
import { notifiedSite, until } from '../support/notified-site.ts'
import { healthOf, sitePage } from '../support/operator.ts'
import { refundingSite } from '../support/refunds.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const CALLBACK = { callbackUrl: 'https://shop.example/' }

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Site = Pick<FreshSite, 'siteId' | 'stub'>

/** What the list says is stuck in a site; undefined if it is not among those in which something is. */
const stuckIn = async ({ siteId }: Site) => (await sitePage(`?q=${siteId}&stuck=true`)).sites[0]?.stuck
const isSaid = (site: Site, stuck: object | undefined) =>
  vi.waitFor(async () => {
    const said = await stuckIn(site)
    if (stuck === undefined) expect(said).toBeUndefined()
    else expect(said).toMatchObject(stuck)
  }, 10_000)

const pay = async (site: FreshSite) => site.pay((await site.make()).linkId)

/** A site with a notification that its receiver does not want. */
async function withFailed() {
  vi.spyOn(Courier.prototype, 'deliver').mockResolvedValue({ httpStatus: 410, ms: 1 })
  const site = await notifiedSite(CALLBACK)
  await pay(site)
  await until(site, { status: 'FAILED' })
  return site
}

/** A site with a notification that nothing signs. */
async function withoutKey() {
  const site = freshSite()
  await configure(site, CALLBACK)
  await pay(site)
  return site
}

/** A site with the refund r-1, which the connector has taken, and the network does not report. */
async function withTaken() {
  vi.spyOn(Courier.prototype, 'instruct').mockResolvedValue({ httpStatus: 202, ms: 1 })
  const site = refundingSite()
  const { paymentUid } = await site.paid()
  await site.refund(paymentUid, 1, 'r-1')
  return { ...site, paymentUid }
}

/** The same with two refunds, an hour later. */
async function withOverdue() {
  const site = await withTaken()
  await site.refund(site.paymentUid, 1, 'r-2')
  await elapse(site, HOUR + 2 * MINUTE)
  await isSaid(site, { instructions: 2, overdueInstructions: 2 })
  return site
}

describe('on a site that nobody calls, two minutes are enough to tell the operator', () => {
  it('a notification that failed', async () => {
    const site = await withFailed()
    await elapse(site, 2 * MINUTE)
    await isSaid(site, { failedNotifications: 1, notifications: 0 })
    expect((await healthOf(site)).notifications).toMatchObject({ failed: 1, pending: 0 })
  })

  it('a notification that waits for a notification key', async () => {
    const site = await withoutKey()
    const since = (await healthOf(site)).notifications.oldestPending
    await elapse(site, 2 * MINUTE)
    await isSaid(site, { notifications: 1, failedNotifications: 0, since, withoutKey: true, large: false })
    expect((await healthOf(site)).notifications).toMatchObject({ pending: 1, failed: 0 })
  })

  it('a callbackUrl without a notification key, though no notification waits yet', async () => {
    const site = freshSite()
    await configure(site, CALLBACK)
    await elapse(site, 2 * MINUTE)
    await isSaid(site, { withoutKey: true, notifications: 0 })
    await site.ask('/settings/notificationKeys', { method: 'POST' })
    await elapse(site, 2 * MINUTE)
    await isSaid(site, undefined)
  })

  it('an instruction that was half a minute old when the figures were read', async () => {
    const { paymentUid, ...site } = await withTaken()
    await elapse(site, MINUTE / 2)
    await site.refund(paymentUid, 1, 'r-2')
    await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED' })
    await elapse(site, MINUTE / 2)
    expect(await stuckIn(site)).toBeUndefined()
    await elapse(site, MINUTE)
    await isSaid(site, { instructions: 1 })
  })

  it('that an instruction is overdue, though the figures were read half a minute before', async () => {
    const { paymentUid, ...site } = await withTaken()
    await elapse(site, HOUR - (3 * MINUTE) / 2)
    await site.refund(paymentUid, 1, 'r-2')
    await site.reportRefund(paymentUid, 'r-2', { status: 'COMPLETED' })
    await elapse(site, MINUTE)
    await isSaid(site, { instructions: 1, overdueInstructions: 0 })
    await elapse(site, 2 * MINUTE)
    await isSaid(site, { instructions: 1, overdueInstructions: 1 })
  })

  it('how many instructions are overdue, when one is reported and the others are not', async () => {
    const site = await withOverdue()
    await site.reportRefund(site.paymentUid, 'r-1', { status: 'COMPLETED' })
    await elapse(site, 2 * MINUTE)
    await isSaid(site, { instructions: 1, overdueInstructions: 1 })
    expect((await healthOf(site)).instructions.overdue).toHaveLength(1)
  })
})

describe('nothing is stuck any more, two minutes after', () => {
  it('the failed notification is delivered again', async () => {
    const site = await withFailed()
    await elapse(site, 2 * MINUTE)
    await isSaid(site, { failedNotifications: 1 })
    vi.spyOn(Courier.prototype, 'deliver').mockResolvedValue({ httpStatus: 204, ms: 1 })
    const [{ id } = { id: '' }] = (await logOf(site)).notifications
    await site.ask(`/notifications/${id}/redeliver`, { method: 'POST' })
    await elapse(site, 2 * MINUTE)
    await isSaid(site, undefined)
  })

  it('the site without a key gives up its callbackUrl', async () => {
    const site = await withoutKey()
    await elapse(site, 2 * MINUTE)
    await isSaid(site, { notifications: 1 })
    await configure(site, {})
    await elapse(site, 2 * MINUTE)
    await isSaid(site, undefined)
  })

  it('the last overdue instruction is reported', async () => {
    const site = await withOverdue()
    for (const refundUid of ['r-1', 'r-2'])
      await site.reportRefund(site.paymentUid, refundUid, { status: 'COMPLETED' })
    await elapse(site, 2 * MINUTE)
    await isSaid(site, undefined)
  })
})

describe('what stays as it is costs nothing', () => {
  it.each([
    ['a failed notification', withFailed, { failedNotifications: 1 }],
    ['a notification without a key', withoutKey, { notifications: 1 }],
  ])('%s sets no alarm, and writes no row, once it is told', async (_, make, stuck) => {
    const site = await make()
    // The end of the QR code is long recorded, and what the object found at its start.
    await elapse(site, HOUR)
    await isSaid(site, stuck)
    const rows = () =>
      runInDurableObject(site.stub, (_, { storage }) => [
        storage.sql.exec('SELECT * FROM site').toArray(),
        storage.sql.exec('SELECT * FROM outbox').toArray(),
      ])
    const before = await rows()
    expect(await elapse(site, 20 * HOUR)).toBe(0)
    expect(await rows()).toEqual(before)
    await isSaid(site, stuck)
  })

  it('a site in which nothing waits sets an alarm for the end of its QR code alone', async () => {
    const site = freshSite()
    await site.pay((await site.make()).linkId)
    await site.make({}, { ttl: 30 })
    expect(await elapse(site, 25 * MINUTE)).toBe(0)
    expect(await elapse(site, 6 * MINUTE)).toBe(1)
  })
})
