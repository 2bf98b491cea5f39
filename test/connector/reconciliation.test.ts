// Reconciliation: webhooks get lost, connectors are down, banks are slow; every payment is found.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOUR, MINUTE, pay, register, start, surroundings } from './harness.ts'

const DAY = 24 * HOUR

describe.each(['tea', 'cafe', 'farm'])('%s', (site) => {
  it('a connector that was down over a weekend asks for all that ended meanwhile', async () => {
    const at = await surroundings()
    const first = await start(at)
    const paid = await register(at, site)
    const unpaid = await register(at, site)
    await first.stop()
    await pay(at, site, paid.qrcId, { times: 0 })
    at.clock.now += 3 * DAY
    const next = await start(at)
    await next.connector.settle()
    expect(Array.from(at.service.site(site).payments.keys())).toEqual([paid.qrcId])
    expect(next.core.disk.codes.countOpen()).toBe(0)
    // Once: nobody is asked again about what has ended.
    const calls = [at.tochka, at.tbank, at.raiffeisen].flatMap((bank) => bank.calls).length
    at.clock.now += DAY
    await next.connector.settle()
    expect([at.tochka, at.tbank, at.raiffeisen].flatMap((bank) => bank.calls)).toHaveLength(calls)
    expect(at.service.site(site).payments.has(unpaid.qrcId)).toBe(false)
  })

  it.each([
    ['payable', MINUTE],
    ['ended over a weekend', 3 * DAY],
  ])('a connector on a new disk asks about the codes of the service’s list that are %s', async (_, time) => {
    const at = await surroundings()
    const first = await start(at)
    const { qrcId, reference } = await register(at, site)
    await first.stop()
    rmSync(join(at.directory, 'connector.sqlite'))
    const code = {
      siteId: site,
      qrcId,
      reference,
      type: 'DYNAMIC',
      amount: { value: '100.00', currency: 'RUB' },
    }
    const times = { createdOn: '2026-11-20T13:00:00+03:00', expiresOn: '2026-11-20T14:00:00+03:00' }
    at.service.qrCodes.push({ ...code, ...times, status: 'CREATED' })
    await pay(at, site, qrcId, { times: 0 })
    at.clock.now += time
    const { connector } = await start(at)
    await connector.settle()
    expect(at.service.site(site).payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
  })
})

it('asks Tochka for the status in the first day, and for its list of payments afterwards', async () => {
  const at = await surroundings()
  const { connector } = await start(at)
  await register(at, 'tea', { ttl: 4_320, expiresOn: new Date(at.clock.now + 3 * DAY).toISOString() })
  at.clock.now += MINUTE
  await connector.settle()
  expect(at.tochka.calls.map(({ operation }) => operation)).toEqual(['register', 'status'])
  at.clock.now += 2 * DAY
  await connector.settle()
  expect(at.tochka.calls.at(-1)).toMatchObject({ operation: 'payments', query: { fromDate: '2026-11-20' } })
})

it('a payment in progress at the end of its code is waited for', async () => {
  const at = await surroundings()
  const { connector } = await start(at)
  const { qrcId } = await register(at, 'tea')
  const ref = await at.tochka.pay(qrcId, { status: 'InProgress' })
  at.clock.now += 62 * MINUTE
  await connector.settle()
  expect(at.service.reports).toEqual([])
  at.tochka.finish(ref, 'Accepted')
  at.clock.now += MINUTE
  await connector.settle()
  expect(at.service.site('tea').payments.get(qrcId)?.status).toBe('COMPLETED')
})

it('a bank that answers 429 or 5xx is asked less and less, and the others as before', async () => {
  const at = await surroundings()
  const { connector } = await start(at)
  await register(at, 'tea')
  await register(at, 'cafe')
  at.tochka.fail('status', { status: 429, retryAfter: 90 })
  at.tochka.fail('status', { status: 503 }, 100)
  const asked: number[] = []
  const began = at.clock.now
  for (let second = 60; second <= 15 * 60; second += 5) {
    at.clock.now = began + second * 1000
    const before = at.tochka.callsOf('status').length
    await connector.settle(1)
    if (at.tochka.callsOf('status').length > before) asked.push(second)
  }
  expect(asked).toEqual([60, 150, 180, 240, 540])
  expect(at.tbank.callsOf('GetState').length).toBeGreaterThanOrEqual(14)
})

it('a list without the payment that the status tells of is asked again', async () => {
  const at = await surroundings()
  const { connector } = await start(at)
  const { qrcId } = await register(at, 'tea')
  await at.tochka.pay(qrcId, { times: 0 })
  at.tochka.fail('payments', { status: 500 })
  at.clock.now += MINUTE
  await connector.settle()
  expect(at.service.reports).toEqual([])
  at.clock.now += MINUTE
  await connector.settle()
  expect(at.service.site('tea').payments.size).toBe(1)
})

describe('reports', () => {
  it.each([401, 404, 409, 429, 500, 503])(
    'a report that got %i is sent until it is accepted',
    async (status) => {
      const at = await surroundings()
      const { connector, core } = await start(at)
      const { qrcId } = await register(at, 'tea')
      at.service.failures.push(status, status)
      await at.tochka.pay(qrcId)
      await connector.settle()
      expect(core.disk.reports.notAccepted()).toMatchObject([{ attempts: 1 }])
      at.clock.now += MINUTE
      await connector.settle(1)
      at.clock.now += MINUTE
      await connector.settle()
      expect(core.disk.reports.notAccepted()).toEqual([])
      expect(at.service.site('tea').payments.get(qrcId)?.status).toBe('COMPLETED')
    },
  )

  it('a deleted site is not asked about any more, and its reports stay listed', async () => {
    const at = await surroundings()
    const { connector, core } = await start(at)
    const { qrcId } = await register(at, 'tea')
    await register(at, 'tea')
    at.service.deleted.add('tea')
    await at.tochka.pay(qrcId)
    await connector.settle()
    at.clock.now += DAY
    const before = at.tochka.calls.length
    await connector.settle()
    expect(core.disk.reports.notAccepted()).toMatchObject([{ path: expect.stringContaining(qrcId) }])
    expect(core.disk.codes.countOpen()).toBe(0)
    expect(at.tochka.calls.length).toBe(before)
  })

  it('a service that is down loses nothing', async () => {
    const at = await surroundings()
    const { connector, core } = await start(at)
    const { qrcId } = await register(at, 'cafe')
    await at.service.close()
    await at.tbank.pay(qrcId)
    await connector.settle()
    expect(core.disk.reports.notAccepted()).toMatchObject([
      { attempts: 1, answer: expect.stringMatching(/^0 /) },
    ])
  })
})
