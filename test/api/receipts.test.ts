// Documents of payments, refunds and closings: what is made, sent, and what reports do (contract, section 18).
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { CONTACT, FISCAL, fiscalSite, ITEMS, SHOP, TEN } from '../support/fiscal-site.ts'
import { item, receipt, receiptIn } from '../support/receipts.ts'
import { errorOf, refusalIn } from '../support/service.ts'

const SHOWN = [
  { name: 'Tea', price: '3.00', quantity: '2', amount: '6.00', vat: '22' },
  { name: 'Cup', price: '3.99', quantity: '1', amount: '3.99', vat: '22' },
  { name: 'Bag', price: '0.01', quantity: '1', amount: '0.01', vat: 'none' },
].map((each) => ({ ...each, method: 'fullPayment', object: 'commodity', unit: 0 }))

const CLOSED = { method: 'fullPayment', object: 'commodity', unit: 0 }

describe('the document of a payment', () => {
  it('is made with it, sent to the connector, and registered', async () => {
    const site = await fiscalSite()
    const { qrCodeUid, linkId, paymentUid } = await site.sold()
    const [document] = await site.receiptsOf(paymentUid)
    const { receiptUid = '' } = document ?? {}
    expect(document).toEqual({
      receiptUid: expect.stringMatching(/^[A-Z0-9]{32}$/),
      kind: 'sale',
      state: 'WAITING',
      paymentId: paymentUid,
      amount: { value: '10.00', currency: 'RUB' },
      items: SHOWN,
      taxation: 'usnIncome',
      contact: { email: 'm…@shop.example' },
      createdOn: expect.any(String),
    })
    expect(await site.instructed()).toEqual([
      {
        siteId: site.siteId,
        receiptUid,
        kind: 'sale',
        paymentUid,
        qrcId: linkId,
        register: { kind: 'atol', ffd: '1.2' },
        amount: { value: '10.00', currency: 'RUB' },
        dateTime: document?.createdOn,
        items: SHOWN,
        taxation: 'usnIncome',
        contact: CONTACT,
        ...SHOP,
      },
    ])
    expect((await site.read(qrCodeUid)).payment?.receipt).toEqual({ receiptUid, state: 'WAITING' })

    const response = await site.register(receiptUid)
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, null])
    const registered = await receiptIn(response)
    expect(registered).toEqual({
      ...document,
      state: 'REGISTERED',
      sentOn: expect.any(String),
      registeredOn: expect.any(String),
      fiscal: FISCAL,
    })
    expect(await site.receiptOf(receiptUid)).toEqual(registered)
    expect(await site.instructed()).toEqual([])
    expect((await site.paymentOf(paymentUid)).receipt).toMatchObject({ receiptUid, state: 'REGISTERED' })
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'receipt.registered',
      by: { actor: 'network' },
      qrCodeUid,
      receipt: { receiptUid, kind: 'sale', state: 'REGISTERED', paymentUid },
    })
  })

  it.each<[what: string, request: Record<string, unknown>, settings: Record<string, unknown>]>([
    ['of a code without a receipt', TEN, { taxation: 'usnIncome', vat: 'none' }],
    ['of a declined payment', { ...TEN, receipt: receipt({ items: ITEMS }), declined: true }, {}],
  ])('is not made %s', async (_, { declined, ...request }, receipts) => {
    const site = await fiscalSite()
    await site.set(receipts)
    const { linkId } = await site.make(request)
    const { paymentUid } = await site.pay(linkId, { ...TEN, ...(declined ? { status: 'DECLINED' } : {}) })
    expect(await site.receiptsOf(paymentUid)).toEqual([])
    expect(await site.instructed()).toEqual([])
  })

  it('has one item where the settings say so, by the settings of the time when the code was made', async () => {
    const site = await fiscalSite()
    const { set } = site
    await set({ taxation: 'usnIncome', vat: 'none', itemName: 'An order', default: true })
    const { linkId } = await site.make({ ...TEN, paymentPurpose: 'Order 7' })
    await set({ vat: '22', itemName: null, default: false })
    const { paymentUid } = await site.pay(linkId, TEN)
    expect(await site.receiptsOf(paymentUid)).toMatchObject([
      { state: 'WAITING', waitsFor: 'contact', items: [{ name: 'An order', price: '10.00', vat: 'none' }] },
    ])
  })

  it('is made of each payment of a STATIC code', async () => {
    const site = await fiscalSite()
    const { linkId } = await site.sell({ qrCode: { type: 'STATIC' } })
    for (const paymentUid of ['p1', 'p2']) {
      await site.pay(linkId, TEN, paymentUid)
      expect(await site.receiptsOf(paymentUid)).toMatchObject([{ kind: 'sale', items: SHOWN }])
    }
    expect(await site.instructed()).toHaveLength(2)
  })

  it('of a sale is that of the sale', async () => {
    const site = await fiscalSite()
    const { qrCodeUid, linkId } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const sale = { ...TEN, receipt: receipt({ items: ITEMS }) }
    const arm = (body: object) => site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/s1`, { method: 'PUT', body })
    expect((await arm(sale)).status).toBe(200)
    expect((await arm({ ...sale, receipt: undefined })).status).toBe(409)
    await site.pay(linkId, { ...TEN, saleUid: 's1' }, 'p1')
    expect(await site.receiptsOf('p1')).toMatchObject([
      { items: SHOWN, contact: { email: 'm…@shop.example' } },
    ])
  })

  it('is a part of what makes a repeat of the request equal', async () => {
    const site = await fiscalSite()
    const request = { qrCodeUid: 'order', ...TEN, receipt: receipt({ items: ITEMS }) }
    await site.make(request)
    expect((await site.create(request)).headers.get('Idempotent-Replayed')).toBe('true')
    const { cause } = await errorOf(
      await site.create({ ...request, receipt: receipt({ items: [item({ price: '10' })] }) }),
    )
    expect(cause).toEqual({ receipt: ['differs from the first request with this qrCodeUid'] })
  })
})

describe('a report of a document', () => {
  it('that is repeated changes nothing; fiscal data that come later are added', async () => {
    const site = await fiscalSite()
    const { receiptUid } = await site.registered()
    const before = await site.feed()
    const again = await site.register(receiptUid)
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect((await receiptIn(await site.register(receiptUid, { shift: '7' }))).fiscal).toEqual({
      ...FISCAL,
      shift: '7',
    })
    expect(await site.feed()).toEqual(before)
  })

  it.each(['javascript:alert(1)', 'ofd.example/1', `https://ofd.example/${'1'.repeat(500)}`])(
    'has no address that no page can link to: %s',
    async (url) => {
      const site = await fiscalSite()
      const { paymentUid } = await site.sold()
      const { receiptUid } = await site.latestOf(paymentUid)
      expect((await receiptIn(await site.register(receiptUid, { fd: '4172', url }))).fiscal).toEqual({
        fd: '4172',
      })
    },
  )

  it('REGISTERED is a fact, also after FAILED, and SENT changes nothing after them', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold()
    const [{ receiptUid = '' } = {}] = await site.receiptsOf(paymentUid)
    await site.reportReceipt(receiptUid, { state: 'SENT', isHeld: true, reason: 'no answer' })
    expect(await site.receiptOf(receiptUid)).toMatchObject({ state: 'SENT', held: 'no answer' })
    expect(await site.instructed()).toHaveLength(1)
    await site.fail(receiptUid)
    const failed = await site.receiptOf(receiptUid)
    expect(failed).toMatchObject({
      state: 'FAILED',
      error: { reason: 'refused', text: 'the shift is closed', canRetry: true },
    })
    expect(failed).not.toHaveProperty('held')
    expect(await site.instructed()).toEqual([])
    await site.reportReceipt(receiptUid, { state: 'SENT' })
    expect(await site.receiptOf(receiptUid)).toEqual(failed)
    await site.register(receiptUid)
    expect(await site.receiptOf(receiptUid)).toMatchObject({ state: 'REGISTERED', fiscal: FISCAL })
    expect(await site.receiptOf(receiptUid)).not.toHaveProperty('error')
  })

  it.each([true, false])('FAILED with canRetry %s stands, whatever a second one says', async (canRetry) => {
    const site = await fiscalSite()
    const [{ receiptUid = '' } = {}] = await site.receiptsOf((await site.sold()).paymentUid)
    await site.fail(receiptUid, { canRetry })
    const failed = await site.receiptOf(receiptUid)
    const again = await site.fail(receiptUid, { canRetry: !canRetry, reason: 'another reason' })
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(await site.receiptOf(receiptUid)).toEqual(failed)
    expect((await site.retry(receiptUid)).status).toBe(canRetry ? 202 : 409)
  })
})

