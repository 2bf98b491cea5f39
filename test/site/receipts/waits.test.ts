// Documents without a contact, by a clock of the tests' own (contract, section 18).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Site } from '../../../src/site/site.ts'
import { elapse } from '../../support/elapse.ts'
import { type FiscalSite, fiscalSite, TEN } from '../../support/fiscal-site.ts'
import { item, receipt, receiptIn } from '../../support/receipts.ts'

const MINUTE = 60_000
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 10, 20, 9, 1) }))
afterEach(() => vi.useRealTimers())

const WITHOUT = { contact: undefined, items: [item({ price: '10' })] }

const firstOf = async (site: FiscalSite, paymentUid: string) => {
  const [document] = await site.receiptsOf(paymentUid)
  if (!document) throw new Error('the payment has no document')
  return document
}

const give = (
  site: FiscalSite,
  key: { qrCodeUid: string },
  contact: Parameters<Site['giveContact']>[1]['contact'],
  saleUid?: string,
) => runInDurableObject(site.stub, (object: Site) => object.giveContact(key, { contact, saleUid }))

describe('a document without a contact', () => {
  it('waits for five minutes, has failed then, and a retry with one goes on', async () => {
    const site = await fiscalSite()
    const { paymentUid } = await site.sold({}, WITHOUT)
    const waiting = await firstOf(site, paymentUid)
    expect(waiting).toMatchObject({ state: 'WAITING', waitsFor: 'contact' })
    await elapse(site, 5 * MINUTE - 1000)
    expect(await firstOf(site, paymentUid)).toEqual(waiting)
    expect(await site.instructed()).toEqual([])
    await elapse(site, 1000)
    expect(await firstOf(site, paymentUid)).toMatchObject({
      state: 'FAILED',
      error: { reason: 'noContact', canRetry: true },
    })
    expect((await site.feed()).at(-1)).toMatchObject({
      type: 'receipt.failed',
      by: { actor: 'clock' },
      receipt: { reason: 'noContact' },
    })
    const contact = { email: 'late@shop.example' }
    const retried = await receiptIn(await site.retry(waiting.receiptUid, { receipt: { contact } }))
    expect(await site.instructed()).toMatchObject([{ receiptUid: retried.receiptUid, contact }])
    // A refund has the contact of its sale.
    await site.register(retried.receiptUid)
    await site.refunded(paymentUid, 10)
    expect(await site.instructed()).toMatchObject([{ kind: 'refund', contact }])
  })

  it('is sent at once when the payer gives one, who can correct it until then', async () => {
    const site = await fiscalSite()
    await site.set({ askContact: true })
    const { qrCodeUid, paymentUid } = await site.sold({}, WITHOUT)
    expect(await give(site, { qrCodeUid }, { email: 'mary@shop.exmaple' })).toMatchObject({ ok: true })
    expect(await site.instructed()).toMatchObject([{ contact: { email: 'mary@shop.exmaple' } }])
    expect(await give(site, { qrCodeUid }, { phone: '+79001234567' })).toMatchObject({ ok: false })
    expect(await firstOf(site, paymentUid)).not.toHaveProperty('waitsFor')
  })

  it('takes what the payer typed last before the payment', async () => {
    const site = await fiscalSite()
    await site.set({ askContact: true })
    const { qrCodeUid, linkId } = await site.sell({}, WITHOUT)
    await give(site, { qrCodeUid }, { email: 'mary@shop.exmaple' })
    await give(site, { qrCodeUid }, { phone: '+79001234567' })
    const { paymentUid } = await site.pay(linkId, TEN)
    expect(await site.instructed()).toMatchObject([{ contact: { phone: '+79001234567' } }])
    expect(await firstOf(site, paymentUid)).toMatchObject({ contact: { phone: '+7 900 ***-**-67' } })
    const before = await site.feed()
    expect(JSON.stringify(before)).not.toMatch(/9001234567|exmaple/)
  })

  it('of a sale takes that of its payer', async () => {
    const site = await fiscalSite()
    await site.set({ askContact: true })
    const { qrCodeUid, linkId } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const sale = { ...TEN, receipt: receipt(WITHOUT) }
    await site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/s1`, { method: 'PUT', body: sale })
    expect(await give(site, { qrCodeUid }, { email: 'a@b.example' }, 's1')).toMatchObject({ ok: true })
    expect(await give(site, { qrCodeUid }, { email: 'a@b.example' })).toMatchObject({ ok: false })
    expect(await give(site, { qrCodeUid }, { email: 'a@b.example' }, 's2')).toMatchObject({ ok: false })
    await site.pay(linkId, { ...TEN, saleUid: 's1' }, 'p1')
    expect(await site.instructed()).toMatchObject([{ contact: { email: 'a@b.example' } }])
  })

  it.each<
    [
      what: string,
      settings: Record<string, unknown>,
      register: object,
      contact: { email: string } | { phone: string },
    ]
  >([
    ['where the settings do not say so', {}, { kind: 'atol', ffd: '1.2' }, { email: 'a@b.example' }],
    [
      'of a kind that the register does not take',
      { askContact: true },
      { kind: 'raiffeisen', ffd: '1.05' },
      { phone: '+79001234567' },
    ],
  ])('asks for none %s', async (_, settings, register, contact) => {
    const site = await fiscalSite(register)
    await site.set(settings)
    const { qrCodeUid } = await site.sell(
      {},
      {
        ...WITHOUT,
        taxation: undefined,
        items: [item({ price: '10', vat: '10' })],
        ...('ffd' in register && register.ffd === '1.2' ? { taxation: 'osn' } : {}),
      },
    )
    expect(await give(site, { qrCodeUid }, contact)).toMatchObject({ ok: false })
  })
})
