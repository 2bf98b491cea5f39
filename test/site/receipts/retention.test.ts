// The contacts of receipts are erased by the alarm of a site, and are kept as long as something needs them (contract, section 18).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { elapse } from '../../support/elapse.ts'
import { CONTACT, type FiscalSite, fiscalSite, TEN } from '../../support/fiscal-site.ts'
import { item, receiptIn } from '../../support/receipts.ts'
import { learnt, retain } from '../../support/retention.ts'
import { errorOf } from '../../support/service.ts'

const SECOND = 1000
const DAY = 86_400 * SECOND
const DAYS = 30

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 10, 20, 9, 1) }))
afterEach(() => {
  vi.useRealTimers()
  retain(null)
})

/** A site of a deployment that keeps data for 30 days. */
async function retainingSite(register?: object): Promise<FiscalSite> {
  retain(DAYS)
  const site = await fiscalSite(register)
  await learnt(site, DAYS)
  return site
}

/** How many rows of all tables have a text in one of their columns. */
const rowsWith = (site: FiscalSite, text: string): Promise<number> =>
  runInDurableObject(site.stub, (_, { storage: { sql } }) => {
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    )
    const rows = tables.toArray().flatMap(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray())
    return rows.filter((row) => JSON.stringify(row).includes(text)).length
  })
const isKept = async (site: FiscalSite) => (await rowsWith(site, CONTACT.email)) > 0

