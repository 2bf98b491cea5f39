// The lists by which a connector finds what its bank did not tell of bindings and charges (contract, section 14).
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BankTokenSite, bankTokenSite } from '../support/bank-tokens.ts'
import { errorOf, tokenOf } from '../support/service.ts'
import { pass } from '../support/tokens.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => vi.useRealTimers())

const HOUR = 60
const DAY = 24 * HOUR

const flags = ['CREATE_TOKEN']
const since = (at: number) => `&endedFrom=${encodeURIComponent(new Date(at).toISOString())}`
const idsOf = async (site: BankTokenSite, status: string, more = '') =>
  (await site.bindings(`?status=${status}${more}`)).bindings.map(({ qrcId }) => qrcId)

describe('the consents that are awaited', () => {
  it('have what a connector needs to ask its bank', async () => {
    const site = bankTokenSite()
    await site.tokenCode('t')
    expect(await site.bindings()).toEqual({
      bindings: [
        { qrcId: 't', reference: 'bank t', status: 'WAITING', expiresOn: '2026-11-20T16:00:00+03:00' },
      ],
    })
  })

  it('are those of codes that request a token, open, paid or refused, until the consent comes', async () => {
    const site = bankTokenSite()
    await site.make('order')
    await site.tokenCode('t')
    await site.make('open', { flags })
    await site.make('paid', { flags })
    await site.report('paid', 'p-1')
    await site.tokenCode('refused')
    await site.bind('refused', { status: 'REJECTED' }, 'b-1')
    await site.bound('bound')
    await site.make('both', { flags })
    await site.bind('both', {}, 'b-2')
    await site.make('answered', { flags })
    await site.report('answered', 'p-2', { binding: { bindingUid: 'b-3', status: 'REJECTED' } })
    expect((await idsOf(site, 'WAITING')).toSorted()).toEqual(['open', 'paid', 'refused', 't'])
    await site.bind('paid', {}, 'b-4')
    await site.bind('t', {}, 'b-5')
    expect((await idsOf(site, 'WAITING')).toSorted()).toEqual(['open', 'refused'])
  })

  it('can still come since a time: of codes that expired or were cancelled, and of tokens that the clock rejected', async () => {
    const site = bankTokenSite()
    vi.setSystemTime(NOW - 48 * 3_600_000)
    await site.tokenCode('long-ago')
    vi.setSystemTime(NOW - 2 * 3_600_000)
    await site.tokenCode('expired')
    await site.tokenCode('cancelled')
    await site.ask('/sbp/qrCodes/cancelled', { method: 'DELETE' })
    await site.make('rejected', { flags }, { ttl: 60 })
    await site.report('rejected', 'p-1')
    await site.make('order', {}, { ttl: 60 })
    vi.setSystemTime(NOW)
    await runDurableObjectAlarm(site.stub)
    const { bindings } = await site.bindings()
    expect(bindings.map(({ qrcId, status }) => [qrcId, status])).toEqual([
      ['expired', 'WAITING'],
      ['cancelled', 'WAITING'],
      ['rejected', 'REJECTED'],
    ])
    expect(bindings[2]).toEqual({
      qrcId: 'rejected',
      reference: 'bank rejected',
      status: 'REJECTED',
      expiresOn: '2026-11-20T14:00:00+03:00',
    })
    expect(await idsOf(site, 'WAITING', since(NOW - 72 * 3_600_000))).toContain('long-ago')
    expect(await idsOf(site, 'WAITING', since(NOW - 60_000))).toEqual([])
    expect(await idsOf(site, 'WAITING', since(NOW + 3_600_000))).toEqual([])
  })

  it('are each on one page, while codes expire and are paid between the pages', async () => {
    const site = bankTokenSite()
    const uids = Array.from({ length: 9 }, (_, n) => `q-${n}`)
    for (const [n, uid] of uids.entries()) {
      if (n % 3 === 0) await site.tokenCode(uid, {}, 60 + n)
      else await site.make(uid, { flags }, { ttl: 60 + n })
    }
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page === 0 || cursor !== ''; page++) {
      const { bindings, nextCursor } = await site.bindings(`?limit=2${cursor && `&cursor=${cursor}`}`)
      expect(bindings.length).toBeLessThanOrEqual(2)
      seen.push(...bindings.map(({ qrcId }) => qrcId))
      cursor = nextCursor ?? ''
      if (page === 0) {
        await site.report('q-1', 'p-1')
        await site.report('q-7', 'p-7')
      }
      if (page === 1) {
        pass(66)
        await runDurableObjectAlarm(site.stub)
      }
    }
    expect([...new Set(seen)].toSorted()).toEqual(uids)
  })

  it('are found among more ended codes than one page reads', async () => {
    const site = bankTokenSite()
    await site.tokenCode('first', {}, 10)
    await site.make('order', {}, { ttl: 11 })
    await site.tokenCode('last', {}, 12)
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      const { columns } = sql
        .exec(
          "SELECT group_concat(name) AS columns FROM pragma_table_info('qr_codes') WHERE name NOT IN ('number', 'qr_code_uid', 'link_id', 'page_id')",
        )
        .one()
      sql.exec(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
         INSERT INTO qr_codes (number, qr_code_uid, link_id, page_id, ${columns})
         SELECT 1000 + i, 'x' || i, 'x' || i, 'x' || i, ${columns} FROM qr_codes, n WHERE qr_code_uid = 'order'`,
      )
      sql.exec("UPDATE qr_codes SET status = 'EXPIRED'")
    })
    pass(HOUR)
    const pages: string[][] = []
    let cursor = ''
    do {
      const { bindings, nextCursor } = await site.bindings(`?limit=500${cursor && `&cursor=${cursor}`}`)
      pages.push(bindings.map(({ qrcId }) => qrcId))
      cursor = nextCursor ?? ''
    } while (cursor !== '')
    expect(pages).toEqual([['first'], [], ['last']])
  })
})

it('the tokens that can be charged have their bindings and their ends', async () => {
  const site = bankTokenSite()
  for (const uid of ['t-1', 't-2', 't-3']) await site.bound(uid)
  await site.bind('t-2', { status: 'DELETED' }, 'binding-t-2')
  const first = await site.bindings('?status=CREATED&limit=1')
  expect(first.bindings).toEqual([
    {
      bindingUid: 'binding-t-1',
      qrcId: 't-1',
      reference: 'bank t-1',
      bindingReference: 'sub t-1',
      status: 'CREATED',
      expiredDate: '2027-11-20T15:00:00+03:00',
    },
  ])
  expect(await idsOf(site, 'CREATED', `&cursor=${first.nextCursor}`)).toEqual(['t-3'])
})

it('the tokens that ended are those that expired or were deleted since a time, recorded or not', async () => {
  const site = bankTokenSite()
  await site.deleteToken(await site.bound('long-ago'))
  pass(2 * DAY)
  await site.bound('by-bank')
  await site.bind('by-bank', { status: 'DELETED' }, 'binding-by-bank')
  await site.deleteToken(await site.bound('by-merchant'))
  await site.bound('stays')
  expect((await idsOf(site, 'ENDED')).toSorted()).toEqual(['by-bank', 'by-merchant'])
  expect(await idsOf(site, 'ENDED', since(0))).toContain('long-ago')
  pass(365 * DAY)
  const { bindings } = await site.bindings('?status=ENDED')
  expect(bindings).toMatchObject([{ bindingUid: 'binding-stays', status: 'EXPIRED' }])
  expect(await idsOf(site, 'CREATED')).toEqual([])
  await runDurableObjectAlarm(site.stub)
  expect(await site.bindings('?status=ENDED')).toEqual({ bindings })
})

it('the charges that wait have what names them at the bank, page by page, also those that another payment superseded', async () => {
  const site = bankTokenSite()
  const token = await site.bound('t')
  const uids: string[] = []
  for (const order of ['o-1', 'o-2', 'o-3']) uids.push(await site.charged(order, token))
  await runInDurableObject(site.stub, (_, { storage }) => storage.sql.exec('UPDATE outbox SET attempted = 1'))
  await site.report('o-2', uids[1] ?? '')
  await site.report('o-3', 'link')
  const first = await site.charges('?status=WAITING&limit=1')
  expect(first.charges).toEqual([
    {
      paymentUid: uids[0],
      qrcId: 'o-1',
      bindingUid: 'binding-t',
      reference: 'bank o-1',
      bindingReference: 'sub t',
      amount: { value: '5.00', currency: 'RUB' },
      expiresOn: '2026-11-23T15:00:00+03:00',
      createdOn: '2026-11-20T15:00:00+03:00',
    },
  ])
  const second = await site.charges(`?cursor=${first.nextCursor}`)
  expect(second).toMatchObject({ charges: [{ paymentUid: uids[2] }] })
  expect(second.nextCursor).toBeUndefined()
})

it('tokens and charges of the sandbox bank are not listed to a connector, nor its codes', async () => {
  const site = bankTokenSite()
  const token = await site.bound('t')
  await site.charged('order', token)
  await site.tokenCode('waiting')
  await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
    sql.exec("UPDATE tokens SET network = 'sandbox'")
    sql.exec("UPDATE payments SET network = 'sandbox'")
  })
  expect(await idsOf(site, 'CREATED')).toEqual([])
  expect(await site.charges()).toEqual({ charges: [] })
})

it('both are empty for a site that nobody wrote to', async () => {
  const site = bankTokenSite()
  for (const status of ['WAITING', 'CREATED', 'ENDED'])
    expect(await site.bindings(`?status=${status}`)).toEqual({ bindings: [] })
  expect(await site.charges()).toEqual({ charges: [] })
})

it.each([
  ['/bindings?limit=501', 'limit'],
  ['/bindings?status=DELETED', 'status'],
  ['/bindings?endedFrom=yesterday', 'endedFrom'],
  ['/bindings?cursor=1-2', 'cursor'],
  ['/bindings?from=1', 'from'],
  ['/charges?status=COMPLETED', 'status'],
  ['/charges?limit=0', 'limit'],
  ['/charges?cursor=a', 'cursor'],
])('refuses %s and names the parameter', async (below, field) => {
  const response = await bankTokenSite().network(below)
  const { errorCode, cause } = await errorOf(response)
  expect([response.status, errorCode, Object.keys(cause ?? {})]).toEqual([400, 'validation.error', [field]])
})

it.each(['/bindings', '/charges'])('%s is for the network alone', async (below) => {
  const site = bankTokenSite()
  const token = await tokenOf({ sub: site.siteId })
  expect((await site.network(below, { token })).status).toBe(403)
})
