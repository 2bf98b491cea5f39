// The lists by which a connector finds what its bank did not tell (contract, section 14).
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { NetworkQrCodesAnswer, WaitingRefundsAnswer } from '../../src/contract/reconciliation.ts'
import { bankSite, namedBankSite } from '../support/bank-links.ts'
import { call, errorOf, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => vi.useRealTimers())

const HOUR = 3_600_000

function site() {
  const client = namedBankSite()
  return {
    ...client,
    cancel: (uid: string) => client.ask(`/sbp/qrCodes/${uid}`, { method: 'DELETE' }),
    async codes(query = '') {
      return strict(NetworkQrCodesAnswer).parse(await (await client.network(`/qrCodes${query}`)).json())
    },
    async refunds(query = '') {
      return strict(WaitingRefundsAnswer).parse(await (await client.network(`/refunds${query}`)).json())
    },
  }
}
type Site = ReturnType<typeof site>

const idsOf = async (of: Site, query = '') => (await of.codes(query)).qrCodes.map(({ qrcId }) => qrcId)

it('has what a connector needs to ask its bank about a QR code', async () => {
  const shop = site()
  await shop.make('a', {}, { ttl: 60 })
  expect(await shop.codes()).toEqual({
    qrCodes: [
      {
        qrcId: 'a',
        reference: 'bank a',
        type: 'DYNAMIC',
        amount: { value: '5.00', currency: 'RUB' },
        createdOn: '2026-11-20T15:00:00+03:00',
        expiresOn: '2026-11-20T16:00:00+03:00',
        status: 'CREATED',
      },
    ],
  })
})

it('has QR codes that can be paid, and those that ended in the last day, or since a time, without a payment', async () => {
  const shop = site()
  vi.setSystemTime(NOW - 48 * HOUR)
  await shop.make('long-ago', {}, { ttl: 60 })
  await shop.make('still-open', {}, { ttl: 129_600 })
  vi.setSystemTime(NOW - 2 * HOUR)
  await shop.make('ended', {}, { ttl: 60 })
  await shop.make('cancelled', {}, { ttl: 60 })
  await shop.cancel('cancelled')
  await shop.make('paid', {}, { ttl: 60 })
  await shop.report('paid', 'p-1')
  await shop.make('declined', {}, { ttl: 600 })
  await shop.report('declined', 'p-2', { status: 'DECLINED' })
  await shop.make('mismatched', {}, { ttl: 600 })
  await shop.report('mismatched', 'p-3', { amount: { value: 6 } })
  vi.setSystemTime(NOW)
  expect(await idsOf(shop)).toEqual(['ended', 'cancelled', 'declined', 'mismatched', 'still-open'])
  const since = (at: number) => `?endedFrom=${encodeURIComponent(new Date(at).toISOString())}`
  expect(await idsOf(shop, since(NOW - 72 * HOUR))).toContain('long-ago')
  const open = ['declined', 'mismatched', 'still-open']
  expect(await idsOf(shop, since(NOW - HOUR + 1000))).toEqual(open)
  expect(await idsOf(shop, since(NOW + 100 * HOUR))).toEqual(open)
})

it('gives every QR code once, page by page, while some of them end', async () => {
  const shop = site()
  const ids = Array.from({ length: 7 }, (_, n) => `q-${n}`)
  for (const [n, id] of ids.entries()) await shop.make(id, {}, { ttl: 60 + (n >> 1) })
  const first = await shop.codes('?limit=3')
  expect(first.qrCodes).toHaveLength(3)
  await shop.cancel('q-1')
  await shop.cancel('q-4')
  const second = await shop.codes(`?limit=3&cursor=${first.nextCursor}`)
  const third = await shop.codes(`?limit=3&cursor=${second.nextCursor}`)
  expect(third.nextCursor).toBeUndefined()
  expect([first, second, third].flatMap(({ qrCodes }) => qrCodes.map(({ qrcId }) => qrcId))).toEqual(ids)
})

