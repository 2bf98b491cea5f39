// The deletion of a site that can be undone: who is refused, what goes on, and what comes back.
import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DeletedSiteAnswer } from '../../src/contract/site.ts'
import { Courier } from '../../src/entry/courier.ts'
import { browserOf } from '../support/console.ts'
import { healthOf, operator, siteIdsIn } from '../support/operator.ts'
import { refundingSite } from '../support/refunds.ts'
import { restart } from '../support/restart.ts'
import { CONNECTOR, call, refusalIn, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const week = serviceWith({ settings: { ...CONNECTOR, DELETION_DAYS: '7' } })
const DAY = 86_400_000

type Site = ReturnType<typeof refundingSite>
const remove = (site: Pick<Site, 'siteId'>, more: object = {}) =>
  operator(`/${site.siteId}`, { method: 'DELETE', body: { siteId: site.siteId, ...more } }, week)
const restore = ({ siteId }: Pick<Site, 'siteId'>) => operator(`/${siteId}/restore`, { method: 'POST' }, week)
const DELETED = [410, 'site.deleted']
const alarm = ({ siteId }: Pick<Site, 'siteId'>) =>
  runInDurableObject(env.SITES.getByName(siteId), (object) => object.alarm())
const listed = (query: string) => siteIdsIn(query, week)
const rowsIn = ({ stub }: Pick<Site, 'stub'>, table: string) =>
  runInDurableObject(stub, (_, { storage }) =>
    Number(storage.sql.exec(`SELECT count(*) AS rows FROM ${table}`).one().rows),
  )

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('a deletion', () => {
  it('says from when on merchant and payers are refused, and when the data are deleted; again it says the same', async () => {
    const site = refundingSite()
    await site.paid()
    const answer = await remove(site)
    expect(answer.status).toBe(202)
    const body = strict(DeletedSiteAnswer).parse(await answer.json())
    expect(body.siteId).toBe(site.siteId)
    expect(Date.parse(body.dataDeletedOn) - Date.parse(body.deletedOn)).toBe(7 * DAY)
    vi.setSystemTime(Date.now() + DAY)
    const again = await remove(site)
    expect([again.status, await again.json()]).toEqual([202, body])
  })

  it.each([
    ['a site', async () => {}],
    ['a site that was deleted for 7 days', (site: Site) => remove(site)],
  ])('of %s, and of 0 days, is for good at once: 204', async (_, prepare) => {
    const site = refundingSite()
    await site.paid()
    await prepare(site)
    const now = serviceWith({ settings: { ...CONNECTOR, DELETION_DAYS: '0' } })
    const { siteId } = site
    const answer = await operator(`/${siteId}`, { method: 'DELETE', body: { siteId } }, now)
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    expect(await refusalIn(await restore(site))).toEqual(DELETED)
    expect(await rowsIn(site, 'payments')).toBe(0)
  })

  it('is 409 while something is in flight, and nothing changes', async () => {
    const site = refundingSite()
    await site.make()
    expect(await refusalIn(await remove(site))).toEqual([409, 'payin.incorrect-method-invocation'])
    expect((await site.ask('/sbp/qrCodes')).status).toBe(200)
    expect((await remove(site, { force: true })).status).toBe(202)
  })

  it('refuses every request of the merchant and of payers: 410, after a restart too', async () => {
    const site = refundingSite()
    const { qrCodeUid, linkId, answer } = await site.make()
    await remove(site, { force: true })
    for (const restart of [false, true]) {
      if (restart) await abortAllDurableObjects()
      for (const [below, more] of [
        ['/sbp/qrCodes', {}],
        [`/sbp/qrCodes/${qrCodeUid}`, {}],
        ['/sbp/qrCodes', { body: { qrCodeUid: 'new', qrCode: { type: 'DYNAMIC' } } }],
        [`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' }],
        ['/events', {}],
        ['/settings', { method: 'PUT', body: {} }],
      ] as const)
        expect([below, ...(await refusalIn(await site.ask(below, more)))]).toEqual([below, ...DELETED])
      const { pathname, search } = new URL(answer.pageUrl)
      const page = await call(pathname + search, { token: null })
      expect([linkId !== '', page.status]).toEqual([true, 410])
      const browser = browserOf()
      expect((await browser.signIn({ sub: site.siteId, scope: 'merchant' })).status).toBe(410)
    }
  })

  it('lets the network go on: a payment and a refund in flight come to their end', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    expect((await site.refund(paymentUid, 1, 'in-flight')).status).toBe(200)
    const { linkId } = await site.make()
    await remove(site, { force: true })
    expect((await site.report(linkId, 'late')).status).toBe(200)
    expect((await site.reportRefund(paymentUid, 'in-flight', { status: 'COMPLETED' })).status).toBe(200)
    const token = await tokenOf({ sub: site.siteId, scope: 'network' })
    const list = await call(`/network/v1/sites/${site.siteId}/refunds?status=WAITING`, { token })
    expect(list.status).toBe(200)
    expect((await restore(site)).status).toBe(200)
    const paid = await site.ask('/payments/late')
    expect(await paid.json()).toMatchObject({ status: { value: 'COMPLETED' } })
    const refund = await site.ask(`/payments/${paymentUid}/refunds/in-flight`)
    expect(await refund.json()).toMatchObject({ status: { value: 'COMPLETED' } })
  })

  it('is in the lists that ask for it, and in no other', async () => {
    const site = refundingSite()
    await site.paid()
    const q = `q=${site.siteId}`
    await vi.waitFor(async () => expect(await listed(`?${q}`)).toEqual([site.siteId]), 30_000)
    await remove(site)
    expect([await listed(`?${q}`), await listed(`?${q}&deleted=true`)]).toEqual([[], [site.siteId]])
    const health = await healthOf(site, week)
    expect([typeof health.deletedOn, typeof health.dataDeletedOn]).toEqual(['string', 'string'])
    await restore(site)
    expect([await listed(`?${q}`), await listed(`?${q}&deleted=true`)]).toEqual([[site.siteId], []])
    expect(await (await operator(`/${site.siteId}`, {}, week)).json()).not.toHaveProperty('deletedOn')
  })
})

describe('after dataDeletedOn', () => {
  it('everybody gets 410, before the alarm too; the alarm deletes the data', async () => {
    const site = refundingSite()
    const { linkId } = await site.paid()
    await remove(site)
    vi.setSystemTime(Date.now() + 7 * DAY - 1000)
    expect((await site.report(linkId, 'in-time')).status).toBe(200)
    vi.setSystemTime(Date.now() + 1000)
    expect(await refusalIn(await site.report(linkId, 'late'))).toEqual(DELETED)
    expect(await refusalIn(await restore(site))).toEqual(DELETED)
    expect(await refusalIn(await operator(`/${site.siteId}`, {}, week))).toEqual(DELETED)
    expect(await rowsIn(site, 'payments')).toBe(2)
    await alarm(site)
    await vi.waitFor(async () => expect(await rowsIn(site, 'payments')).toBe(0), 30_000)
    expect(await listed(`?q=${site.siteId}&deleted=true`)).toEqual([])
    expect((await remove(site)).status).toBe(204)
    await abortAllDurableObjects()
    expect(await refusalIn(await site.ask('/sbp/qrCodes'))).toEqual(DELETED)
  })

  it('the object wakes by itself: its alarm is at that time, or before', async () => {
    const site = refundingSite()
    await site.paid()
    await remove(site)
    const at = await runInDurableObject(site.stub, (_, { storage }) => storage.getAlarm())
    expect(at).not.toBeNull()
    expect(at ?? 0).toBeLessThanOrEqual(Date.now() + 7 * DAY)
  })
})

describe('a restore', () => {
  it('of a site that is not deleted changes nothing; of one that nobody wrote to it is 404', async () => {
    const site = refundingSite()
    await site.paid()
    const before = await (await operator(`/${site.siteId}`)).json()
    expect(await (await restore(site)).json()).toEqual(before)
    expect(await refusalIn(await restore({ siteId: crypto.randomUUID() }))).toEqual([
      404,
      'payin.resource.not.found',
    ])
  })

  it('sends the notifications of the time between, and none is sent before', async () => {
    const sent: string[] = []
    vi.spyOn(Courier.prototype, 'deliver').mockImplementation(async ({ content }) => {
      sent.push('paymentUid' in content ? content.paymentUid : content.type)
      return { httpStatus: 200, ms: 1 }
    })
    const site = refundingSite()
    await site.ask('/settings', { method: 'PUT', body: { callbackUrl: 'https://shop.example/' } })
    await site.ask('/settings/notificationKeys', { method: 'POST' })
    const { linkId } = await site.make()
    await remove(site, { force: true })
    await site.report(linkId, 'meanwhile')
    for (let i = 0; i < 3; i++) {
      vi.setSystemTime(Date.now() + DAY)
      await alarm(site)
    }
    expect(sent).toEqual([])
    await restore(site)
    await alarm(site)
    await vi.waitFor(() => expect(sent).toEqual(['meanwhile']))
  })

  it('keeps keys, settings and the epoch, and revoked keys stay revoked', async () => {
    const site = refundingSite()
    await site.paid()
    await site.ask('/settings', { method: 'PUT', body: { name: 'Tea' } })
    await site.ask('/apiKeys/leaked', { method: 'DELETE' })
    const epoch = async () => (await (await operator(`/${site.siteId}`)).json<{ epoch: string }>()).epoch
    const before = await epoch()
    await remove(site)
    await restore(site)
    expect(await epoch()).toBe(before)
    expect(await (await site.ask('/settings')).json()).toMatchObject({ name: 'Tea' })
    const leaked = await tokenOf({ sub: site.siteId, jti: 'leaked' })
    expect((await site.ask('/sbp/qrCodes', { token: leaked })).status).toBe(401)
  })
})

it('in the console a site is deleted, shown and restored', async () => {
  const site = refundingSite()
  await site.paid()
  const browser = browserOf(week)
  await browser.signIn({ sub: '*', scope: 'operator', jti: 'operator' })
  const address = `/operator/sites/${site.siteId}`
  const gone = await browser.post(`${address}/delete`, { siteId: site.siteId })
  expect([gone.status, gone.headers.get('Location')]).toEqual([
    303,
    `../../../operator/sites/${site.siteId}?done=deleted`,
  ])
  expect(await (await browser.get(`${address}?lang=en`)).text()).toContain('Restore the site')
  const list = await (await browser.get(`/operator/sites?deleted=true&q=${site.siteId}`)).text()
  expect(list).toContain(`href="../operator/sites/${site.siteId}"`)
  expect((await browser.post(`${address}/restore`)).status).toBe(303)
  expect((await site.ask('/sbp/qrCodes')).status).toBe(200)
})

it('whatever is deleted, restored, restarted and reported in whatever order: reports are kept until the data are deleted', async () => {
  const step = fc.constantFrom('delete', 'restore', 'restart', 'report', 'day', 'alarm')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const site = refundingSite()
      const { linkId } = await site.paid()
      let deletesAt = Number.POSITIVE_INFINITY
      const reported = new Set<string>()
      const isGone = () => Date.now() >= deletesAt
      for (const [i, each] of steps.entries()) {
        if (each === 'restart') await restart(() => env.SITES.getByName(site.siteId))
        else if (each === 'day') vi.setSystemTime(Date.now() + 3 * DAY)
        else if (each === 'alarm') await alarm(site)
        else if (each === 'delete') {
          expect((await remove(site)).status).toBe(isGone() ? 204 : 202)
          if (deletesAt === Number.POSITIVE_INFINITY)
            deletesAt = Math.floor(Date.now() / 1000) * 1000 + 7 * DAY
        } else if (each === 'restore') {
          expect((await restore(site)).status).toBe(isGone() ? 410 : 200)
          if (!isGone()) deletesAt = Number.POSITIVE_INFINITY
        } else {
          const { status } = await site.report(linkId, `p-${i}`)
          expect(status).toBe(isGone() ? 410 : 200)
          if (status === 200) reported.add(`p-${i}`)
        }
        const isOpen = deletesAt === Number.POSITIVE_INFINITY
        expect((await site.ask('/sbp/qrCodes')).status).toBe(isOpen ? 200 : 410)
      }
      if (isGone()) return
      await restore(site)
      for (const uid of reported) expect((await site.ask(`/payments/${uid}`)).status).toBe(200)
    }),
    { numRuns: 15 },
  )
})