describe('a contact', () => {
  it('is erased the time of retention after its last document, from every table, in one wake', async () => {
    const site = await retainingSite()
    const { receiptUid } = await site.registered()
    expect(await rowsWith(site, CONTACT.email)).toBe(1)
    expect(await elapse(site, DAYS * DAY - SECOND)).toBe(0)
    expect(await isKept(site)).toBe(true)
    expect(await elapse(site, SECOND)).toBe(1)
    expect(await isKept(site)).toBe(false)
    const document = await site.receiptOf(receiptUid)
    expect(document).toMatchObject({ state: 'REGISTERED' })
    expect(document).not.toHaveProperty('contact')
    // Nothing is left to wake for.
    expect(await elapse(site, 400 * DAY)).toBe(0)
  })

  it('is kept on by a refund, from its document on', async () => {
    const site = await retainingSite()
    const { paymentUid } = await site.registered()
    await elapse(site, 20 * DAY)
    const refund = await site.refunded(paymentUid, 4)
    await site.register(refund?.receiptUid ?? '')
    await elapse(site, DAYS * DAY - SECOND)
    expect(await isKept(site)).toBe(true)
    await elapse(site, SECOND)
    expect(await isKept(site)).toBe(false)
    // The document of a later refund has nobody to go to.
    const later = await site.refunded(paymentUid, 6)
    expect(later).toMatchObject({ state: 'WAITING', waitsFor: 'contact' })
  })

  it('is kept while a document is open, is looked at once a day, and goes once that has a result', async () => {
    const site = await retainingSite()
    const { paymentUid } = await site.sold()
    const [sale] = await site.receiptsOf(paymentUid)
    await site.fail(sale?.receiptUid ?? '')
    // It waits for a retry that does not come.
    const refund = await site.refunded(paymentUid, 10)
    expect(refund).toMatchObject({ waitsFor: 'failedSale' })
    const wakes = await elapse(site, (DAYS + 20) * DAY)
    // Days 30 to 50, and when the registry is told of the document that failed.
    expect(wakes).toBeGreaterThanOrEqual(21)
    expect(wakes).toBeLessThan(30)
    expect(await isKept(site)).toBe(true)
    // The register had made it after all: the refund goes on, to the same address.
    await site.register(sale?.receiptUid ?? '')
    expect(await site.instructed()).toMatchObject([{ receiptUid: refund?.receiptUid, contact: CONTACT }])
    await site.register(refund?.receiptUid ?? '')
    await elapse(site, DAY - SECOND)
    expect(await isKept(site)).toBe(true)
    await elapse(site, SECOND)
    expect(await isKept(site)).toBe(false)
  })

  it.each([
    ['a code, until that ends', { ttl: 90 * 24 * 60 }, 90],
    ['a STATIC code, which has no end', { type: 'STATIC' }, Number.POSITIVE_INFINITY],
  ])('is kept while it can be paid: of %s', async (_, qrCode, ends) => {
    const site = await retainingSite()
    await site.make(
      { ...TEN, receipt: { contact: CONTACT, taxation: 'osn', items: [item({ price: '10' })] } },
      qrCode,
    )
    // A create alone makes nothing to be looked at before the end of its code.
    await site.set({ askContact: true })
    await elapse(site, Math.min(ends, 400) * DAY - SECOND)
    expect(await isKept(site)).toBe(true)
    await elapse(site, DAY + SECOND)
    expect(await isKept(site)).toBe(ends > 400)
  })

  it('that was erased can be stated again, in the place of the one before', async () => {
    const site = await retainingSite()
    const { paymentUid } = await site.registered()
    await elapse(site, DAYS * DAY)
    const refund = await site.refunded(paymentUid, 10)
    await elapse(site, 300 * SECOND)
    const contact = { phone: '+79001234567' }
    const retried = await receiptIn(await site.retry(refund?.receiptUid ?? '', { receipt: { contact } }))
    expect(await site.instructed()).toMatchObject([{ receiptUid: retried.receiptUid, contact }])
    expect([await rowsWith(site, contact.phone), await isKept(site)]).toEqual([1, false])
  })

  it('that was erased is stated by a refund of a part at T-Bank, which is refused without', async () => {
    const site = await retainingSite({ kind: 'tbank', ffd: '1.2' })
    const { paymentUid } = await site.registered()
    await elapse(site, DAYS * DAY)
    expect(await isKept(site)).toBe(false)
    const events = (await site.feed()).length
    for (const receipt of [undefined, {}, { items: [{ name: 'Cup', price: '3.99' }] }]) {
      const refused = await site.refund(paymentUid, 3.99, 'part', receipt && { receipt })
      const { errorCode, cause } = await errorOf(refused)
      expect([refused.status, errorCode, cause]).toEqual([
        400,
        'validation.error',
        { 'receipt.contact': ['is missing, must be stated: the contact of the payment was erased'] },
      ])
    }
    expect((await site.feed()).length).toBe(events)
    const contact = { phone: '+79001234567' }
    expect((await site.refund(paymentUid, 3.99, 'part', { receipt: { contact } })).status).toBe(200)
    expect(await site.instructed('refund.create')).toMatchObject([
      { refundUid: 'part', receipt: { contact } },
    ])
    expect(await rowsWith(site, contact.phone)).toBe(1)
    // A repeat without it is the same request: it can be erased meanwhile.
    expect((await site.refund(paymentUid, 3.99, 'part')).status).toBe(200)
    // The connector has the instruction, and the refund still waits.
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => sql.exec('DELETE FROM outbox').toArray())
    await elapse(site, (DAYS + 5) * DAY)
    expect(await rowsWith(site, contact.phone)).toBe(1)
    await site.reportRefund(paymentUid, 'part', { status: 'DECLINED' })
    await elapse(site, DAY)
    expect(await rowsWith(site, contact.phone)).toBe(0)
  })

  it('that was erased is not needed by a refund of the whole payment at T-Bank', async () => {
    const site = await retainingSite({ kind: 'tbank', ffd: '1.2' })
    const { paymentUid } = await site.registered()
    await elapse(site, DAYS * DAY)
    expect((await site.refund(paymentUid, 10, 'whole')).status).toBe(200)
  })

  it('of a refund is that of its document at any register, and is erased after it', async () => {
    const site = await retainingSite()
    const { paymentUid } = await site.registered()
    const contact = { email: 'other@shop.example' }
    await site.refund(paymentUid, 4, 'part', { receipt: { contact } })
    await site.reportRefund(paymentUid, 'part', { status: 'COMPLETED' })
    const told = (await site.instructed()).find(({ kind }) => kind === 'refund')
    expect(told).toMatchObject({ contact })
    await site.register(`${told?.receiptUid}`)
    await elapse(site, DAYS * DAY - SECOND)
    expect(await rowsWith(site, contact.email)).toBe(1)
    await elapse(site, SECOND)
    expect(await rowsWith(site, contact.email)).toBe(0)
  })

  it('is kept for ever where the deployment keeps data for ever', async () => {
    const site = await fiscalSite()
    await site.registered()
    expect(await elapse(site, 4000 * DAY)).toBe(0)
    expect(await isKept(site)).toBe(true)
  })
})
