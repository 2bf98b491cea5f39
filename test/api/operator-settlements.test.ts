// The settlement of all sites: each site tells the registry, and the operator reads it.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AllSettlementsAnswer } from '../../src/contract/settlements/figures.ts'
import { Registry } from '../../src/registry/registry.ts'
import { operator } from '../support/operator.ts'
import { refundingSite } from '../support/refunds.ts'
import { call, tokenOf } from '../support/service.ts'
import { encode } from '../support/settlement/files.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { strict } from '../support/strict.ts'

type Site = ReturnType<typeof refundingSite>

// Ahead of the real clock, by which tokens are checked.
const NOON = Date.UTC(2031, 10, 21, 9)
const HALF_A_MINUTE = 30_000
const A_DAY = 86_400_000

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOON }))
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const ofMonth = async (month: string): Promise<AllSettlementsAnswer> => {
  const token = await tokenOf({ sub: '*', jti: 'operator', scope: 'operator:read' })
  const response = await call(`/operator/v1/settlements?month=${month}`, { token })
  expect(response.status).toBe(200)
  return strict(AllSettlementsAnswer).parse(await response.json())
}
/** The figures of a site alone: other tests have sites, too. */
const figuresOf = async ({ siteId }: Site, month = '2031-11') =>
  (await ofMonth(month)).sites.find((site) => site.siteId === siteId)

/** A payment that its bank names by `number`. */
const paid = (site: Site, number: string) =>
  site.paid(
    {
      ...{ dateTime: '2031-11-20T09:05:30+03:00', networkUid: number, bank: 'tbank' },
      amount: { value: 100 },
    },
    { amount: { value: 100 } },
  )

const line = (number: string, cells: Record<string, string> = {}) =>
  tbankLine({
    ...{ paymentId: number, order: '', operationId: `A${number.padStart(31, '0')}` },
    ...{ date: '20.11.2031', processedOn: '20.11.2031', paidOn: '21.11.2031', ...cells },
  })

async function importFile(site: Site, settlementUid: string, ...lines: ReturnType<typeof line>[]) {
  const numbered = lines.map((cells, index) => ({ ...cells, number: `${index + 1}` }))
  const token = await tokenOf({ sub: site.siteId, scope: 'merchant:accounting' })
  const path = `/payin/v1/sites/${site.siteId}/settlements/${settlementUid}?bank=tbank&format=registry`
  const response = await call(path, {
    ...{ method: 'PUT', token, headers: { 'Content-Type': 'text/csv' } },
    body: encode(tbankText(numbered), 'windows-1251'),
  })
  expect([response.status, response.status === 201 ? '' : await response.text()]).toEqual([201, ''])
}

/** Lets the time pass after which the site tells what has changed; the alarm runs as often as it is due. */
async function tell(site: Site, after = HALF_A_MINUTE) {
  const stub = env.SITES.getByName(site.siteId)
  vi.setSystemTime(Date.now() + after)
  for (let step = 0; step < 5; step++) {
    await runDurableObjectAlarm(stub)
    // What the alarm began is done when the tables say so.
    await scheduler.wait(20)
  }
}

const SUMS = { payments: 2, gross: '200.00', refunds: 0, refunded: '0.00', fee: '-1.40', feeVat: '0.00' }

