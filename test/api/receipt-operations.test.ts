// What the operations on receipts answer, and what they refuse (contract, section 18).
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { NetworkReceiptsAnswer } from '../../src/contract/receipts/network-list.ts'
import { RefundAnswer } from '../../src/contract/refund.ts'
import { CONTACT, FISCAL, item, receipt, receiptIn, receiptSite } from '../support/receipts.ts'
import { errorOf, refusalIn, serviceWith } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const NOW = Date.parse('2036-11-20T12:00:00Z')
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

const NOT_FOUND = [404, 'payin.resource.not.found']
const NOT_ALLOWED = [409, 'payin.incorrect-method-invocation']
const CONTRADICTS = [409, 'payin.resource.already.exists']
const UNKNOWN = '0'.repeat(32)
const isReplayed = (response: Response) => response.headers.get('Idempotent-Replayed')

describe('the document of a payment', () => {
  it('has what the request and the settings say, and the contact masked', async () => {
    const site = await receiptSite()
    await site.ask('/settings', {
      method: 'PATCH',
      body: { receipts: { taxation: 'osn', vat: '22', object: 'service' } },
    })
    const items = [
      { name: 'Кофе', price: '2.10', quantity: '1.5', unit: 11 },
      item({ price: '1.85', object: 'commodity', method: 'fullPrepayment', vat: '10' }),
    ]
    const { paymentUid, receiptUid } = await site.paid({ contact: { phone: '+79001234567' }, items })
    expect(await site.receiptsOf(paymentUid)).toEqual([
      {
        receiptUid,
        kind: 'sale',
        state: 'WAITING',
        paymentId: paymentUid,
        amount: { value: '5.00', currency: 'RUB' },
        items: [
          {
            ...{ name: 'Кофе', price: '2.10', quantity: '1.5', amount: '3.15', vat: '22' },
            ...{ method: 'fullPayment', object: 'service', unit: 11 },
          },
          {
            ...{ name: 'Tea', price: '1.85', quantity: '1', amount: '1.85', vat: '10/110' },
            ...{ method: 'fullPrepayment', object: 'commodity', unit: 0 },
          },
        ],
        taxation: 'osn',
        contact: { phone: '+7 900 ***-**-67' },
        createdOn: '2036-11-20T15:00:00+03:00',
      },
    ])
    expect(receiptUid).toMatch(/^[0-9A-V]{32}$/)
  })

  it('is shown with its payment, its QR code and by its own address; the link once it is registered', async () => {
    const site = await receiptSite()
    const { paymentUid, receiptUid, qrCodeUid } = await site.paid()
    const shown = async () => [
      (await site.paymentOf(paymentUid)).receipt,
      (await site.read(qrCodeUid)).payment?.receipt,
    ]
    expect(await shown()).toEqual(Array(2).fill({ receiptUid, state: 'WAITING' }))
    await site.reportReceipt(receiptUid, { state: 'SENT' })
    expect(await shown()).toEqual(Array(2).fill({ receiptUid, state: 'SENT' }))
    expect(isReplayed(await site.reportReceipt(receiptUid))).toBeNull()
    expect(await shown()).toEqual(Array(2).fill({ receiptUid, state: 'REGISTERED', url: FISCAL.url }))
    expect(await receiptIn(await site.ask(`/receipts/${receiptUid}`))).toMatchObject({
      state: 'REGISTERED',
      fiscal: FISCAL,
      registeredOn: '2036-11-20T15:00:00+03:00',
    })
  })

  it('is not seen by a till', async () => {
    const site = await receiptSite()
    const { qrCodeUid, linkId } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const path = `/sbp/qrCodes/${qrCodeUid}/sales/sale-1`
    const till = { claims: { scope: 'merchant:till' } }
    const body = { amount: { value: 5 }, receipt: receipt() }
    await site.ask(path, { method: 'PUT', body, ...till })
    const { paymentUid } = await site.pay(linkId, { saleUid: 'sale-1' })
    const Shown = z.object({ payment: z.looseObject({ paymentUid: z.string() }) })
    const asMerchant = Shown.parse(await (await site.ask(path)).json())
    const asTill = Shown.parse(await (await site.ask(path, till)).json())
    expect(asMerchant.payment).toMatchObject({ paymentUid, receipt: { state: 'WAITING' } })
    expect(asTill.payment).toMatchObject({ paymentUid })
    expect(asTill.payment).not.toHaveProperty('receipt')
  })

  it('is absent where nobody asked for one', async () => {
    const site = await receiptSite()
    const { linkId, qrCodeUid } = await site.make()
    const { paymentUid } = await site.pay(linkId)
    expect(await site.receiptsOf(paymentUid)).toEqual([])
    expect(await site.paymentOf(paymentUid)).not.toHaveProperty('receipt')
    expect((await site.read(qrCodeUid)).payment).not.toHaveProperty('receipt')
  })

  it.each([
    ['/payments/unknown/receipts', 'GET'],
    ['/payments/unknown/receipts', 'POST'],
    ['/payments/unknown/receipts/closing-1', 'PUT'],
    [`/receipts/${UNKNOWN}`, 'GET'],
    [`/receipts/${UNKNOWN}/retry`, 'POST'],
  ])('of what does not exist is 404: %s by %s', async (path, method) => {
    const site = await receiptSite()
    const body = { GET: undefined, POST: {}, PUT: { kind: 'closing' } }[method]
    expect(await refusalIn(await site.ask(path, { method, body }))).toEqual(NOT_FOUND)
  })

  it.each(['x', UNKNOWN.slice(1), `${UNKNOWN}0`, UNKNOWN.replace('0', 'a')])(
    'has no receiptUid such as %s',
    async (receiptUid) => {
      const site = await receiptSite()
      const { errorCode, cause } = await errorOf(await site.ask(`/receipts/${receiptUid}`))
      expect([errorCode, Object.keys(cause ?? {})]).toEqual(['validation.error', ['receiptUid']])
    },
  )
})

