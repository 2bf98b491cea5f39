// Refunds that take more lines than their cash register takes: closings add lines to a sale (contract, section 18).
import { describe, expect, it } from 'vitest'
import { type FiscalSite, fiscalSite } from '../support/fiscal-site.ts'
import { receipt, receiptIn } from '../support/receipts.ts'
import { errorOf } from '../support/service.ts'

const FEW = { kind: 'atol', ffd: '1.2', maxItems: 3 }
const PREPAID = { vat: 'none', method: 'fullPrepayment' }
/** Three of each, 12.00 RUB. */
const SALE = [
  { ...PREPAID, name: 'Tea', price: '3.00', quantity: '3' },
  { ...PREPAID, name: 'Cup', price: '1.00', quantity: '3' },
]
const HUNDRED = Array.from({ length: 100 }, (_, index) => ({
  ...{ ...PREPAID, name: `Line ${index}`, price: '0.10', quantity: '2' },
}))

/** A payment whose document is registered. */
async function sold(site: FiscalSite, items: object[], value: number) {
  const { linkId } = await site.make({ amount: { value }, receipt: receipt({ items }) })
  const { paymentUid } = await site.pay(linkId, { amount: { value } })
  const [sale] = await site.receiptsOf(paymentUid)
  await site.register(sale?.receiptUid ?? '')
  return paymentUid
}

/** Closes items of a payment, each with the quantity 1. */
async function closed(site: FiscalSite, paymentUid: string, closingUid: string, items: object[]) {
  const { receiptUid } = await receiptIn(
    await site.close(paymentUid, closingUid, { items: items.map((item) => ({ ...item, ...DELIVERED })) }),
  )
  await site.register(receiptUid)
}
const DELIVERED = { method: undefined, vat: undefined, quantity: '1' }

const short = (items: readonly Record<string, unknown>[] | undefined) =>
  items?.map(
    ({ name, quantity, price, amount, method }) => `${name} ${quantity} × ${price} = ${amount} ${method}`,
  )

