// The search of a site (contract, section 7).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SearchAnswer, type SearchPosition } from '../../src/contract/search.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import { search } from '../../src/site/search/search.ts'
import { type RefundingSite, refundingSite } from '../support/refunds.ts'
import { errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { contextOf, MERCHANT, rowsReadBy } from '../support/site.ts'
import { strict } from '../support/strict.ts'

// One second for all rows: their kinds order them then. Ahead of the real clock, by which tokens are checked.
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 10, 20, 9) }))
afterEach(() => void vi.useRealTimers())

async function find(site: RefundingSite, q: string, more: Record<string, string> = {}) {
  const response = await site.ask(`/search?${new URLSearchParams({ q, ...more })}`)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return strict(SearchAnswer).parse(await response.json())
}
type Result = SearchAnswer['results'][number]

const name = ({ kind, qrCodeUid, paymentUid, refundUid, saleUid }: Result): string => {
  const own = { qrCode: qrCodeUid, payment: paymentUid, refund: refundUid, sale: saleUid }[kind]
  return `${kind} ${own}`
}
const found = async (site: RefundingSite, q: string) =>
  (await find(site, q)).results.map((each) => `${name(each)} by ${each.matched}`)

/** All pages, one after the other. */
async function pages(site: RefundingSite, q: string, limit: number): Promise<string[][]> {
  const all: string[][] = []
  for (let cursor = ''; ; ) {
    const { results, nextCursor } = await find(site, q, { limit: `${limit}`, ...(cursor && { cursor }) })
    all.push(results.map(name))
    if (nextCursor === undefined) return all
    if (all.length === 100) throw new Error('the pages do not end')
    cursor = nextCursor
  }
}

/** An order that is paid and refunded in part, another one, and a till with a sale. */
async function shop() {
  const site = refundingSite()
  const { linkId } = await site.make({
    ...{ qrCodeUid: 'заказ-1045', amount: { value: 337.5 }, paymentPurpose: 'Чай «Да Хун Пао»' },
  })
  await site.pay(linkId, { amount: { value: 337.5 } }, 'A-order')
  await site.refund('A-order', 100, 'vozvrat-7')
  await site.make({
    ...{ qrCodeUid: 'заказ-2000', amount: { value: 12 }, paymentPurpose: 'Доставка [до двери]*? за Уралом' },
  })
  const till = await site.make({ qrCodeUid: 'till', amount: undefined }, { type: 'COUNTER' })
  await site.ask('/sbp/qrCodes/till/sales/chek-9', {
    method: 'PUT',
    body: { amount: { value: 55 }, paymentPurpose: 'Кружка' },
  })
  return { site, till }
}

const ORDER = 'qrCode заказ-1045'
const PAYMENT = 'payment A-order'