describe('a document of a refund', () => {
  it('lists what remains, shares of it, or what the request states, and waits for that of the sale', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold()
    const [{ receiptUid = '' } = {}] = await site.receiptsOf(paymentUid)
    const first = await site.refunded(paymentUid, 3, [{ name: 'Tea', price: '3.00' }])
    expect(first).toMatchObject({
      kind: 'refund',
      state: 'WAITING',
      waitsFor: 'sale',
      items: [{ ...SHOWN[0], quantity: '1', amount: '3.00' }],
    })
    const second = await site.refunded(paymentUid, 2)
    expect(second?.items.map(({ name, amount }) => [name, amount])).toEqual([
      ['Tea', '0.86'],
      ['Cup', '1.14'],
    ])
    const third = await site.refunded(paymentUid, 5)
    expect(third?.items.map(({ name, amount }) => [name, amount])).toEqual([
      ['Tea', '2.14'],
      ['Cup', '2.85'],
      ['Bag', '0.01'],
    ])
    expect(await site.instructed()).toHaveLength(1)
    await site.register(receiptUid)
    expect((await site.instructed()).map(({ kind, refundUid }) => [kind, refundUid])).toEqual(
      [first, second, third].map((each) => ['refund', each?.refundId]),
    )
  })

  it('takes its items when it is requested, and a declined one frees them', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.registered()
    const tea = { receipt: { items: [{ name: 'Tea', price: '3.00', quantity: '2' }] } }
    expect((await site.refund(paymentUid, 6, 'r1', tea)).status).toBe(200)
    const { cause } = await errorOf(
      await site.refund(paymentUid, 3, 'r2', { receipt: { items: [{ name: 'Tea', price: '3.00' }] } }),
    )
    expect(Object.keys(cause ?? {})).toEqual(['receipt.items.0.name'])
    await site.reportRefund(paymentUid, 'r1', { status: 'DECLINED' })
    expect((await site.refund(paymentUid, 6, 'r3', tea)).status).toBe(200)
    // What the network reports of the declined one is a fact: it takes what is left.
    await site.reportRefund(paymentUid, 'r1', { status: 'COMPLETED' })
    const documents = await site.receiptsOf(paymentUid)
    expect(documents.find(({ refundId }) => refundId === 'r1')).toMatchObject({
      amount: { value: '4.00' },
      items: [{ name: 'Cup' }, { name: 'Bag' }],
    })
  })

  it('is a part of what makes a repeat of the request equal', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.registered()
    const stated = { receipt: { items: [{ name: 'Tea', price: '3.00' }] } }
    await site.refund(paymentUid, 3, 'r1', stated)
    const again = await site.refund(paymentUid, 3, 'r1', stated)
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect((await errorOf(await site.refund(paymentUid, 3, 'r1'))).cause).toEqual({
      'receipt.items': ['differs from the first request of this refund'],
    })
  })

  it('that nobody requested is computed at its report', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.registered()
    await site.reportRefund(paymentUid, 'bank-1', { status: 'COMPLETED', amount: { value: 10 } })
    const [, refund] = await site.receiptsOf(paymentUid)
    expect(refund).toMatchObject({ kind: 'refund', refundId: 'bank-1', items: SHOWN })
  })

  it('is not made where the payment has none, and the merchant is told', async () => {
    const site = await fiscalSite()
    const { linkId } = await site.make(TEN)
    const { paymentUid } = await site.pay(linkId, TEN)
    await site.sold()
    const { cause } = await errorOf(await site.refund(paymentUid, 5, 'r1', { receipt: { items: [item()] } }))
    expect(Object.keys(cause ?? {})).toEqual(['receipt'])
    expect(await site.refunded(paymentUid, 5, undefined, 'r1')).toBeUndefined()
    expect(await (await site.readRefund(paymentUid, 'r1')).json()).toMatchObject({
      receipt: { state: 'NONE' },
    })
  })

  it('waits for the retry of the sale that failed, has its words, and goes on once that is registered', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold()
    const [{ receiptUid = '' } = {}] = await site.receiptsOf(paymentUid)
    await site.refund(paymentUid, 6, 'r1', {
      receipt: { items: [{ name: 'Tea', price: '3.00', quantity: '2' }] },
    })
    await site.fail(receiptUid)
    await site.reportRefund(paymentUid, 'r1', { status: 'COMPLETED' })
    const refund = async () => (await site.receiptsOf(paymentUid)).find(({ kind }) => kind === 'refund')
    expect(await refund()).toMatchObject({ waitsFor: 'failedSale' })
    const items = ITEMS.map((each) => ({ ...each, name: `${each.name}!`, vat: '10' }))
    const retried = await receiptIn(await site.retry(receiptUid, { receipt: { items } }))
    expect(await refund()).toMatchObject({
      waitsFor: 'sale',
      items: [{ name: 'Tea!', quantity: '2', vat: '10' }],
    })
    await site.register(retried.receiptUid)
    expect(await refund()).not.toHaveProperty('waitsFor')
    expect((await site.instructed()).map(({ kind }) => kind)).toEqual(['refund'])
  })
})

