// Settlement files of a site over HTTP: import, repeats, lists, the month, deletion, and what a caller may do (contract, section 19).
import { describe, expect, it } from 'vitest'
import { EntriesAnswer } from '../../src/contract/settlements/entries.ts'
import { SettlementAnswer, SettlementsAnswer } from '../../src/contract/settlements/file.ts'
import { SettlementMonthAnswer } from '../../src/contract/settlements/month.ts'
import { moscowDay, startOf } from '../../src/settlement/formats/dates.ts'
import { roubles } from '../../src/settlement/formats/money.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { errorOf, serviceWith } from '../support/service.ts'
import { encode } from '../support/settlement/files.ts'
import { account, credit, statementText } from '../support/settlement/statement.ts'
import { type Cells, tbankCard, tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { strict } from '../support/strict.ts'

const TBANK = 'bank=tbank&format=registry'
const MONTH = 'month=2026-11'
const ACCOUNTANT = { claims: { scope: 'merchant:accounting', jti: 'vera' } }

const fileOf = (...lines: Cells[]) => encode(tbankText(lines), 'windows-1251')

/** A line of its own number; `gross` is kopecks. */
const line = (number: number, gross = 10_000, cells: Cells = {}): Cells =>
  tbankLine({
    ...{ number: `${number}`, paymentId: `${700_000_000 + number}`, order: `tea-${number}` },
    operationId: `A${String(number).padStart(31, '0')}`,
    ...{ amount: roubles(gross), fee: '0.70', toBePaid: roubles(gross - 70), ...cells },
  })

const put = (site: FreshSite, uid: string, body: unknown, query = TBANK, type = 'text/csv') =>
  site.ask(`/settlements/${uid}?${query}`, {
    method: 'PUT',
    body,
    headers: { 'Content-Type': type },
    ...ACCOUNTANT,
  })

async function imported(site: FreshSite, uid: string, body: unknown, query = TBANK) {
  const response = await put(site, uid, body, query)
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`)
  return strict(SettlementAnswer).parse(await response.json())
}
const read = async (site: FreshSite, below: string) => (await site.ask(below, ACCOUNTANT)).json()
const filesOf = async (site: FreshSite, query = '') =>
  strict(SettlementsAnswer).parse(await read(site, `/settlements${query}`))
const entriesOf = async (site: FreshSite, query = '') =>
  strict(EntriesAnswer).parse(await read(site, `/settlements/entries?${MONTH}${query}`))
const monthOf = async (site: FreshSite) =>
  strict(SettlementMonthAnswer).parse(await read(site, `/reports/settlement?${MONTH}`))

/** A payment whose number at the bank is that of the line; `value` is roubles. */
async function paid(site: FreshSite, number: number, value = 100): Promise<string> {
  const { linkId } = await site.make({ amount: { value } })
  const dateTime = '2026-11-20T09:05:30+03:00'
  const networkUid = `${700_000_000 + number}`
  const { paymentUid } = await site.pay(linkId, { amount: { value }, networkUid, dateTime }, `pay-${number}`)
  return paymentUid
}

describe('an import', () => {
  it('answers what is in the file, and its entries are matched by the bank’s number', async () => {
    const site = freshSite()
    const paymentUid = await paid(site, 1)
    await paid(site, 2, 99)
    const before = await site.paymentOf(paymentUid)
    const file = fileOf(line(1), line(2), line(3), tbankCard({ number: '4' }))
    const settlement = await imported(site, 'november-20', file)
    expect(settlement).toEqual({
      ...{ settlementUid: 'november-20', bank: 'tbank', format: 'registry' },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      ...{ from: '2026-11-20', to: '2026-11-20', importedOn: expect.any(String) },
      ...{ lines: 4, entries: 3, skipped: 1, repeated: 0, matched: 1, mismatched: 1, unknown: 1 },
    })
    expect(await read(site, '/settlements/november-20')).toEqual(settlement)
    const entries = (await entriesOf(site)).entries.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    expect(entries.map(({ line, state, paymentUid }) => [line, state, paymentUid])).toEqual([
      [1, 'MATCHED', 'pay-1'],
      [2, 'MISMATCHED', 'pay-2'],
      [3, 'UNKNOWN', undefined],
    ])
    expect(entries[1]).toEqual({
      entryUid: expect.any(String),
      ...{
        kind: 'payment',
        state: 'MISMATCHED',
        gross: '100.00',
        fee: '-0.70',
        net: '99.30',
        currency: 'RUB',
      },
      ...{ operatedAt: '2026-11-20T09:05:30+03:00', paidOn: '2026-11-21', line: 2 },
      bankIds: { paymentId: '700000002', operationId: `A${'2'.padStart(31, '0')}`, order: 'tea-2' },
      ...{ settlementUid: 'november-20', paymentUid: 'pay-2', qrCodeUid: expect.any(String) },
      differences: [{ field: 'amount', ours: '99.00', theirs: '100.00' }],
    })
    expect(await site.paymentOf(paymentUid)).toEqual(before)
  })

  it('of the same bytes again is 200 and changes nothing, also by another key', async () => {
    const site = freshSite()
    const first = await imported(site, 'a', fileOf(line(1)))
    const events = await site.feed()
    const again = await put(site, 'a', fileOf(line(1)))
    expect([again.status, again.headers.get('Idempotent-Replayed'), await again.json()]).toEqual([
      200,
      'true',
      first,
    ])
    expect(await site.feed()).toEqual(events)
    expect((await filesOf(site)).settlements).toEqual([first])
  })

  it('of the same bytes under another name, or of others under this one: 409 names the first', async () => {
    const site = freshSite()
    await imported(site, 'a', fileOf(line(1)))
    for (const [uid, file] of [
      ['b', fileOf(line(1))],
      ['a', fileOf(line(2))],
    ] as const) {
      const response = await put(site, uid, file)
      const error = await errorOf(response)
      expect([response.status, error.errorCode]).toEqual([409, 'payin.resource.already.exists'])
      expect(JSON.stringify(error.cause)).toContain(uid === 'b' ? 'must be a' : 'sha256')
    }
    expect((await filesOf(site)).settlements.map(({ settlementUid }) => settlementUid)).toEqual(['a'])
  })

  it('of an empty file can have many names', async () => {
    const site = freshSite()
    for (const uid of ['a', 'b'])
      expect(await imported(site, uid, new Uint8Array())).toMatchObject({ lines: 0, entries: 0 })
  })

  it('of lines that an earlier file has counts them as repeated; other amounts are 409', async () => {
    const site = freshSite()
    await imported(site, 'first', fileOf(line(1), line(2)))
    expect(await imported(site, 'second', fileOf(line(2), line(3)))).toMatchObject({
      entries: 2,
      repeated: 1,
    })
    expect((await entriesOf(site)).entries).toHaveLength(3)
    const response = await put(site, 'third', fileOf(line(4), line(2, 20_000, { number: '5' })))
    const error = await errorOf(response)
    expect([response.status, error.errorCode]).toEqual([409, 'settlement.contradicts'])
    expect(error.description).toMatch(/first|second/)
    expect(JSON.stringify(error.cause)).toContain('lines[2]')
    expect((await entriesOf(site)).entries).toHaveLength(3)
    expect((await filesOf(site)).settlements).toHaveLength(2)
  })

  it('while another one goes on is 409; the other one is done', async () => {
    const site = freshSite()
    const sent = Promise.withResolvers<void>()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const slow = put(site, 'slow', readable)
    await writer.write(fileOf(line(1)))
    sent.resolve()
    const response = await put(site, 'other', fileOf(line(2)))
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([409, 'settlement.in.progress'])
    await writer.write(fileOf(line(3)))
    await writer.close()
    expect((await slow).status).toBe(201)
    expect((await filesOf(site)).settlements.map(({ entries }) => entries)).toEqual([2])
  })

  it('that breaks off leaves nothing, and the next one begins at once', async () => {
    const site = freshSite()
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.enqueue(fileOf(line(1)))
        controller.error(new Error('Network connection lost.'))
      },
    })
    // The body breaks in the same Worker: a call of another one would see its end.
    const refused = await site.ask(
      `/settlements/broken?${TBANK}`,
      { method: 'PUT', body: broken, headers: { 'Content-Type': 'text/csv' }, ...ACCOUNTANT },
      serviceWith({}),
    )
    expect(refused.status).toBe(400)
    expect((await put(site, 'bad', fileOf(line(1), line(2, 100, { type: 'Payment' })))).status).toBe(400)
    expect(await filesOf(site)).toEqual({ settlements: [] })
    expect(await imported(site, 'broken', fileOf(line(1)))).toMatchObject({ entries: 1, repeated: 0 })
  })

  it('makes an event, with what is in the file, and no notification', async () => {
    const site = freshSite()
    const { sha256 } = await imported(site, 'a', fileOf(line(1)))
    await site.ask('/settlements/a', { method: 'DELETE', ...ACCOUNTANT })
    const events = (await site.feed()).filter(({ type }) => type.startsWith('settlement.'))
    expect(events).toMatchObject([
      {
        type: 'settlement.imported',
        by: { actor: 'merchant', keyId: 'vera' },
        settlement: { settlementUid: 'a', sha256, entries: 1, mismatched: 0, unknown: 1 },
      },
      { type: 'settlement.deleted', settlement: { settlementUid: 'a', sha256 } },
    ])
  })
})

describe('a deletion', () => {
  it('takes the entries that no other file has: 204, and 204 again; the name is free', async () => {
    const site = freshSite()
    await imported(site, 'first', fileOf(line(1), line(2)))
    await imported(site, 'second', fileOf(line(2), line(3)))
    for (const _ of ['once', 'again'])
      expect((await site.ask('/settlements/first', { method: 'DELETE', ...ACCOUNTANT })).status).toBe(204)
    expect((await entriesOf(site)).entries.map(({ settlementUid }) => settlementUid)).toEqual([
      'second',
      'second',
    ])
    const gone = await site.ask('/settlements/first', ACCOUNTANT)
    expect([gone.status, (await errorOf(gone)).errorCode]).toEqual([404, 'payin.resource.not.found'])
    expect(await imported(site, 'first', fileOf(line(1, 20_000)))).toMatchObject({ entries: 1, repeated: 0 })
  })

  it('of a file that never was is 204, and makes no table and no event', async () => {
    const site = freshSite()
    expect((await site.ask('/settlements/x', { method: 'DELETE', ...ACCOUNTANT })).status).toBe(204)
    expect(await site.feed()).toEqual([])
  })
})

describe('the lists', () => {
  it('of files are newest first, in pages', async () => {
    const site = freshSite()
    for (const uid of ['a', 'b', 'c']) await imported(site, uid, fileOf(line(uid.charCodeAt(0))))
    const first = await filesOf(site, '?limit=2')
    expect(first.settlements.map(({ settlementUid }) => settlementUid)).toEqual(['c', 'b'])
    const rest = await filesOf(site, `?limit=2&cursor=${first.nextCursor}`)
    expect(rest.settlements.map(({ settlementUid }) => settlementUid)).toEqual(['a'])
    expect(rest.nextCursor).toBeUndefined()
  })

  it('of entries are of the month, oldest first, in pages, by state and kind', async () => {
    const site = freshSite()
    await paid(site, 3)
    const refund = line(4, 3_000, { type: 'Credit', fee: '0.00', toBePaid: '-30.00', time: '10:00:00' })
    const november = [5, 4, 3].map((number) =>
      number === 4 ? refund : line(number, 10_000, { time: `0${number}:00:00` }),
    )
    await imported(site, 'a', fileOf(...november.map((cells, i) => ({ ...cells, number: `${i + 1}` }))))
    await imported(site, 'october', fileOf(line(9, 10_000, { date: '31.10.2026', time: '23:59:59' })))
    await imported(site, 'december', fileOf(line(10, 10_000, { date: '01.12.2026', time: '00:00:00' })))
    const all = (await entriesOf(site)).entries
    expect(all.map(({ operatedAt }) => operatedAt.slice(11, 16))).toEqual(['03:00', '05:00', '10:00'])
    const pages = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { entries, nextCursor } = await entriesOf(site, `&limit=1${cursor && `&cursor=${cursor}`}`)
      pages.push(...entries)
      cursor = nextCursor
    }
    expect(pages).toEqual(all)
    const count = async (query: string) => (await entriesOf(site, query)).entries.length
    expect([await count('&kind=refund'), await count('&kind=payment')]).toEqual([1, 2])
    expect([
      await count('&state=MATCHED'),
      await count('&state=UNKNOWN'),
      await count('&state=EXPECTED'),
    ]).toEqual([1, 2, 0])
  })

  it.each([
    ['', 'month'],
    ['?month=2026-13', 'month'],
    ['?month=2026-1', 'month'],
    ['?month=9999-01', 'month'],
    ['?month=2026-11-01', 'month'],
    [`?${MONTH}&state=matched`, 'state'],
    [`?${MONTH}&kind=card`, 'kind'],
    [`?${MONTH}&limit=101`, 'limit'],
    [`?${MONTH}&cursor=x`, 'cursor'],
    [`?${MONTH}&cursor=${btoa('1.3.1').replaceAll('=', '')}`, 'cursor'],
    [`?${MONTH}&cursor=${btoa('1.1').replaceAll('=', '')}`, 'cursor'],
    [`?${MONTH}&status=MATCHED`, 'status'],
  ])('of entries refuse %s by the name of %s', async (query, field) => {
    const response = await freshSite().ask(`/settlements/entries${query}`, ACCOUNTANT)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [field]])
  })
})

describe('the month', () => {
  it('of a site that never imported has zeros', async () => {
    expect(await monthOf(freshSite())).toMatchObject({
      month: '2026-11',
      payments: 0,
      gross: '0.00',
      payouts: [],
    })
  })

  it('adds up what the bank states, and a payout of a statement matches the net of its day', async () => {
    const site = freshSite()
    const payoutAccount = '30233810600000000001'
    await site.ask('/settings', { method: 'PATCH', body: { payoutAccounts: [payoutAccount] } })
    await paid(site, 1)
    const refund = line(3, 3_000, { type: 'Credit', fee: '0.00', toBePaid: '-30.00' })
    await imported(site, 'registry', fileOf(line(1), line(2), refund))
    const figures = {
      ...{ month: '2026-11', payments: 2, gross: '200.00', refunds: 1, refunded: '-30.00', fee: '-1.40' },
      ...{ feeVat: '0.00', net: '168.60', withoutFee: 0, withoutVat: 3 },
      ...{ matched: 1, mismatched: 0, unknown: 2, expected: 0 },
    }
    expect(await monthOf(site)).toEqual({ ...figures, payouts: [{ paidOn: '2026-11-21', sum: '168.60' }] })
    const payout = credit(
      { Сумма: '168.60', НазначениеПлатежа: 'Перевод по реестру' },
      { Счет: payoutAccount, ИНН: '7710140679' },
    )
    const statement = statementText([payout], { accounts: [account({ ВсегоПоступило: '168.60' })] })
    await imported(site, 'statement', encode(statement, 'windows-1251'), 'bank=tbank&format=statement')
    const matched = { paidOn: '2026-11-21', stated: '168.60', sum: '168.60', state: 'MATCHED' }
    expect((await monthOf(site)).payouts).toEqual([matched])
  })

  it('by Accept is CSV or a spreadsheet, a line for each entry; JSON is preferred among equals', async () => {
    const site = freshSite()
    await imported(site, 'a', fileOf(line(1), line(2)))
    const ask = (Accept: string) =>
      site.ask(`/reports/settlement?${MONTH}`, { headers: { Accept }, ...ACCOUNTANT })
    const csv = await ask('text/csv')
    expect(csv.headers.get('Content-Disposition')).toBe(
      `attachment; filename="settlement-${site.siteId}-2026-11.csv"`,
    )
    expect((await csv.text()).split('\r\n')).toHaveLength(4)
    const xlsx = await ask('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    expect(new TextDecoder().decode((await xlsx.arrayBuffer()).slice(0, 2))).toBe('PK')
    for (const accept of ['*/*', 'application/*', 'text/csv, application/json', ''])
      expect((await ask(accept)).headers.get('Content-Type')).toBe('application/json')
    const refused = await ask('text/html')
    expect([refused.status, (await errorOf(refused)).errorCode]).toEqual([
      406,
      'http.media.type.not.acceptable',
    ])
  })
})

describe('SETTLEMENT_DAYS', () => {
  it.each([3, 7, 60])(
    'of %i: so many days of Moscow after it a payment that no file has is EXPECTED',
    async (days) => {
      const site = freshSite()
      const { linkId } = await site.make({ amount: { value: 100 } })
      await site.pay(linkId, { amount: { value: 100 }, networkUid: '1', bank: 'tbank' }, 'late')
      const today = moscowDay(Date.now() / 1000)
      const day = today.split('-').reverse().join('.')
      await imported(site, 'a', fileOf(line(9, 10_000, { date: day, processedOn: day, paidOn: day })))
      const expectedAt = async (now: number) => {
        const service = serviceWith({ settings: { SETTLEMENT_DAYS: `${days}` }, now: () => now * 1000 })
        const claims = { ...ACCOUNTANT.claims, iat: now - 10, exp: now + 10 }
        const below = `/settlements/entries?month=${today.slice(0, 7)}&state=EXPECTED`
        const { entries } = strict(EntriesAnswer).parse(
          await (await site.ask(below, { claims }, service)).json(),
        )
        return entries
      }
      const due = startOf(today) + days * 86_400
      expect(await expectedAt(due - 1)).toEqual([])
      const [entry, ...more] = await expectedAt(due)
      expect(more).toEqual([])
      expect(entry).toMatchObject({ kind: 'payment', state: 'EXPECTED', gross: '100.00', paymentUid: 'late' })
      expect(entry).not.toHaveProperty('settlementUid')
      expect(entry).not.toHaveProperty('line')
    },
  )
})

describe('what a caller may do', () => {
  const OPERATIONS = [
    ['PUT', `/settlements/a?${TBANK}`],
    ['DELETE', '/settlements/a'],
    ['GET', '/settlements'],
    ['GET', '/settlements/a'],
    ['GET', `/settlements/entries?${MONTH}`],
    ['GET', `/reports/settlement?${MONTH}`],
  ] as const
  it.each([
    ['merchant:accounting', [201, 204, 200, 404, 200, 200]],
    ['merchant:admin', [201, 204, 200, 404, 200, 200]],
    ['merchant', [403, 403, 200, 404, 200, 200]],
    ['merchant:read', [403, 403, 200, 404, 200, 200]],
    ['merchant:till', [403, 403, 403, 403, 403, 403]],
    ['network', [403, 403, 403, 403, 403, 403]],
  ])('with the scope %s: %j', async (scope, expected) => {
    const site = freshSite()
    const statuses = []
    for (const [method, below] of OPERATIONS) {
      const body = method === 'PUT' ? { body: fileOf(line(1)), headers: { 'Content-Type': 'text/csv' } } : {}
      statuses.push((await site.ask(below, { method, ...body, claims: { scope, jti: scope } })).status)
    }
    expect(statuses).toEqual(expected)
  })

  it('at a test site is nothing: 404, and nothing is made', async () => {
    const site = freshSite(serviceWith({ settings: { TEST_SITES: 'on' } }), '-test')
    for (const [method, below] of OPERATIONS) {
      const body = method === 'PUT' ? { body: fileOf(line(1)), headers: { 'Content-Type': 'text/csv' } } : {}
      const token = { claims: { scope: 'merchant:admin' } }
      const response = await site.ask(below, { method, ...body, ...token })
      expect([below, response.status, (await errorOf(response)).errorCode]).toEqual([
        below,
        404,
        'http.url.not.found',
      ])
    }
  })
})