describe('a refund of more lines than the cash register takes', () => {
  it('has one document, in which equal lines are one', async () => {
    const site = await fiscalSite(FEW)
    const paymentUid = await sold(site, SALE, 12)
    await closed(site, paymentUid, 'c1', [SALE[0] ?? {}])
    await closed(site, paymentUid, 'c2', [SALE[0] ?? {}])
    // Three lines of tea, of which two are delivered, and one of cups: 4 lines, where 3 are taken.
    const refund = await site.refunded(paymentUid, 12)
    const lines = [
      'Tea 1 × 3.00 = 3.00 fullPrepayment',
      'Cup 3 × 1.00 = 3.00 fullPrepayment',
      'Tea 2 × 3.00 = 6.00 fullPayment',
    ]
    expect(refund).toMatchObject({ state: 'WAITING', amount: { value: '12.00' } })
    expect(short(refund?.items)).toEqual(lines)
    const [told] = await site.instructed()
    expect(short(told?.items as Record<string, unknown>[])).toEqual(lines)
  })

  it('states equal lines of other prices as one of their sum', async () => {
    const site = await fiscalSite(FEW)
    const paymentUid = await sold(site, SALE, 12)
    await closed(site, paymentUid, 'c1', [SALE[0] ?? {}])
    await closed(site, paymentUid, 'c2', [SALE[0] ?? {}])
    const half = await site.refunded(paymentUid, 5.02)
    // Shares of 1.26 and 1.25.
    expect(short(half?.items)).toEqual([
      'Tea 1 × 1.26 = 1.26 fullPrepayment',
      'Cup 1 × 1.25 = 1.25 fullPrepayment',
      'Tea 1 × 2.51 = 2.51 fullPayment',
    ])
    const rest = await site.refunded(paymentUid, 6.98)
    expect(short(rest?.items)).toEqual([
      'Tea 1 × 1.74 = 1.74 fullPrepayment',
      'Cup 1 × 1.75 = 1.75 fullPrepayment',
      'Tea 1 × 3.49 = 3.49 fullPayment',
    ])
  })

  it('can state one item of several lines', async () => {
    const site = await fiscalSite({ ...FEW, maxItems: 2 })
    const tea = { ...PREPAID, name: 'Tea', price: '3.00', quantity: '3' }
    const paymentUid = await sold(site, [tea], 9)
    for (const uid of ['c1', 'c2', 'c3']) await closed(site, paymentUid, uid, [tea])
    const items = [{ name: 'Tea', price: '3.00', quantity: '3', method: 'fullPayment' }]
    expect(short((await site.refunded(paymentUid, 9, items))?.items)).toEqual([
      'Tea 3 × 3.00 = 9.00 fullPayment',
    ])
  })

  it('takes the lines that are one in its document, and none of another item', async () => {
    const site = await fiscalSite({ ...FEW, maxItems: 2 })
    const paymentUid = await sold(site, SALE, 12)
    const [tea = {}, cup = {}] = SALE
    for (const [uid, item] of [
      ['c1', tea],
      ['c2', cup],
      ['c3', tea],
    ] as const)
      await closed(site, paymentUid, uid, [item])
    const delivered = { method: 'fullPayment' }
    const first = [
      { ...delivered, name: 'Tea', price: '3.00', quantity: '2' },
      { name: 'Cup', price: '1.00', method: 'fullPrepayment' },
    ]
    expect((await site.refunded(paymentUid, 7, first))?.items).toHaveLength(2)
    const second = [{ ...delivered, name: 'Cup', price: '1.00' }]
    expect((await site.refunded(paymentUid, 1, second))?.items).toHaveLength(1)
  })

  it('is equal at T-Bank, whose receipt is a part of the refund', async () => {
    const site = await fiscalSite({ kind: 'tbank', ffd: '1.2', maxItems: 3 })
    const paymentUid = await sold(site, SALE, 12)
    await closed(site, paymentUid, 'c1', [SALE[0] ?? {}])
    await closed(site, paymentUid, 'c2', [SALE[0] ?? {}])
    await site.refund(paymentUid, 12, 'r1')
    const [told] = (await site.instructed('refund.create')) as {
      receipt: { items: Record<string, unknown>[] }
    }[]
    expect(short(told?.receipt.items)).toHaveLength(3)
  })

  it('has the same lines in another attempt, and new words of a sale that is corrected', async () => {
    const site = await fiscalSite(FEW)
    const { linkId } = await site.make({ amount: { value: 12 }, receipt: receipt({ items: SALE }) })
    const { paymentUid } = await site.pay(linkId, { amount: { value: 12 } })
    const [sale] = await site.receiptsOf(paymentUid)
    await site.fail(sale?.receiptUid ?? '')
    for (const uid of ['c1', 'c2'])
      await site.close(paymentUid, uid, { items: [{ ...SALE[0], ...DELIVERED }] })
    const { refundId } = (await site.refunded(paymentUid, 12)) ?? {}
    const items = SALE.map((item) => ({ ...item, name: `Green ${item.name}` }))
    const { receiptUid } = await receiptIn(await site.retry(sale?.receiptUid ?? '', { receipt: { items } }))
    await site.register(receiptUid)
    const latest = async () =>
      (await site.receiptsOf(paymentUid)).findLast((document) => document.refundId === refundId)
    const refund = await latest()
    const lines = [
      'Green Tea 1 × 3.00 = 3.00 fullPrepayment',
      'Green Cup 3 × 1.00 = 3.00 fullPrepayment',
      'Green Tea 2 × 3.00 = 6.00 fullPayment',
    ]
    expect(short(refund?.items)).toEqual(lines)
    await site.fail(refund?.receiptUid ?? '')
    const again = await receiptIn(await site.retry(refund?.receiptUid ?? ''))
    expect([again.state, short(again.items)]).toEqual(['WAITING', lines])
  })

  it('of lines that differ has a document that failed by name at once: the money is refunded', async () => {
    const site = await fiscalSite()
    const paymentUid = await sold(site, HUNDRED, 20)
    await closed(site, paymentUid, 'c1', HUNDRED)
    const share = await site.refunded(paymentUid, 2, undefined, 'share')
    expect(share).toMatchObject({ state: 'FAILED', error: { reason: 'tooManyItems', canRetry: true } })
    expect(share?.items).toHaveLength(200)
    expect(await (await site.ask(`/payments/${paymentUid}/refunds/share`)).text()).toContain('"COMPLETED"')
    expect(await site.instructed()).toEqual([])
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'receipt.failed',
      receipt: { reason: 'tooManyItems' },
    })
    // The same again fails again; items of the merchant's are a document.
    const again = await receiptIn(await site.retry(share?.receiptUid ?? ''))
    expect(again).toMatchObject({ state: 'FAILED', error: { reason: 'tooManyItems' } })
    const items = HUNDRED.slice(0, 20).map(({ name, price }) => ({ name, price, method: 'fullPrepayment' }))
    const retried = await receiptIn(await site.retry(again.receiptUid, { receipt: { items } }))
    expect(retried).toMatchObject({ state: 'WAITING', amount: { value: '2.00' } })
    expect(await site.instructed()).toMatchObject([{ receiptUid: retried.receiptUid, kind: 'refund' }])
  })

  it('that states too many lines itself is refused by name', async () => {
    const site = await fiscalSite({ ...FEW, maxItems: 2 })
    const paymentUid = await sold(site, SALE, 12)
    await closed(site, paymentUid, 'c1', SALE)
    const items = [
      ...SALE.map(({ name, price }) => ({ name, price, method: 'fullPrepayment' })),
      ...SALE.map(({ name, price }) => ({ name, price, method: 'fullPayment' })),
    ]
    const { cause } = await errorOf(await site.refund(paymentUid, 8, 'r1', { receipt: { items } }))
    expect(cause).toEqual({
      'receipt.items': ['are 4, must be at most 2 for the cash register atol'],
    })
    expect(await site.refunded(paymentUid, 8, undefined, 'r1')).toMatchObject({
      state: 'FAILED',
      error: { reason: 'tooManyItems' },
    })
  })
})