describe('a report', () => {
  it('that is sent again changes nothing', async () => {
    const site = await receiptSite()
    const { receiptUid } = await site.paid()
    for (const body of [
      { state: 'SENT' },
      { state: 'SENT', isHeld: true, reason: 'no clear answer' },
      { state: 'FAILED', reason: 'no drive', canRetry: true },
      { state: 'REGISTERED', fiscal: FISCAL },
    ]) {
      expect(isReplayed(await site.reportReceipt(receiptUid, body))).toBeNull()
      const before = await receiptIn(await site.ask(`/receipts/${receiptUid}`))
      const again = await site.reportReceipt(receiptUid, body)
      expect(isReplayed(again)).toBe('true')
      expect(await receiptIn(again)).toEqual(before)
    }
  })

  it('of a held document names why, and of a failed one the words of the register', async () => {
    const site = await receiptSite()
    const { receiptUid } = await site.paid()
    const held = await receiptIn(
      await site.reportReceipt(receiptUid, { state: 'SENT', isHeld: true, reason: 'no clear answer' }),
    )
    expect(held).toMatchObject({ state: 'SENT', held: 'no clear answer' })
    const failed = await receiptIn(
      await site.reportReceipt(receiptUid, { state: 'FAILED', reason: 'no drive', canRetry: true }),
    )
    expect(failed).toMatchObject({
      state: 'FAILED',
      error: { reason: 'refused', text: 'no drive', canRetry: true },
    })
    expect(failed).not.toHaveProperty('held')
  })

  it('REGISTERED is final: other fiscal data and FAILED contradict it, and change nothing', async () => {
    const site = await receiptSite()
    const { receiptUid } = await site.paid()
    await site.reportReceipt(receiptUid, { state: 'FAILED', reason: 'no drive' })
    const registered = await receiptIn(await site.reportReceipt(receiptUid))
    expect(registered).toMatchObject({ state: 'REGISTERED', fiscal: FISCAL })
    expect(registered).not.toHaveProperty('error')
    for (const body of [
      { state: 'REGISTERED', fiscal: { ...FISCAL, fpd: '1' } },
      { state: 'FAILED', reason: 'no drive', canRetry: true },
    ]) {
      expect(await refusalIn(await site.reportReceipt(receiptUid, body))).toEqual(CONTRADICTS)
    }
    expect(await receiptIn(await site.ask(`/receipts/${receiptUid}`))).toEqual(registered)
  })

  it('of a failure, and one that contradicts what is registered, is in the log, without the contact', async () => {
    const logged: string[] = []
    const log = (line: string) => logged.push(line)
    const site = await receiptSite(undefined, serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' }, log }))
    const { receiptUid } = await site.paid()
    const failure = { state: 'FAILED', reason: 'no drive', canRetry: true }
    for (const body of [failure, failure, undefined, undefined, failure])
      await site.reportReceipt(receiptUid, body)
    const of = { level: 'warning', site: site.siteId, receiptUid }
    expect(
      logged.map((line) => JSON.parse(line)).filter(({ message }) => /receipt/.test(message ?? '')),
    ).toMatchObject([
      { ...of, message: 'a receipt has failed', reason: 'refused', text: 'no drive', canRetry: true },
      { ...of, message: 'a report contradicts a registered receipt' },
    ])
    expect(logged.join()).not.toContain(CONTACT.email)
  })

  it.each<[object, string]>([
    [{}, 'state'],
    [{ state: 'WAITING' }, 'state'],
  ])('%j is refused', async (body, field) => {
    const site = await receiptSite()
    const { receiptUid } = await site.paid()
    const { errorCode, cause } = await errorOf(await site.reportReceipt(receiptUid, body))
    expect([errorCode, Object.keys(cause ?? {})]).toEqual(['validation.error', [field]])
  })

  it('of a document that the site does not have is 404', async () => {
    const site = await receiptSite()
    expect(await refusalIn(await site.reportReceipt(UNKNOWN))).toEqual(NOT_FOUND)
  })
})

describe('the list', () => {
  it('has what its filters name, newest first, page by page', async () => {
    const site = await receiptSite()
    const sales: string[] = []
    for (const _ of Array(3)) {
      vi.setSystemTime(Date.now() + 60_000)
      sales.push((await site.registered()).receiptUid)
    }
    vi.setSystemTime(Date.now() + 60_000)
    const failed = await site.paid()
    await site.reportReceipt(failed.receiptUid, { state: 'FAILED', reason: 'no drive' })
    const uidsOf = async (query: string) =>
      (await site.list(query)).receipts.map(({ receiptUid }) => receiptUid)
    const all = [failed.receiptUid, ...sales.toReversed()]
    expect(await uidsOf('')).toEqual(all)
    expect(await uidsOf('?state=FAILED')).toEqual([failed.receiptUid])
    expect(await uidsOf('?state=REGISTERED,WAITING&kind=sale')).toEqual(sales.toReversed())
    expect(await uidsOf('?kind=refund,closing')).toEqual([])
    const [from, to] = ['2036-11-20T12:02:00Z', '2036-11-20T12:03:00Z']
    expect(await uidsOf(`?from=${from}&to=${to}`)).toEqual([sales[2], sales[1]])
    const { receipts, nextCursor } = await site.list('?limit=3')
    const rest = await site.list(`?limit=3&cursor=${nextCursor}`)
    expect([...receipts, ...rest.receipts].map(({ receiptUid }) => receiptUid)).toEqual(all)
    expect(rest).not.toHaveProperty('nextCursor')
  })

  it.each([
    ['state=DONE', 'state.0'],
    ['kind=sales', 'kind.0'],
    ['from=yesterday', 'from'],
    ['latest=false', 'latest'],
    ['order=desc', 'order'],
    ['limit=101', 'limit'],
    ['cursor=x', 'cursor'],
    ['status=FAILED', 'status'],
  ])('is not asked for by %s', async (query, field) => {
    const site = await receiptSite()
    const { errorCode, cause } = await errorOf(await site.ask(`/receipts?${query}`))
    expect([errorCode, Object.keys(cause ?? {})]).toEqual(['validation.error', [field.split('.')[0]]])
  })

  it('of the network has what is to be sent, with the contact, and then what was', async () => {
    const site = await receiptSite()
    const { paymentUid, receiptUid, linkId } = await site.paid()
    const networkList = async (query: string) =>
      strict(NetworkReceiptsAnswer).parse(await (await site.network(`/receipts?${query}`)).json()).receipts
    const [sent, ...others] = await networkList('state=WAITING')
    expect(others).toEqual([])
    expect(sent).toEqual({
      ...{ siteId: site.siteId, receiptUid, kind: 'sale', paymentUid, qrcId: linkId },
      amount: { value: '5.00', currency: 'RUB' },
      dateTime: '2036-11-20T15:00:00+03:00',
      register: { kind: 'sandbox', ffd: '1.2' },
      items: [
        {
          ...{ name: 'Tea', price: '5.00', quantity: '1', amount: '5.00', vat: 'none' },
          ...{ method: 'fullPayment', object: 'commodity', unit: 0 },
        },
      ],
      taxation: 'usnIncome',
      contact: CONTACT,
    })
    expect(await networkList('state=SENT')).toEqual([])
    await site.reportReceipt(receiptUid, { state: 'SENT' })
    expect(await networkList('state=WAITING')).toEqual([])
    expect(await networkList('state=SENT')).toEqual([sent])
    await site.reportReceipt(receiptUid)
    expect(await networkList('state=SENT')).toEqual([])
  })
})

describe('a receipt that is requested', () => {
  it('is made of a payment without one, and again the same', async () => {
    const site = await receiptSite()
    const { linkId, qrCodeUid } = await site.make({ paymentPurpose: 'Order 7' })
    const { paymentUid } = await site.pay(linkId)
    const body = { receipt: { contact: CONTACT, taxation: 'osn', items: [item()] } }
    const first = await site.request(paymentUid, body)
    expect(isReplayed(first)).toBeNull()
    const document = await receiptIn(first)
    expect(document).toMatchObject({
      kind: 'sale',
      paymentId: paymentUid,
      contact: { email: 'm…@shop.example' },
    })
    for (const again of [body, {}]) {
      const response = await site.request(paymentUid, again)
      expect(isReplayed(response)).toBe('true')
      expect(await receiptIn(response)).toEqual(document)
    }
    expect(await site.receiptsOf(paymentUid)).toEqual([document])
    const code = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect(await code.json()).toMatchObject({ payment: { receipt: { receiptUid: document.receiptUid } } })
  })

  it('has by default one item of the whole amount, by the settings, and only the contact of the request', async () => {
    const site = await receiptSite()
    await site.ask('/settings', { method: 'PATCH', body: { receipts: { taxation: 'osn', vat: '10' } } })
    const { linkId } = await site.make({ paymentPurpose: 'Order 7' })
    const { paymentUid } = await site.pay(linkId)
    const document = await receiptIn(await site.request(paymentUid, { receipt: { contact: CONTACT } }))
    expect(document).toMatchObject({
      state: 'WAITING',
      items: [{ name: 'Order 7', price: '5.00', quantity: '1', amount: '5.00', vat: '10' }],
      taxation: 'osn',
      contact: { email: 'm…@shop.example' },
    })
    expect(document).not.toHaveProperty('waitsFor')
  })

  it('that was corrected by a retry is repeated by its first request', async () => {
    const site = await receiptSite()
    const { linkId } = await site.make()
    const { paymentUid } = await site.pay(linkId)
    const body = { receipt: receipt({ items: [item({ name: 'Tee' })] }) }
    const { receiptUid } = await receiptIn(await site.request(paymentUid, body))
    await site.reportReceipt(receiptUid, { state: 'FAILED', reason: 'no such item', canRetry: true })
    const retried = await receiptIn(await site.retry(receiptUid, { receipt: { items: [item()] } }))
    const again = await site.request(paymentUid, body)
    expect([isReplayed(again), await receiptIn(again)]).toEqual(['true', retried])
  })

  it('by the settings is refused where they lack what the register needs', async () => {
    const site = await receiptSite()
    await site.ask('/settings', { method: 'PATCH', body: { receipts: { vat: '10' } } })
    const { linkId } = await site.make()
    const { paymentUid } = await site.pay(linkId)
    const { errorCode, cause } = await errorOf(await site.request(paymentUid))
    expect([errorCode, Object.keys(cause ?? {})]).toEqual(['validation.error', ['receipt.taxation']])
    expect(await site.receiptsOf(paymentUid)).toEqual([])
  })

  it('is made of a payment that no QR code took', async () => {
    const site = await receiptSite()
    const { linkId } = await site.paid()
    const second = await site.pay(linkId)
    expect(await site.receiptsOf(second.paymentUid)).toEqual([])
    const document = await receiptIn(await site.request(second.paymentUid, { receipt: { contact: CONTACT } }))
    expect(document).toMatchObject({ paymentId: second.paymentUid, items: [{ name: 'Tea' }] })
  })

  it('of a payment of another amount than its code has one item, also after a retry', async () => {
    const site = await receiptSite()
    await site.ask('/settings', { method: 'PATCH', body: { receipts: { vat: '10' } } })
    const { linkId } = await site.make({ receipt: receipt({ taxation: 'osn' }) })
    const { paymentUid } = await site.pay(linkId, { amount: { value: 6 } })
    const document = await receiptIn(await site.request(paymentUid))
    const whole = { items: [{ name: 'Оплата', price: '6.00', amount: '6.00', vat: '10' }], taxation: 'osn' }
    expect(document).toMatchObject(whole)
    await site.reportReceipt(document.receiptUid, {
      state: 'FAILED',
      reason: 'the shift is closed',
      canRetry: true,
    })
    expect(await receiptIn(await site.retry(document.receiptUid))).toMatchObject(whole)
  })

  it('of a declined payment is refused', async () => {
    const site = await receiptSite()
    const { linkId } = await site.make()
    const { paymentUid } = await site.pay(linkId, { status: 'DECLINED' })
    expect(await refusalIn(await site.request(paymentUid, { receipt: receipt() }))).toEqual(NOT_ALLOWED)
  })

  it.each<[string, object, string]>([
    ['without a rate of VAT', {}, 'receipt'],
    ['of another sum', { receipt: receipt({ items: [item({ price: '4.99' })] }) }, 'receipt.items'],
    ['with an unknown field', { receipt: { mail: 'x' } }, 'receipt.mail'],
  ])('%s is refused', async (_, body, field) => {
    const site = await receiptSite()
    const { linkId } = await site.make()
    const { paymentUid } = await site.pay(linkId)
    const { errorCode, cause } = await errorOf(await site.request(paymentUid, body))
    expect([errorCode, Object.keys(cause ?? {})]).toEqual(['validation.error', [field]])
    expect(await site.receiptsOf(paymentUid)).toEqual([])
  })
})

describe('a retry', () => {
  it('is another attempt with another key, which has what is corrected, and what the settings are now', async () => {
    const site = await receiptSite()
    const { paymentUid, receiptUid } = await site.paid()
    await site.reportReceipt(receiptUid, { state: 'FAILED', reason: 'no such taxation', canRetry: true })
    const response = await site.retry(receiptUid, { receipt: { taxation: 'osn' } })
    expect(response.status).toBe(202)
    const next = await receiptIn(response)
    expect(next).toMatchObject({
      ...{ state: 'WAITING', taxation: 'osn', contact: { email: 'm…@shop.example' } },
      items: [{ name: 'Tea', amount: '5.00' }],
    })
    expect(next.receiptUid).not.toBe(receiptUid)
    const all = await site.receiptsOf(paymentUid)
    expect(all.map(({ receiptUid, state }) => [receiptUid, state])).toEqual([
      [receiptUid, 'FAILED'],
      [next.receiptUid, 'WAITING'],
    ])
    expect((await site.paymentOf(paymentUid)).receipt).toEqual({
      receiptUid: next.receiptUid,
      state: 'WAITING',
    })
    expect(await refusalIn(await site.retry(receiptUid))).toEqual(NOT_ALLOWED)
  })

  it('with a contact alone mends a document that had none in time', async () => {
    const site = await receiptSite()
    const { receiptUid, paymentUid } = await site.paid(receipt({ contact: undefined }))
    expect(await site.latestOf(paymentUid)).toMatchObject({ state: 'WAITING', waitsFor: 'contact' })
    vi.setSystemTime(Date.now() + 301_000)
    await runDurableObjectAlarm(site.stub)
    expect(await site.latestOf(paymentUid)).toMatchObject({
      state: 'FAILED',
      error: { reason: 'noContact', canRetry: true },
    })
    const next = await receiptIn(await site.retry(receiptUid, { receipt: { contact: CONTACT } }))
    expect(next).toMatchObject({ state: 'WAITING', items: [{ name: 'Tea' }], taxation: 'usnIncome' })
    expect(next).not.toHaveProperty('waitsFor')
  })

  it.each<[string, object | undefined]>([
    ['waits', undefined],
    ['is sent', { state: 'SENT' }],
    ['is registered', { state: 'REGISTERED', fiscal: FISCAL }],
    ['has failed for good', { state: 'FAILED', reason: 'test item' }],
  ])('of one that %s is refused', async (_, report) => {
    const site = await receiptSite()
    const { receiptUid, paymentUid } = await site.paid()
    if (report) await site.reportReceipt(receiptUid, report)
    expect(await refusalIn(await site.retry(receiptUid))).toEqual(NOT_ALLOWED)
    expect(await site.receiptsOf(paymentUid)).toHaveLength(1)
  })

  it('is refused while the site is restored: what was registered since the backup is not known', async () => {
    const site = await receiptSite()
    const { receiptUid, paymentUid } = await site.paid()
    await site.reportReceipt(receiptUid, { state: 'FAILED', canRetry: true })
    const restored = (value: number) =>
      runInDurableObject(
        site.stub,
        (_, { storage: { sql } }) => void sql.exec('UPDATE site SET restored = ?', value),
      )
    await restored(1)
    expect(await refusalIn(await site.retry(receiptUid))).toEqual([409, 'site.restored'])
    expect(await site.receiptsOf(paymentUid)).toHaveLength(1)
    await restored(0)
    expect((await site.retry(receiptUid)).status).toBe(202)
  })

  it('with another sum is refused, and changes nothing', async () => {
    const site = await receiptSite()
    const { receiptUid, paymentUid } = await site.paid()
    await site.reportReceipt(receiptUid, { state: 'FAILED', reason: 'no drive', canRetry: true })
    const response = await site.retry(receiptUid, { receipt: { items: [item({ price: '5.01' })] } })
    const { errorCode, cause } = await errorOf(response)
    expect([errorCode, Object.keys(cause ?? {})]).toEqual(['validation.error', ['receipt.items']])
    expect(await site.receiptsOf(paymentUid)).toHaveLength(1)
  })
})

describe('a refund', () => {
  const refundIn = async (response: Response) => {
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return strict(RefundAnswer).parse(await response.json())
  }

  it('gets its document when it is completed, and its answer names it', async () => {
    const site = await receiptSite()
    const { paymentUid } = await site.registered()
    expect(await refundIn(await site.refund(paymentUid, 2, 'refund-1'))).not.toHaveProperty('receipt')
    await site.reportRefund(paymentUid, 'refund-1', { status: 'COMPLETED' })
    const { receiptUid, ...document } = await site.latestOf(paymentUid)
    expect(document).toMatchObject({
      ...{ kind: 'refund', refundId: 'refund-1', state: 'WAITING', amount: { value: '2.00' } },
      items: [{ name: 'Tea', price: '2.00', quantity: '1', amount: '2.00', vat: 'none' }],
    })
    const shown = await refundIn(await site.readRefund(paymentUid, 'refund-1'))
    expect(shown.receipt).toEqual({ receiptUid, state: 'WAITING' })
    await site.reportReceipt(receiptUid)
    expect((await refundIn(await site.readRefund(paymentUid, 'refund-1'))).receipt).toEqual({
      ...{ receiptUid, state: 'REGISTERED', url: FISCAL.url },
    })
  })

  it.each<[string, object[], string]>([
    ['what was not sold', [item({ name: 'Coffee' })], 'receipt.items.0'],
    ['more than was sold', [item({ quantity: '2', price: '2.50' })], 'receipt.items.0'],
    ['another sum', [item({ price: '4.00' })], 'receipt.items'],
  ])('of %s is refused', async (_, items, field) => {
    const site = await receiptSite()
    const { paymentUid } = await site.registered()
    const response = await site.refund(paymentUid, 5, 'refund-1', { receipt: { items } })
    expect(response.status).toBe(400)
    const { cause = {} } = await errorOf(response)
    expect(Object.keys(cause).every((name) => name.startsWith(field))).toBe(true)
    expect((await site.readRefund(paymentUid, 'refund-1')).status).toBe(404)
  })
})

it('the report of payments has what the register states of each payment and refund', async () => {
  const site = await receiptSite()
  const { paymentUid } = await site.registered()
  await site.refund(paymentUid, 5, 'refund-1')
  await site.reportRefund(paymentUid, 'refund-1', { status: 'COMPLETED' })
  await site.reportReceipt((await site.latestOf(paymentUid)).receiptUid, {
    state: 'REGISTERED',
    fiscal: { ...FISCAL, fd: '4173' },
  })
  await site.pay((await site.make()).linkId)
  const report = await site.ask('/reports/payments?from=2036-11-20&to=2036-11-20')
  const cells = (await report.text()).split('\r\n').map((line) => line.split(',').slice(-6).join())
  expect(cells).toEqual([
    'receiptNumber,receiptDateTime,fn,fd,fpd,method',
    `7,${FISCAL.dateTime},${FISCAL.fn},4172,${FISCAL.fpd},`,
    `7,${FISCAL.dateTime},${FISCAL.fn},4173,${FISCAL.fpd},`,
    ',,,,,',
    '',
  ])
})

describe('a closing receipt', () => {
  const PREPAID = receipt({ items: [item({ method: 'fullPrepayment' })] })

  it('is made after a prepayment, once for each request', async () => {
    const site = await receiptSite()
    const { paymentUid } = await site.registered(PREPAID)
    const first = await site.close(paymentUid, 'closing-1')
    expect(isReplayed(first)).toBeNull()
    const document = await receiptIn(first)
    expect(document).toMatchObject({
      ...{ kind: 'closing', closingUid: 'closing-1', state: 'WAITING', paymentId: paymentUid },
      items: [{ name: 'Tea', method: 'fullPayment', amount: '5.00' }],
    })
    const again = await site.close(paymentUid, 'closing-1')
    expect([isReplayed(again), await receiptIn(again)]).toEqual(['true', document])
    const other = await site.close(paymentUid, 'closing-1', { items: [item()] })
    expect(await refusalIn(other)).toEqual(CONTRADICTS)
    expect(await refusalIn(await site.close(paymentUid, 'closing-2'))).toEqual(NOT_ALLOWED)
    expect(await site.receiptsOf(paymentUid)).toHaveLength(2)
  })

  it.each<[string, object, object, [number, string]]>([
    ['of a full payment', receipt(), {}, [409, 'payin.incorrect-method-invocation']],
    ['of more than was prepaid', PREPAID, { items: [item({ quantity: '2' })] }, [400, 'validation.error']],
    [
      'of an advance without items',
      receipt({ items: [item({ method: 'advance', object: 'payment' })] }),
      {},
      [400, 'validation.error'],
    ],
    ['of another kind', PREPAID, { kind: 'sale' }, [400, 'validation.error']],
  ])('%s is refused', async (_, stated, more, refusal) => {
    const site = await receiptSite()
    const { paymentUid } = await site.registered(stated)
    expect(await refusalIn(await site.close(paymentUid, 'closing-1', more))).toEqual(refusal)
    expect(await site.receiptsOf(paymentUid)).toHaveLength(1)
  })

  it('of a payment without a receipt is refused', async () => {
    const site = await receiptSite()
    const { linkId } = await site.make()
    const { paymentUid } = await site.pay(linkId)
    expect(await refusalIn(await site.close(paymentUid, 'closing-1'))).toEqual(NOT_ALLOWED)
  })
})