describe('the operator', () => {
  it('reads the figures of each site, and their sums', async () => {
    const [tea, cake] = [refundingSite(), refundingSite()]
    await paid(tea, '1')
    await importFile(tea, 'november', line('1'), line('2'))
    await paid(cake, '3')
    await importFile(cake, 'november', line('3', { amount: '50.00', toBePaid: '49.30' }))
    const before = (await ofMonth('2031-11')).total
    await tell(tea)
    await tell(cake)
    expect(await figuresOf(tea)).toEqual({
      ...{ siteId: tea.siteId, ...SUMS, net: '198.60', withoutFee: 0, withoutVat: 2 },
      ...{ matched: 1, mismatched: 0, unknown: 1, expected: 0 },
    })
    expect(await figuresOf(cake)).toMatchObject({ gross: '50.00', matched: 0, mismatched: 1, unknown: 0 })
    const { total } = await ofMonth('2031-11')
    expect(Number(total.gross) - Number(before.gross)).toBeCloseTo(250)
    expect([total.matched - before.matched, total.unknown - before.unknown]).toEqual([1, 1])
    expect(await figuresOf(tea, '2031-10')).toBeUndefined()
  })

  it('sees in half a minute that a payment was reported after the file', async () => {
    const site = refundingSite()
    await paid(site, '1')
    await importFile(site, 'november', line('1'), line('2'))
    await tell(site)
    await paid(site, '2')
    await tell(site)
    await tell(site)
    expect(await figuresOf(site)).toMatchObject({ matched: 2, unknown: 0 })
  })

  it('sees a payment that no file has on the day on which it is late, though nothing is written', async () => {
    const site = refundingSite()
    await paid(site, '1')
    await paid(site, '2')
    await importFile(site, 'november', line('1'))
    await tell(site)
    expect(await figuresOf(site)).toMatchObject({ matched: 1, expected: 0 })
    await evictDurableObject(env.SITES.getByName(site.siteId))
    for (let day = 0; day < 7; day++) await tell(site, A_DAY)
    expect(await figuresOf(site)).toMatchObject({ matched: 1, expected: 1 })
  })

  it('sees no figures of a file that was deleted, and none of a deleted site', async () => {
    const [tea, cake] = [refundingSite(), refundingSite()]
    for (const site of [tea, cake]) {
      await paid(site, '1')
      await importFile(site, 'november', line('1'))
      await tell(site)
      expect(await figuresOf(site)).toMatchObject({ payments: 1 })
    }
    const token = await tokenOf({ sub: tea.siteId, scope: 'merchant:accounting' })
    const path = `/payin/v1/sites/${tea.siteId}/settlements/november`
    expect((await call(path, { method: 'DELETE', token })).status).toBe(204)
    await tell(tea)
    expect(await figuresOf(tea)).toBeUndefined()
    expect(
      (
        await operator(`/${cake.siteId}`, {
          method: 'DELETE',
          body: { siteId: cake.siteId, force: true },
        })
      ).status,
    ).toBe(204)
    expect(await figuresOf(cake)).toBeUndefined()
  })

  it.each(['2031-13', '2031', ''])('asks for the month %j: 400', async (month) => {
    const token = await tokenOf({ sub: '*', jti: 'operator', scope: 'operator' })
    const response = await call(`/operator/v1/settlements?month=${month}`, { token })
    expect(response.status).toBe(400)
  })
})

describe('a site', () => {
  const calls = (site: Site, record: { mock: { calls: unknown[][] } }) =>
    record.mock.calls.filter(([siteId]) => siteId === site.siteId).length

  it('tells nothing while nothing changes, and once a day', async () => {
    const site = refundingSite()
    await paid(site, '1')
    const record = vi.spyOn(Registry.prototype, 'recordSettlements')
    await importFile(site, 'november', line('1'))
    await tell(site)
    expect(calls(site, record)).toBe(1)
    await site.make()
    await tell(site)
    await tell(site)
    expect(calls(site, record)).toBe(1)
    await tell(site, A_DAY)
    expect(calls(site, record)).toBe(2)
  })

  it('whose object ends before the alarm tells it in the next one', async () => {
    const site = refundingSite()
    await paid(site, '1')
    await importFile(site, 'november', line('1'))
    await evictDurableObject(env.SITES.getByName(site.siteId))
    await tell(site)
    expect(await figuresOf(site)).toMatchObject({ payments: 1 })
  })

  it('without an import has no alarm for it, and tells nothing', async () => {
    const site = refundingSite()
    await paid(site, '1')
    const record = vi.spyOn(Registry.prototype, 'recordSettlements')
    await tell(site)
    await tell(site, A_DAY)
    expect(calls(site, record)).toBe(0)
  })

  it('tells again what a registry did not take', async () => {
    const site = refundingSite()
    await paid(site, '1')
    const record = vi.spyOn(Registry.prototype, 'recordSettlements').mockRejectedValueOnce(new Error('full'))
    await importFile(site, 'november', line('1'))
    await tell(site)
    expect(await figuresOf(site)).toBeUndefined()
    await tell(site)
    expect(await figuresOf(site)).toMatchObject({ payments: 1 })
    expect(calls(site, record)).toBe(2)
    const told = await runInDurableObject(env.SITES.getByName(site.siteId), (_, { storage }) =>
      storage.sql.exec('SELECT told FROM settlement_state').one(),
    )
    expect(told).toEqual({ told: expect.stringMatching(/^2031-11-21 \S+ 1 /) })
  })
})
