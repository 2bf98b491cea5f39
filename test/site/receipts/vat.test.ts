// Rates of VAT across 2026-01-01 00:00 in Moscow: the object is called itself, because access tokens are checked by the real clock.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CashRegister } from '../../../src/contract/receipts/cash-register.ts'
import type { ItemSpec } from '../../../src/contract/receipts/item.ts'
import type { VatRate } from '../../../src/contract/receipts/vat.ts'
import { unwrap } from '../../../src/gateway/site-client.ts'
import type { Site } from '../../../src/site/site.ts'
import { creation, inNewSite, MERCHANT, NETWORK, ORIGIN } from '../../support/site.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
/** 2026-01-01 00:00 in Moscow. */
const NEW_YEAR = Date.UTC(2025, 11, 31, 21)
const TEN = { minorUnits: 1000, currency: 'RUB' }
const CONDITIONS = { network: 'external', isConnected: true, utcOffset: '+03:00' } as const

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NEW_YEAR - 30 * MINUTE }))
afterEach(() => vi.useRealTimers())

const itemsOf = (vat: VatRate, more: Partial<ItemSpec> = {}): ItemSpec[] => [
  { name: 'Tea', price: 1000, quantity: 1000, amount: 1000, vat, ...more },
]
const receiptOf = (vat: VatRate, more: Partial<ItemSpec> = {}) => ({
  contact: { email: 'a@b.example' },
  taxation: 'osn' as const,
  items: itemsOf(vat, more),
})

/** Runs in a site with a cash register of the sandbox's kind. */
const inFiscalSite = (
  work: (site: Site) => Promise<void>,
  register: CashRegister = { kind: 'sandbox', ffd: '1.2' },
) =>
  inNewSite(async (_, site) => {
    unwrap(
      await site.setCashRegister(
        { actor: 'operator', scopes: [], isService: true, makesSite: true },
        register,
      ),
    )
    await work(site)
  })

const create = (site: Site, vat: VatRate, minutes: number, more: Partial<ItemSpec> = {}) =>
  site.create(
    creation(crypto.randomUUID().slice(0, 8), { amount: TEN, ttl: minutes, receipt: receiptOf(vat, more) }),
  )

/** A code for 10 minutes, and its payment. @param at when it was paid, by the bank */
async function pay(
  site: Site,
  vat: VatRate,
  { later = 0, at, ...more }: Partial<ItemSpec> & { later?: number; at?: number } = {},
) {
  const { qrCode } = unwrap(await create(site, vat, 10, more))
  vi.setSystemTime(Date.now() + later)
  const report = {
    paymentUid: 'p1',
    status: 'COMPLETED' as const,
    amount: TEN,
    at: at === undefined ? undefined : at / SECOND,
  }
  unwrap(await site.report(NETWORK, { qrCodeUid: qrCode.qrCodeUid }, report, ORIGIN))
  const [document] = unwrap(await site.receiptsOfPayment(MERCHANT, 'p1')).documents
  if (!document) throw new Error('the payment has no document')
  return document
}

const register = (site: Site, receiptUid: string) =>
  site.reportReceipt(NETWORK, receiptUid, { state: 'REGISTERED' })

/** The rates of the document of a refund of 4.00. */
async function refund(site: Site) {
  unwrap(
    await site.refund(
      MERCHANT,
      { paymentUid: 'p1' },
      { refundUid: 'r1', amount: { minorUnits: 400, currency: undefined } },
      CONDITIONS,
    ),
  )
  unwrap(await site.reportRefund(NETWORK, 'p1', 'r1', { status: 'COMPLETED' }))
  const { documents } = unwrap(await site.receiptsOfPayment(MERCHANT, 'p1'))
  return documents.find(({ kind }) => kind === 'refund')?.items.map(({ vat }) => vat)
}

describe('a code', () => {
  it.each<[vat: VatRate, minutes: number, at: number, isTaken: boolean]>([
    ['20', 30, -30, true],
    ['20', 31, -30, false],
    ['22', 31, -30, false],
    ['20', 30, 0, false],
    ['22', 30, 0, true],
    ['10', 60, -30, true],
  ])(
    'with the rate %s for %i minutes, made %i minutes from the turn of the year: %s',
    (vat, minutes, at, isTaken) =>
      inFiscalSite(async (site) => {
        vi.setSystemTime(NEW_YEAR + at * MINUTE)
        const created = await create(site, vat, minutes)
        expect(created).toMatchObject(
          isTaken ? { ok: true } : { ok: false, fields: { 'receipt.items.0.vat': [expect.any(String)] } },
        )
      }),
  )
})