describe('a search finds', () => {
  it.each<[string, string, string[]]>([
    ['a code and its payment by the identifier', 'заказ-1045', [`${ORDER} by uid`, `${PAYMENT} by uid`]],
    ['a payment', 'A-order', [`${PAYMENT} by uid`]],
    ['a refund', 'vozvrat-7', ['refund vozvrat-7 by uid']],
    ['a sale', 'chek-9', ['sale chek-9 by uid']],
    [
      'codes by the beginning, and the payment of one',
      'заказ-',
      ['qrCode заказ-2000 by prefix', `${ORDER} by prefix`, `${PAYMENT} by prefix`],
    ],
    [
      'a code by a part, in capitals of another alphabet',
      'АЗ-1045',
      [`${ORDER} by part`, `${PAYMENT} by part`],
    ],
    ['a payment by a part, in other capitals', '-ORDER', [`${PAYMENT} by part`]],
    ['a refund by a part', 'zvrat', ['refund vozvrat-7 by part']],
    ['a code by its purpose', 'да хун', [`${ORDER} by purpose`]],
    ['a sale by its purpose', 'КРУЖ', ['sale chek-9 by purpose']],
    [
      'a purpose by marks of patterns, in capitals',
      'ДОСТАВКА [ДО ДВЕРИ]*? ЗА УР',
      ['qrCode заказ-2000 by purpose'],
    ],
    ['nothing that has only pieces of the text', 'доставказа уралом', []],
    ['an amount with a point', '337.50', [`${ORDER} by amount`, `${PAYMENT} by amount`]],
    ['an amount with a comma', '337,5', [`${ORDER} by amount`, `${PAYMENT} by amount`]],
    ['the amount of a refund', '100', ['refund vozvrat-7 by amount']],
    ['nothing by a pattern of SQL', 'заказ%1045', []],
    ['nothing by digits of the number or the time of a row', '17', []],
  ])('%s: %s', async (_, q, expected) => {
    const { site } = await shop()
    expect(await found(site, q)).toEqual(expected)
  })

  it('what it says is what the rows are', async () => {
    const { site } = await shop()
    const [refund] = (await find(site, 'vozvrat-7')).results
    expect(refund).toEqual({
      ...{ kind: 'refund', qrCodeUid: 'заказ-1045', paymentUid: 'A-order', refundUid: 'vozvrat-7' },
      ...{ amount: { value: '100.00', currency: 'RUB' }, status: 'WAITING', matched: 'uid' },
      createdOn: expect.stringMatching(/\+03:00$/),
    })
    const [code, payment] = (await find(site, 'заказ-1045')).results
    expect([payment?.status, code?.status, code?.paymentUid]).toEqual(['COMPLETED', 'PAYED', 'A-order'])
    expect((await find(site, 'заказ-1045')).searchedFrom).toBeNull()
  })

  it('no code that retention deleted', async () => {
    const { site } = await shop()
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec(
        `INSERT INTO deleted_qr_codes SELECT number, qr_code_uid, link_id, reference, created_at FROM qr_codes
           WHERE qr_code_uid = 'заказ-2000';
         DELETE FROM qr_codes WHERE qr_code_uid = 'заказ-2000'`,
      ),
    )
    expect([await found(site, 'заказ-2000'), await found(site, 'аказ-2000')]).toEqual([[], []])
  })
})

