import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { formatMinorUnits } from '../../../src/contract/amount.ts'
import {
  PaymentNotification,
  QrCodeNotification,
  SettlementNotification,
} from '../../../src/contract/notifications/bodies.ts'
import {
  type NotifiedPayment,
  paymentNotification,
  qrCodeNotification,
  settlementNotification,
} from '../../../src/contract/notifications/compose.ts'
import { NOTIFIED_STATUSES, SETTLEMENT_CHANGES } from '../../../src/contract/notifications/content.ts'
import { NOT_APPLIED_REASONS } from '../../../src/contract/payment.ts'

const ORIGIN = { siteId: 'shop-1', utcOffset: '+03:00' }
const CREATED_AT = Date.UTC(2026, 10, 20, 17, 10, 32) / 1000

const PAID: NotifiedPayment = {
  paymentUid: 'A6325171030000001',
  qrCodeUid: 'order-1001',
  createdAt: CREATED_AT,
  amount: { minorUnits: 500, currency: 'RUB' },
  status: 'COMPLETED',
  changedAt: CREATED_AT + 2,
  applied: true,
}

describe('the notification of a payment', () => {
  it('is this text, if the payment has nothing optional', () => {
    expect(paymentNotification(PAID, ORIGIN)).toEqual({
      body:
        '{"payment":{"paymentId":"A6325171030000001","qrCodeUid":"order-1001","type":"PAYMENT",' +
        '"createdDateTime":"2026-11-20T20:10:32+03:00","amount":{"value":5.00,"currency":"RUB"},' +
        '"status":{"value":"SUCCESS","changedDateTime":"2026-11-20T20:10:34+03:00"},' +
        '"paymentMethod":{"type":"SBP"},"merchantSiteUid":"shop-1","customer":{},"customFields":{},' +
        '"flags":["SALE"],"applied":true},"type":"PAYMENT","version":"1"}',
      signedValues: ['A6325171030000001', '2026-11-20T20:10:32+03:00', '5.00'],
    })
  })

  const paymentOf = (payment: NotifiedPayment) =>
    PaymentNotification.parse(JSON.parse(paymentNotification(payment, ORIGIN).body)).payment

  it('says who paid, and for which customer of the merchant', () => {
    const payer = { bankMemberId: '100000000111', phone: '+79001234567' }
    expect(paymentOf({ ...PAID, account: 'customer-7', payer })).toMatchObject({
      paymentMethod: { type: 'SBP', phone: '+79001234567' },
      customer: { account: 'customer-7', bankMemberId: '100000000111' },
    })
  })

  it('says why the payment was declined', () => {
    expect(paymentOf({ ...PAID, status: 'DECLINED', reason: 'no funds' }).status).toEqual({
      value: 'DECLINE',
      changedDateTime: '2026-11-20T20:10:34+03:00',
      reasonMessage: 'no funds',
    })
  })

  it.each(NOT_APPLIED_REASONS)(
    'names neither QR code nor account of a payment that is not applied, but its sale: %s',
    (notAppliedReason) => {
      const sale = { saleUid: 'receipt-1' }
      const notApplied = { ...PAID, ...sale, applied: false, notAppliedReason, account: 'customer-7' }
      const { body, signedValues } = paymentNotification(notApplied, ORIGIN)
      expect(body).not.toMatch(/qrCodeUid|order-1001|account|customer-7/)
      expect(paymentOf(notApplied)).toMatchObject({ ...sale, applied: false, notAppliedReason })
      expect(signedValues).toEqual(paymentNotification(PAID, ORIGIN).signedValues)
    },
  )

  it('says that it is a test, and only then', () => {
    expect(paymentOf({ ...PAID, isTest: true }).customFields).toEqual({ test: 'true' })
    expect(paymentOf({ ...PAID, isTest: false }).customFields).toEqual({})
  })
})

describe('the notification of a QR code', () => {
  it.each(NOTIFIED_STATUSES)('says the status: %s', (status) => {
    expect(qrCodeNotification({ qrCodeUid: 'order-1001', status, changedAt: CREATED_AT }, ORIGIN)).toEqual({
      body:
        `{"qrCode":{"qrCodeUid":"order-1001","status":{"value":"${status}",` +
        '"changedDateTime":"2026-11-20T20:10:32+03:00"},"merchantSiteUid":"shop-1"},"type":"QR_CODE","version":"1"}',
      signedValues: ['shop-1', 'order-1001', status, '2026-11-20T20:10:32+03:00'],
    })
  })
})