describe('a default receipt', () => {
  const settle = async (site: Site, vat: VatRate) =>
    unwrap(
      await site.replaceSettings(
        MERCHANT,
        { notificationTypes: [], receipts: { default: true, taxation: 'osn', vat } },
        undefined,
      ),
    )
  const paid = async (site: Site) => {
    const { qrCode } = unwrap(await site.create(creation('default', { amount: TEN, ttl: 10 })))
    const report = { paymentUid: 'p1', status: 'COMPLETED' as const, amount: TEN }
    unwrap(await site.report(NETWORK, { qrCodeUid: qrCode.qrCodeUid }, report, ORIGIN))
    const [document] = unwrap(await site.receiptsOfPayment(MERCHANT, 'p1')).documents
    return document
  }

  it('has the rate that holds when it is paid, where that of the setting has ended', () =>
    inFiscalSite(async (site) => {
      await settle(site, '20')
      vi.setSystemTime(NEW_YEAR)
      expect(await paid(site)).toMatchObject({ state: 'WAITING', items: [{ vat: '22' }] })
    }))

  it('has the rate of the setting where that holds', () =>
    inFiscalSite(async (site) => {
      await settle(site, '10')
      vi.setSystemTime(NEW_YEAR)
      expect(await paid(site)).toMatchObject({ state: 'WAITING', items: [{ vat: '10' }] })
    }))

  it('has failed where the cash register does not take the rate that holds', () =>
    inFiscalSite(
      async (site) => {
        unwrap(
          await site.replaceSettings(
            MERCHANT,
            { notificationTypes: [], receipts: { default: true, vat: '20' } },
            undefined,
          ),
        )
        vi.setSystemTime(NEW_YEAR)
        const failed = await paid(site)
        expect(failed).toMatchObject({
          ...{ state: 'FAILED', items: [{ vat: '20' }], error: { reason: 'vatRate', canRetry: true } },
        })
      },
      { kind: 'raiffeisen', ffd: '1.05' },
    ))
})

describe('a document', () => {
  it('has failed where its rate ended before a late payment; a retry corrects it, and refunds have the rate of the sale', () =>
    inFiscalSite(async (site) => {
      vi.setSystemTime(NEW_YEAR - 10 * MINUTE)
      const failed = await pay(site, '20', { later: 11 * MINUTE })
      expect(failed).toMatchObject({ state: 'FAILED', error: { reason: 'vatRate', canRetry: true } })
      expect(await site.retryReceipt(MERCHANT, failed.receiptUid, {})).toMatchObject({
        ok: false,
        code: 'validation.error',
      })
      const receipt = { items: itemsOf('22') }
      const retried = unwrap(await site.retryReceipt(MERCHANT, failed.receiptUid, { receipt }))
      unwrap(await register(site, retried.receiptUid))
      expect(await refund(site)).toEqual(['22'])
    }))

  it('has the rate of the time of the payment, however late it is reported; a refund in 2026 keeps it', () =>
    inFiscalSite(async (site) => {
      vi.setSystemTime(NEW_YEAR - 10 * MINUTE)
      const sale = await pay(site, '20', { later: 11 * MINUTE, at: NEW_YEAR - SECOND })
      expect(sale).toMatchObject({ state: 'WAITING', items: [{ vat: '20' }] })
      expect(sale).not.toHaveProperty('waitsFor', expect.any(String))
      unwrap(await register(site, sale.receiptUid))
      expect(await refund(site)).toEqual(['20'])
    }))

  it('of a closing has the rate of its day', () =>
    inFiscalSite(async (site) => {
      vi.setSystemTime(NEW_YEAR - 10 * MINUTE)
      const sale = await pay(site, '20', { method: 'fullPrepayment' })
      unwrap(await register(site, sale.receiptUid))
      vi.setSystemTime(NEW_YEAR)
      const { document } = unwrap(await site.closeReceipt(MERCHANT, 'p1', 'c1', {}))
      expect(document.items).toMatchObject([{ vat: '22', method: 'fullPayment' }])
    }))
})
