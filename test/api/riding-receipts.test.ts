// Receipts at T-Bank's cash register, which ride on what the bank is told of a payment (contract, sections 10 and 17).
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { Site } from '../../src/site/site.ts'
import { CONTACT, fiscalSite, ITEMS, TEN } from '../support/fiscal-site.ts'
import { receipt, receiptIn } from '../support/receipts.ts'
import { errorOf } from '../support/service.ts'
import { MERCHANT } from '../support/site.ts'

const REGISTER = { kind: 'tbank', ffd: '1.2', vats: ['22'] }
const riding = () => fiscalSite(REGISTER)
const prepaid = { items: ITEMS.map((each) => ({ ...each, method: 'fullPrepayment' })) }

/** The receipts of the refunds that the connector is told. */
const receiptsOfRefunds = async (site: Awaited<ReturnType<typeof riding>>) =>
  (await site.instructed('refund.create')).map((each) => each.receipt)

describe('the receipt of a refund', () => {
  it('of a whole payment that nothing was taken of says so, and any other lists its items', async () => {
    const site = await riding()
    const whole = await site.registered()
    await site.refund(whole.paymentUid, 10, 'whole')
    const parts = await site.registered()
    await site.refund(parts.paymentUid, 4, 'first')
    await site.refund(parts.paymentUid, 6, 'rest')
    const [first, second, third] = (await receiptsOfRefunds(site)) as Record<string, unknown>[]
    expect(first).toMatchObject({
      register: REGISTER,
      contact: CONTACT,
      taxation: 'usnIncome',
      isWholePayment: true,
    })
    for (const each of [second, third]) expect(each).not.toHaveProperty('isWholePayment')
    expect(third).toMatchObject({
      items: [{ name: 'Tea', amount: '3.60' }, { amount: '2.39' }, { amount: '0.01' }],
    })
  })

  it('of a whole payment lists its items after a closing, and after a refund that was declined says that it is whole', async () => {
    const site = await riding()
    const closed = await site.registered({}, prepaid)
    await site.close(closed.paymentUid, 'c1')
    await site.refund(closed.paymentUid, 10, 'closed')
    const other = await site.registered()
    await site.refund(other.paymentUid, 4, 'declined')
    await site.reportRefund(other.paymentUid, 'declined', { status: 'DECLINED' })
    await site.refund(other.paymentUid, 10, 'whole')
    const [first, second] = (await receiptsOfRefunds(site)) as Record<string, unknown>[]
    expect(first).not.toHaveProperty('isWholePayment')
    expect(second).toMatchObject({ isWholePayment: true })
  })

  it('is sent, however the document of the sale stands, and its document waits for nothing', async () => {
    const site = await riding()
    const { paymentUid } = await site.sold()
    const [{ receiptUid = '' } = {}] = await site.receiptsOf(paymentUid)
    await site.fail(receiptUid)
    const refund = await site.refunded(paymentUid, 10)
    expect(refund).toMatchObject({
      state: 'WAITING',
      items: [{ name: 'Tea' }, { name: 'Cup' }, { name: 'Bag' }],
    })
    expect(refund).not.toHaveProperty('waitsFor')
    expect(await site.instructed()).toMatchObject([{ kind: 'refund', isWholePayment: true }])
    expect(await receiptIn(await site.close((await site.sold({}, prepaid)).paymentUid, 'c1'))).toMatchObject({
      waitsFor: 'sale',
    })
  })

  it('is absent at a register whose receipts do not ride', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.registered()
    await site.refund(paymentUid, 10, 'r1')
    expect(await receiptsOfRefunds(site)).toEqual([undefined])
  })
})

describe('a create', () => {
  it.each<
    [what: string, request: Record<string, unknown>, receipts: Record<string, unknown>, fields: string[]]
  >([
    [
      'without a contact',
      { ...TEN, receipt: receipt({ items: ITEMS, contact: undefined }) },
      {},
      ['receipt.contact'],
    ],
    [
      'whose default receipt would have no contact',
      TEN,
      { taxation: 'osn', vat: '22', default: true },
      ['receipt'],
    ],
  ])('%s is refused', async (_, request, receipts, fields) => {
    const site = await riding()
    await site.set(receipts)
    expect(Object.keys((await errorOf(await site.create(request))).cause ?? {})).toEqual(fields)
  })

  it('keeps the terms by which the bank was told of its receipt, whatever was set since', async () => {
    const site = await riding()
    await site.set({ taxation: 'osn', vat: '22' })
    const spec = {
      qrCodeUid: 'order',
      type: 'DYNAMIC' as const,
      ttl: 10,
      createToken: false,
      amount: { minorUnits: 1000, currency: 'RUB' },
      receipt: { contact: CONTACT, items: [{ name: 'Tea', price: 1000, quantity: 1000, amount: 1000 }] },
    }
    const qrcId = 'A'.repeat(32)
    const created = await runInDurableObject(site.stub, async (object: Site) => {
      const before = await object.beforeRegister(MERCHANT, spec)
      if (!before.ok) throw new Error(before.description)
      await site.set({ taxation: 'usnIncome', vat: 'none' })
      return object.create({
        caller: MERCHANT,
        spec,
        link: { base: 'https://link', bank: '100000000000', id: 'B'.repeat(32) },
        registered: { payload: `https://qr.nspk.ru/${qrcId}`, qrcId, currencies: ['RUB'] },
        terms: before.value.terms,
      })
    })
    expect(created).toMatchObject({ ok: true })
    await site.pay(qrcId, TEN, 'p1')
    expect(await site.receiptsOf('p1')).toMatchObject([{ taxation: 'osn', items: [{ vat: '22' }] }])
  })
})
