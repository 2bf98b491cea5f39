// The cash register of the sandbox: when it registers, what fails, and the fiscal data that it makes up (contract, section 10).
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { ReceiptDocument } from '../../src/contract/receipts/document.ts'
import type { ReceiptInstruction } from '../../src/contract/receipts/instruction.ts'
import { receiptUidOf } from '../../src/fps/derived-id.ts'
import { instruct } from '../../src/gateway/connector.ts'
import type { SiteStub } from '../../src/gateway/context.ts'
import { sandboxReceipt } from '../../src/gateway/sandbox-register.ts'
import { siteThat } from '../support/service.ts'

const NOW = Date.UTC(2026, 10, 20, 17, 15, 0)
const unused = () => Promise.reject(new Error('must not be called'))

const configOf = (settings: object = {}) => {
  const read = readConfig({ ...env, PAYMENT_NETWORK: 'sandbox', ...settings })
  if (!read.ok) throw new Error(read.problems.join('; '))
  return read.config
}

const uidOf = (paymentUid: string) =>
  receiptUidOf({ siteId: 'shop-1', paymentUid, kind: 'sale', of: '', attempt: 1 })

const documentOf = (names: readonly string[], minorUnits = 500): ReceiptInstruction => ({
  receiptUid: uidOf('A6'),
  kind: 'sale',
  paymentUid: 'A6',
  linkId: 'AD100004BAL7227F9BNP6KNE007J9B3K',
  amount: { minorUnits, currency: 'RUB' },
  at: NOW / 1000,
  register: { kind: 'sandbox', ffd: '1.2' },
  items: names.map((name) => ({
    ...{ name, price: minorUnits, quantity: 1000, amount: minorUnits, vat: 'none' },
    ...{ method: 'fullPayment', object: 'commodity', unit: 0 },
  })),
})

/** Gives the register a document, some milliseconds after it was made. */
async function give(receipt: ReceiptInstruction, elapsed = 1000) {
  const reports: unknown[] = []
  const document = { kind: 'sale', state: 'REGISTERED' } as ReceiptDocument
  const reportReceipt: SiteStub['reportReceipt'] = async ({ actor }, receiptUid, report) => {
    reports.push([actor, receiptUid, report])
    return { ok: true, value: { document, isReplayed: false } }
  }
  const delivered = await instruct(
    {
      config: configOf(),
      fetch: unused,
      site: () => siteThat(unused, { reportReceipt }),
      now: () => NOW + elapsed,
      random: (bytes) => new Uint8Array(bytes),
      sleep: async () => {},
    },
    {
      ...{ id: '8c1f0d5a9b3e7f42-4', siteId: 'shop-1', network: 'sandbox', createdAt: NOW },
      instruction: { type: 'receipt.register', ...receipt },
    },
  )
  return { delivered, reports }
}

describe('a document', () => {
  it.each([0, 999])('waits for its second: after %i ms', async (elapsed) => {
    const { delivered, reports } = await give(documentOf(['Tea']), elapsed)
    expect(delivered).toEqual({ httpStatus: 202, ms: 0, retryAfter: 1 })
    expect(reports).toEqual([])
  })

  it.each([1000, 86_400_000])('is registered after %i ms, with the same fiscal data', async (elapsed) => {
    const { delivered, reports } = await give(documentOf(['Tea']), elapsed)
    expect(delivered).toEqual({ httpStatus: 200, ms: 0 })
    expect(reports).toEqual([
      ['network', uidOf('A6'), sandboxReceipt(configOf(), 'shop-1', documentOf(['Tea']), NOW)],
    ])
  })

  it.each([513, 517])(
    'of %i kopecks is as any other: these digits are those of money',
    async (minorUnits) => {
      const { reports } = await give(documentOf(['Tea'], minorUnits))
      expect(reports).toEqual([['network', uidOf('A6'), expect.objectContaining({ state: 'REGISTERED' })]])
    },
  )

  it.each([
    [['fail'], false],
    [['Tea', 'fail-retry'], true],
    [['fail-retry', 'fail'], false],
  ])('with the items %j fails, and can be retried: %s', async (names, canRetry) => {
    const { reports } = await give(documentOf(names))
    expect(reports).toEqual([['network', uidOf('A6'), { state: 'FAILED', reason: 'test item', canRetry }]])
  })

  it.each([['Fail'], ['fail '], ['failed']])('with the item %j does not', async (name) => {
    const { reports } = await give(documentOf([name]))
    expect(reports).toEqual([['network', uidOf('A6'), expect.objectContaining({ state: 'REGISTERED' })]])
  })
})

describe('the fiscal data', () => {
  const reportOf = (receiptUid: string, settings?: object) =>
    sandboxReceipt(configOf(settings), 'shop-1', { ...documentOf(['Tea']), receiptUid }, NOW)

  it('look like those of a register, differ by document, and have the second of the registration', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.uuid(), (paymentUid) => {
        const { state, fiscal = {} } = reportOf(uidOf(paymentUid))
        expect([state, fiscal.dateTime]).toEqual(['REGISTERED', NOW / 1000 + 1])
        expect(fiscal.fn).toMatch(/^9999\d{12}$/)
        expect(fiscal.registration).toMatch(/^\d{16}$/)
        expect(fiscal.fd).toMatch(/^[1-9]\d{0,5}$/)
        expect(fiscal.fpd).toMatch(/^\d{10}$/)
        expect(fiscal.shift).toMatch(/^[1-9]\d{0,2}$/)
        expect(fiscal.number).toMatch(/^[1-9]\d{0,2}$/)
        seen.add(`${fiscal.fd} ${fiscal.fpd}`)
      }),
    )
    expect(seen.size).toBeGreaterThan(90)
  })

  it('lead to the page of the receipt where the service knows its own address', () => {
    expect(reportOf(uidOf('A6')).fiscal?.url).toBeUndefined()
    const { fiscal } = reportOf(uidOf('A6'), { PUBLIC_URL: 'https://qr.acquirer.example/fps' })
    expect(fiscal?.url).toMatch(
      new RegExp(`^https://qr\\.acquirer\\.example/fps/receipts/shop-1/${uidOf('A6')}/[0-9a-f]{24}$`),
    )
  })
})