describe('a retry', () => {
  it('is another attempt with another key, by the settings of today', async () => {
    const site = await fiscalSite()
    await site.set({ taxation: 'osn', vat: '10' })
    const { qrCodeUid, paymentUid } = await site.sold(
      {},
      { taxation: undefined, items: [item({ price: '10', vat: undefined })] },
    )
    const [{ receiptUid = '' } = {}] = await site.receiptsOf(paymentUid)
    await site.fail(receiptUid)
    await site.set({ taxation: 'usnIncome', vat: 'none' })
    const response = await site.retry(receiptUid)
    expect(response.status).toBe(202)
    const retried = await receiptIn(response)
    expect(retried).toMatchObject({ state: 'WAITING', taxation: 'usnIncome', items: [{ vat: 'none' }] })
    expect(retried.receiptUid).not.toBe(receiptUid)
    expect(await site.receiptsOf(paymentUid)).toMatchObject([{ receiptUid, state: 'FAILED' }, retried])
    expect((await site.read(qrCodeUid)).payment?.receipt?.receiptUid).toBe(retried.receiptUid)
    expect(await site.instructed()).toMatchObject([{ receiptUid: retried.receiptUid, contact: CONTACT }])
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'receipt.retried',
      by: { actor: 'merchant' },
      receipt: { receiptUid: retried.receiptUid },
    })
    expect(await refusalIn(await site.retry(receiptUid))).toEqual([409, 'payin.incorrect-method-invocation'])
  })

  it('is withdrawn before it is sent, and refused from then on, where the first attempt is registered after all', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold()
    const first = (await site.latestOf(paymentUid)).receiptUid
    await site.fail(first)
    const second = await receiptIn(await site.retry(first))
    const refund = await site.refunded(paymentUid, 10)
    expect(refund).toMatchObject({ waitsFor: 'sale' })
    await site.register(first)
    expect(await site.receiptOf(second.receiptUid)).toMatchObject({
      state: 'FAILED',
      error: { canRetry: false },
    })
    expect((await site.instructed()).map(({ receiptUid }) => receiptUid)).toEqual([refund?.receiptUid])
    const payment = await (await site.ask(`/payments/${paymentUid}`)).json()
    expect(payment).toMatchObject({ receipt: { receiptUid: first, state: 'REGISTERED' } })
    expect(await refusalIn(await site.retry(second.receiptUid))).toEqual([
      409,
      'payin.incorrect-method-invocation',
    ])
  })

  it('that failed is not made again where the first attempt is registered after all', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold()
    const first = (await site.latestOf(paymentUid)).receiptUid
    await site.fail(first)
    const second = await receiptIn(await site.retry(first))
    await site.fail(second.receiptUid)
    await site.register(first)
    expect(await refusalIn(await site.retry(second.receiptUid))).toEqual([
      409,
      'payin.incorrect-method-invocation',
    ])
    expect(await site.receiptsOf(paymentUid)).toHaveLength(2)
  })
})