describe('every notification', () => {
  const text = fc.string({ unit: 'binary', maxLength: 64 })
  const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const seconds = fc.integer({ min: 0, max: 4_000_000_000 })
  const payment: fc.Arbitrary<NotifiedPayment> = fc.record({
    paymentUid: fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/),
    qrCodeUid: optional(text),
    saleUid: optional(text),
    createdAt: seconds,
    amount: fc.record({
      minorUnits: fc.integer({ min: 1, max: 99_999_999_999 }),
      currency: fc.stringMatching(/^[A-Z]{3}$/),
    }),
    status: fc.constantFrom('COMPLETED', 'DECLINED'),
    changedAt: seconds,
    reason: optional(text),
    applied: fc.boolean(),
    notAppliedReason: optional(fc.constantFrom(...NOT_APPLIED_REASONS)),
    account: optional(text),
    payer: optional(fc.record({ bankMemberId: optional(text), phone: optional(text) })),
    isTest: optional(fc.boolean()),
  })

  /** The schema with unknown fields refused, on every level. */
  const strict = (schema: z.core.$ZodType) => z.fromJSONSchema(z.toJSONSchema(schema))

  it('of a payment is JSON as documented, in which the amount has the digits that Signature covers', () => {
    const schema = strict(PaymentNotification)
    fc.assert(
      fc.property(payment, (payment) => {
        const { body, signedValues } = paymentNotification(payment, ORIGIN)
        const digits = formatMinorUnits(payment.amount.minorUnits)
        expect(schema.safeParse(JSON.parse(body)).error).toBeUndefined()
        expect(body).toContain(`"amount":{"value":${digits},"currency":"${payment.amount.currency}"}`)
        expect(signedValues).toEqual([payment.paymentUid, expect.any(String), digits])
        expect(body).toContain(`"createdDateTime":"${signedValues[1]}"`)
        expect(body.includes('"qrCodeUid"')).toBe(payment.applied && payment.qrCodeUid !== undefined)
        expect(body.includes('"saleUid"')).toBe(payment.saleUid !== undefined)
      }),
      { numRuns: 500 },
    )
  })

  it('of a QR code is JSON as documented, with the values that Signature covers', () => {
    const schema = strict(QrCodeNotification)
    const status = fc.constantFrom('CANCELLED', 'EXPIRED')
    const qrCode = fc.record({ qrCodeUid: text, status, changedAt: seconds })
    fc.assert(
      fc.property(qrCode, (qrCode) => {
        const { body, signedValues } = qrCodeNotification(qrCode, ORIGIN)
        const parsed: unknown = JSON.parse(body)
        expect(schema.safeParse(parsed).error).toBeUndefined()
        const { qrCodeUid, status, merchantSiteUid } = QrCodeNotification.parse(parsed).qrCode
        expect(signedValues).toEqual([merchantSiteUid, qrCodeUid, status.value, status.changedDateTime])
      }),
    )
  })

  it('of a settlement file is JSON as documented, with the values that Signature covers', () => {
    const schema = strict(SettlementNotification)
    const count = fc.nat()
    const file = fc.record({
      ...{ settlementUid: text, sha256: text, entries: count, mismatched: count, unknown: count },
      ...{ status: fc.constantFrom(...SETTLEMENT_CHANGES), changedAt: seconds },
    })
    fc.assert(
      fc.property(file, ({ changedAt, status, ...file }) => {
        const { body, signedValues } = settlementNotification({ ...file, status, changedAt }, ORIGIN)
        const parsed: unknown = JSON.parse(body)
        expect(schema.safeParse(parsed).error).toBeUndefined()
        const { settlement } = SettlementNotification.parse(parsed)
        const { merchantSiteUid, status: shown } = settlement
        expect(settlement).toMatchObject(file)
        expect(shown.value).toBe(status)
        expect(signedValues).toEqual([
          ...[merchantSiteUid, file.settlementUid, shown.value, shown.changedDateTime],
        ])
      }),
    )
  })
})
