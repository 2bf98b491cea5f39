// What the operator is told of the documents of a site, for each thing that a document can wait for (contract, section 16).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextLateReceipt, receiptFigures } from '../../../src/site/receipts/figures.ts'
import { milliseconds } from '../../../src/site/time.ts'
import { elapse } from '../../support/elapse.ts'
import { type FiscalSite, fiscalSite, ITEMS } from '../../support/fiscal-site.ts'
import { operator } from '../../support/operator.ts'

const MINUTE = 60_000
const START = Date.UTC(2031, 10, 20, 9, 1)
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: START }))
afterEach(() => vi.useRealTimers())

const PREPAID = { items: ITEMS.map((each) => ({ ...each, method: 'fullPrepayment' })) }

const healthOf = async ({ siteId }: FiscalSite) =>
  (await (await operator(`/${siteId}`)).json<{ receipts?: object }>()).receipts

/** The figures of the registry at a time. */
const figuresAt = ({ stub }: FiscalSite, at: number) =>
  runInDurableObject(stub, (_, { storage: { sql } }) => ({
    ...receiptFigures(sql, milliseconds(at)),
    next: nextLateReceipt(sql, milliseconds(at)),
  }))

/** The key of the document of a sale. */
const saleOf = async (site: FiscalSite, paymentUid: string) =>
  (await site.receiptsOf(paymentUid)).find(({ kind }) => kind === 'sale')?.receiptUid ?? ''

const OPEN = '2031-11-20T12:01:00+03:00'

describe('a document', () => {
  it.each<[what: string, pending: number, failed: number, make: (site: FiscalSite) => Promise<unknown>]>([
    ['that is to be sent is pending', 1, 0, (site) => site.sold()],
    [
      'that was sent is pending',
      1,
      0,
      async (site) =>
        site.reportReceipt(await saleOf(site, (await site.sold()).paymentUid), { state: 'SENT' }),
    ],
    [
      'that is held is pending',
      1,
      0,
      async (site) => {
        const held = { state: 'SENT', isHeld: true, reason: 'no clear answer' }
        await site.reportReceipt(await saleOf(site, (await site.sold()).paymentUid), held)
      },
    ],
    ['that waits for a contact is pending', 1, 0, (site) => site.sold({}, { contact: undefined })],
    [
      'that waits for the one of its sale is pending beside that',
      2,
      0,
      async (site) => site.refunded((await site.sold()).paymentUid, 4),
    ],
    [
      'of a closing that waits for the one of its sale is pending beside that',
      2,
      0,
      async (site) => site.close((await site.sold({}, PREPAID)).paymentUid, 'c1'),
    ],
    [
      'that waits for the retry of its sale is counted with that, once',
      0,
      1,
      async (site) => {
        const { paymentUid } = await site.sold()
        await site.fail(await saleOf(site, paymentUid))
        await site.refunded(paymentUid, 4)
        await site.refunded(paymentUid, 6)
      },
    ],
    [
      'that is retried is pending, and so is what waits for it',
      2,
      0,
      async (site) => {
        const { paymentUid } = await site.sold()
        const sale = await saleOf(site, paymentUid)
        await site.fail(sale)
        await site.refunded(paymentUid, 10)
        await site.retry(sale)
      },
    ],
    [
      'that failed and cannot be retried has failed',
      0,
      1,
      async (site) => site.fail(await saleOf(site, (await site.sold()).paymentUid), { canRetry: false }),
    ],
    ['that is registered is neither', 0, 0, (site) => site.registered()],
  ])('%s; what is pending is late after ten minutes', async (_, pending, failed, make) => {
    const site = await fiscalSite()
    await make(site)
    expect(await healthOf(site)).toEqual({ pending, failed, ...(pending > 0 && { oldestPending: OPEN }) })
    const failedReceipts = failed || undefined
    const isLate = pending > 0
    expect(await figuresAt(site, START + 10 * MINUTE - 1)).toEqual({
      ...{ failedReceipts, lateReceipts: undefined, oldestReceipt: undefined },
      next: isLate ? START + 10 * MINUTE : undefined,
    })
    expect(await figuresAt(site, START + 10 * MINUTE)).toEqual({
      ...{ failedReceipts, lateReceipts: pending || undefined, next: undefined },
      oldestReceipt: isLate ? START : undefined,
    })
  })

  it('without a contact has failed after five minutes, and is never late', async () => {
    const site = await fiscalSite()
    await site.sold({}, { contact: undefined })
    await elapse(site, 5 * MINUTE)
    expect(await healthOf(site)).toEqual({ pending: 0, failed: 1 })
    expect(await figuresAt(site, START + 10 * MINUTE)).toMatchObject({ lateReceipts: undefined })
  })

  it('that failed is counted for 90 days', async () => {
    const site = await fiscalSite()
    await site.fail(await saleOf(site, (await site.sold()).paymentUid))
    const end = START + 90 * 24 * 60 * MINUTE
    expect(await figuresAt(site, end - 1000)).toMatchObject({ failedReceipts: 1 })
    expect(await figuresAt(site, end)).toMatchObject({ failedReceipts: undefined })
  })

  it('of a site without any is not told of', async () => {
    const site = await fiscalSite()
    expect(await healthOf(site)).toBeUndefined()
  })
})