describe('a closing receipt', () => {
  const prepaid = { items: ITEMS.map((each) => ({ ...each, method: 'fullPrepayment' })) }

  it('is full payment by the items of the sale, and refunds take it from then on', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.registered({}, prepaid)
    const closing = await receiptIn(
      await site.close(paymentUid, 'c1', { items: [{ name: 'Tea', price: '3.00' }] }),
    )
    expect(closing).toMatchObject({
      kind: 'closing',
      closingUid: 'c1',
      state: 'WAITING',
      items: [{ name: 'Tea', quantity: '1', vat: '22', ...CLOSED }],
    })
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'receipt.requested',
      receipt: { closingUid: 'c1' },
    })
    const refund = await site.refunded(paymentUid, 10)
    expect(refund?.items.map(({ name, method, amount }) => [name, method, amount])).toEqual([
      ['Tea', 'fullPrepayment', '3.00'],
      ['Cup', 'fullPrepayment', '3.99'],
      ['Bag', 'fullPrepayment', '0.01'],
      ['Tea', 'fullPayment', '3.00'],
    ])
    expect(refund?.items[0]?.vat).toBe('22/122')
    expect(await refusalIn(await site.close(paymentUid, 'c2'))).toEqual([
      409,
      'payin.incorrect-method-invocation',
    ])
  })

  it('repeats to the same document, whatever was refunded since, and other fields are refused', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.registered({}, prepaid)
    const first = await receiptIn(await site.close(paymentUid, 'c1'))
    await site.refunded(paymentUid, 10)
    const again = await site.close(paymentUid, 'c1')
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await receiptIn(again)).toEqual(first)
    const other = await site.close(paymentUid, 'c1', { items: [{ name: 'Tea', price: '3.00' }] })
    expect(await refusalIn(other)).toEqual([409, 'payin.resource.already.exists'])
  })

  it('waits for the document of the sale', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold({}, prepaid)
    const [{ receiptUid = '' } = {}] = await site.receiptsOf(paymentUid)
    expect(await receiptIn(await site.close(paymentUid, 'c1'))).toMatchObject({ waitsFor: 'sale' })
    await site.register(receiptUid)
    expect((await site.instructed()).map(({ closingUid }) => closingUid)).toEqual(['c1'])
  })

  it('takes only what is not closed of a sale whose lines are corrected', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold({}, prepaid)
    const [{ receiptUid = '' } = {}] = await site.receiptsOf(paymentUid)
    await site.fail(receiptUid)
    for (const closingUid of ['c1', 'c2'])
      await site.close(paymentUid, closingUid, { items: [{ name: 'Tea', price: '3.00' }] })
    const items = [
      { name: 'Pot', price: '6.00', vat: 'none', method: 'fullPrepayment' },
      { name: 'Lid', price: '4.00', vat: 'none', method: 'fullPayment' },
    ]
    expect((await site.retry(receiptUid, { receipt: { items } })).status).toBe(202)
    const closings = (await site.receiptsOf(paymentUid)).filter(({ kind }) => kind === 'closing')
    expect(closings.map((each) => each.items.map(({ name, amount }) => [name, amount]))).toEqual([
      [['Pot', '3.00']],
      [['Pot', '3.00']],
    ])
  })

  it('is refused by a cash register that makes none', async () => {
    const site = await fiscalSite({ kind: 'raiffeisen', ffd: '1.05' })
    const items = [{ name: 'Tea', price: '10.00', vat: '10' }]
    const { paymentUid } = await site.registered({}, { taxation: undefined, items })
    expect(await refusalIn(await site.close(paymentUid, 'c1'))).toEqual([
      409,
      'payin.incorrect-method-invocation',
    ])
  })
})