describe('pages', () => {
  it('neither repeat a row nor leave one out, whatever their length', async () => {
    const { site } = await shop()
    const whole = (await pages(site, 'за', 50)).flat()
    expect(whole).toHaveLength(3)
    for (const limit of [1, 2]) expect((await pages(site, 'за', limit)).flat()).toEqual(whole)
    const exact = (await pages(site, 'заказ-1045', 1)).flat()
    expect(exact).toEqual([ORDER, PAYMENT])
  })

  it('have the payments of a code behind it, the newest first; one with the identifier of the code is there once', async () => {
    const { site } = await shop()
    const { linkId } = await site.make({ qrCodeUid: 'cup' })
    for (const uid of ['first', 'cup', 'third']) await site.report(linkId, uid)
    const all = ['qrCode cup', 'payment third', 'payment cup', 'payment first']
    for (const limit of [1, 2, 50]) expect((await pages(site, 'cup', limit)).flat()).toEqual(all)
  })

  it('have the code of that identifier, then those that begin with it, the newest first', async () => {
    const { site } = await shop()
    for (const qrCodeUid of ['till-2', 'till-3', 'till-4']) await site.make({ qrCodeUid })
    const all = ['qrCode till', 'qrCode till-4', 'qrCode till-3', 'qrCode till-2']
    for (const limit of [1, 2, 50]) expect((await pages(site, 'till', limit)).flat()).toEqual(all)
  })

  it('have the sales of two tills with one identifier, the newest first', async () => {
    const { site } = await shop()
    await site.make({ qrCodeUid: 'till-2', amount: undefined }, { type: 'COUNTER' })
    await site.ask('/sbp/qrCodes/till-2/sales/chek-9', { method: 'PUT', body: { amount: { value: 7 } } })
    const { results } = await find(site, 'chek-9')
    expect(results.map(({ qrCodeUid }) => qrCodeUid)).toEqual(['till-2', 'till'])
    expect((await pages(site, 'chek-9', 1)).flat()).toEqual(['sale chek-9', 'sale chek-9'])
  })

  it('of exact identifiers go on: one that a thousand refunds have finds each of them once', async () => {
    const { site } = await shop()
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
         INSERT INTO payments (number, payment_uid, link_id, status, minor_units, currency, created_at, changed_at, applied, network)
           SELECT 1000 + i, 'P' || i, link_id, status, minor_units, currency, created_at, changed_at, applied, network
           FROM n, payments WHERE payments.number = 1;
         INSERT INTO refunds SELECT 1000 + payments.number, payments.number, refund_uid, refunds.minor_units, NULL, refunds.status,
           refunds.created_at, refunds.changed_at, NULL, refunds.event, NULL, NULL, NULL FROM payments, refunds
           WHERE refunds.number = 1 AND payments.number > 1000`,
      ),
    )
    const all = await pages(site, 'vozvrat-7', 50)
    expect(all.map((page) => page.length)).toEqual([50, 50, 21])
  })

  it('of what is older than the newest 20,000 rows go on by the cursor, and exact identifiers need none', async () => {
    const { site } = await shop()
    await runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
         INSERT INTO qr_codes (number, qr_code_uid, type, ttl, create_token, link_base, link_id, status, version, created_at)
           SELECT 100 + i, 'filler-' || i, 'DYNAMIC', 10, 0, link_base, 'L' || i, 'CANCELLED', 1, created_at + i
           FROM n, qr_codes WHERE qr_codes.number = 1`,
      ),
    )
    const first = await find(site, 'аз-1045')
    expect(first.results.map(name)).toEqual([PAYMENT])
    expect(first.searchedFrom).not.toBeNull()
    // Each row of the window is read once: a platform bills them.
    const { rowsRead } = await runInDurableObject(site.stub, (_, { storage: { sql } }) =>
      rowsReadBy(sql, (counted) => search(contextOf(counted, Date.now() / 1000), { q: 'none', limit: 9 })),
    )
    expect(rowsRead).toBeGreaterThan(20_000)
    expect(rowsRead).toBeLessThan(20_100)
    const second = await find(site, 'аз-1045', { cursor: first.nextCursor ?? '' })
    expect([second.results.map(name), second.searchedFrom, second.nextCursor]).toEqual([
      [ORDER],
      null,
      undefined,
    ])
    expect(await found(site, 'заказ-1045')).toEqual([`${ORDER} by uid`, `${PAYMENT} by uid`])
    expect((await found(site, 'заказ-')).slice(0, 3)).toEqual([
      'qrCode заказ-2000 by prefix',
      `${ORDER} by prefix`,
      `${PAYMENT} by prefix`,
    ])
    // More begin so than an index gives: the windows have them all the same, each once.
    const all: string[] = []
    await runInDurableObject(site.stub, async (object) => {
      for (let cursor: SearchPosition | undefined; ; ) {
        const { results, next } = unwrap(await object.search(MERCHANT, { q: 'filler-', limit: 9000, cursor }))
        all.push(...results.map((each) => (each.kind === 'qrCode' ? each.qrCode.qrCodeUid : each.kind)))
        if (!next) break
        cursor = next
      }
    })
    expect([all.length, new Set(all).size]).toEqual([30_000, 30_000])
  })
})

describe('a search is refused', () => {
  it.each([
    ['q=a', 'q'],
    ['', 'q'],
    [`q=${'a'.repeat(101)}`, 'q'],
    ['q=%20%20', 'q'],
    ['q=a%0Ab', 'q'],
    ['q=ab&limit=51', 'limit'],
    ['q=ab&cursor=x', 'cursor'],
    ['q=ab&cursor=MQ', 'cursor'],
    ['q=ab&kind=sale', 'kind'],
  ])('with %s', async (query, field) => {
    const response = await refundingSite().ask(`/search?${query}`)
    expect(response.status).toBe(400)
    expect(Object.keys((await errorOf(response)).cause ?? {})).toEqual([field])
  })
})

it('what is searched for is in no log', async () => {
  const lines: string[] = []
  const service = serviceWith({ log: (line) => lines.push(line) })
  const url = 'http://qr.test/payin/v1/sites/demo/search?q=%D1%81%D0%B5%D0%BA%D1%80%D0%B5%D1%82-1&limit=999'
  const headers = { Authorization: `Bearer ${await tokenOf({ scope: 'merchant:read' })}` }
  expect((await service(new Request(url, { headers }))).status).toBe(400)
  expect((await service(new Request(url.replace('&limit=999', ''), { headers }))).status).toBe(200)
  expect(lines).toHaveLength(2)
  expect(lines.join()).not.toMatch(/секрет|%D1%81/i)
})