it.each([1, 2, 3, 4, 5, 6, 7])(
  'gives codes without an end behind the others, each once, by pages of %i while some are cancelled',
  async (limit) => {
    const shop = site()
    const ids = ['d-1', 'd-2', 's-1', 'c-1', 's-2']
    for (const [id, amount, qrCode] of [
      ['s-1', { value: 5 }, { type: 'STATIC' }],
      ['d-1', { value: 5 }, { ttl: 60 }],
      ['c-1', undefined, { type: 'COUNTER' }],
      ['d-2', { value: 5 }, { ttl: 61 }],
      ['s-2', { value: 5 }, { type: 'STATIC' }],
    ] as const)
      await shop.make(id, { amount }, qrCode)
    const found: string[] = []
    let cursor: string | undefined = ''
    for (let page = 0; cursor !== undefined; page++) {
      expect(page).toBeLessThan(ids.length)
      const { qrCodes, nextCursor } = await shop.codes(`?limit=${limit}${cursor && `&cursor=${cursor}`}`)
      found.push(...qrCodes.map(({ qrcId }) => qrcId))
      cursor = nextCursor
      const ended = page === 0 ? 's-2' : 's-1'
      expect((await shop.cancel(ended)).status).toBe(200)
    }
    expect(found).toEqual(ids)
    expect(await idsOf(shop)).toEqual(ids)
  },
)

it('has QR codes with links of this service too', async () => {
  const own = bankSite(undefined, { LINKS: 'own' })
  const { linkId } = await own.make()
  const token = await tokenOf({ sub: own.siteId, scope: 'network' })
  const response = await call(`/network/v1/sites/${own.siteId}/qrCodes`, { token })
  expect(await response.json()).toMatchObject({ qrCodes: [{ qrcId: linkId }] })
})

it('has the refunds that the network has not reported, with what names them there', async () => {
  const shop = site()
  await shop.make('a')
  await shop.report('a', 'p-1', { networkUid: 'A1' })
  for (const uid of ['r-1', 'r-2', 'r-3']) await shop.refund('p-1', 1, uid)
  await shop.reportRefund('p-1', 'r-2', { status: 'COMPLETED' })
  expect(await shop.refunds('?status=WAITING&limit=1')).toEqual({
    refunds: [
      {
        refundUid: 'r-1',
        paymentUid: 'p-1',
        qrcId: 'a',
        reference: 'bank a',
        networkUid: 'A1',
        amount: { value: '1.00', currency: 'RUB' },
        createdOn: '2026-11-20T15:00:00+03:00',
      },
    ],
    nextCursor: expect.any(String),
  })
  const { nextCursor } = await shop.refunds('?limit=1')
  expect(await shop.refunds(`?cursor=${nextCursor}`)).toMatchObject({ refunds: [{ refundUid: 'r-3' }] })
})

it('is empty for a site that nobody wrote to', async () => {
  const shop = site()
  expect(await shop.codes()).toEqual({ qrCodes: [] })
  expect(await shop.refunds()).toEqual({ refunds: [] })
})

it.each([
  ['/qrCodes?limit=501', 'limit'],
  ['/qrCodes?limit=0', 'limit'],
  ['/qrCodes?endedFrom=yesterday', 'endedFrom'],
  ['/qrCodes?cursor=1', 'cursor'],
  ['/qrCodes?cursor=never-1', 'cursor'],
  ['/qrCodes?status=CREATED', 'status'],
  ['/refunds?status=COMPLETED', 'status'],
  ['/refunds?cursor=%20', 'cursor'],
])('refuses %s and names the parameter', async (below, field) => {
  const response = await site().network(below)
  expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [field]])
})

it.each(['/qrCodes', '/refunds'])('refuses %s to a merchant', async (below) => {
  const shop = site()
  const response = await shop.network(below, {
    token: await tokenOf({ sub: shop.siteId, scope: 'merchant:admin' }),
  })
  expect(response.status).toBe(403)
})