describe('at a bank whose register takes the receipt with the payment', () => {
  const TBANK = { kind: 'tbank', ffd: '1.2' }
  const forgetContacts = (site: Awaited<ReturnType<typeof fiscalSite>>) =>
    runInDurableObject(site.stub, (_, { storage: { sql } }) => void sql.exec('DELETE FROM contacts'))

  it('a document waits for no contact, though it was erased; a closing receipt needs one', async () => {
    const site = await fiscalSite(TBANK)
    const items = [item({ price: '10', method: 'advance' })]
    const { paymentUid, receiptUid } = await site.registered({}, { items })
    await site.refund(paymentUid, 4, 'refund-1')
    await forgetContacts(site)
    await site.reportRefund(paymentUid, 'refund-1', { status: 'COMPLETED' })
    expect(await site.latestOf(paymentUid)).toEqual(
      expect.not.objectContaining({ waitsFor: expect.anything() }),
    )
    const closing = { items: [item({ price: '6' })] }
    expect(await receiptIn(await site.close(paymentUid, 'c1', closing))).toMatchObject({
      waitsFor: 'contact',
    })
    expect((await site.receiptOf(receiptUid)).state).toBe('REGISTERED')
  })

  it('none is made of a payment that had none, and one that had gets that of its code alone', async () => {
    const site = await fiscalSite(TBANK)
    const without = await site.make(TEN)
    const plain = await site.pay(without.linkId, TEN)
    expect(
      await refusalIn(await site.requestReceipt(plain.paymentUid, { receipt: receipt({ items: ITEMS }) })),
    ).toEqual([409, 'payin.incorrect-method-invocation'])
    const { linkId } = await site.sold()
    const { paymentUid } = await site.pay(linkId, TEN)
    expect(
      await refusalIn(await site.requestReceipt(paymentUid, { receipt: receipt({ items: ITEMS }) })),
    ).toEqual([400, 'validation.error'])
    expect(await receiptIn(await site.requestReceipt(paymentUid))).toMatchObject({
      items: [{ name: 'Tea' }, {}, {}],
    })
  })
})

describe('the lists', () => {
  it('have the documents of the site, newest first, by state, kind and time, in pages', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.registered()
    await site.refunded(paymentUid, 1)
    const other = await site.sold()
    const [{ receiptUid = '' } = {}] = await site.receiptsOf(other.paymentUid)
    await site.fail(receiptUid)
    const all = (await site.listed()).receipts
    expect(all.map(({ kind, state }) => [kind, state])).toEqual([
      ['sale', 'FAILED'],
      ['refund', 'WAITING'],
      ['sale', 'REGISTERED'],
    ])
    const pages = []
    for (let cursor = ''; ; ) {
      const page = await site.listed(`?limit=1${cursor && `&cursor=${cursor}`}`)
      pages.push(...page.receipts)
      if (page.nextCursor === undefined) break
      cursor = page.nextCursor
    }
    expect(pages).toEqual(all)
    const first = await site.listed('?limit=2&order=asc')
    const second = await site.listed(`?limit=2&order=asc&cursor=${first.nextCursor}`)
    expect([...first.receipts, ...second.receipts]).toEqual(all.toReversed())
    expect(second).not.toHaveProperty('nextCursor')
    expect((await site.listed('?state=FAILED,REGISTERED&kind=sale')).receipts).toEqual([all[0], all[2]])
    expect((await site.listed('?from=2000-01-01T00:00:00Z&to=2001-01-01T00:00:00Z')).receipts).toEqual([])
  })

  it('leave out attempts that a retry followed, before they are counted', async () => {
    const site = await fiscalSite()
    const failed: string[] = []
    for (const _ of Array(3)) {
      const { paymentUid } = await site.sold()
      const { receiptUid } = await site.latestOf(paymentUid)
      await site.fail(receiptUid)
      failed.push(receiptUid)
    }
    const [open, ...retried] = failed
    for (const each of retried) expect((await site.retry(each)).status).toBe(202)
    const listed = async (query: string) =>
      (await site.listed(`?state=FAILED&limit=1${query}`)).receipts.map(({ receiptUid }) => receiptUid)
    expect(await listed('')).toEqual([failed[2]])
    expect(await listed('&latest=true')).toEqual([open])
  })
})
