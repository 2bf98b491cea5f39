// The payments of a site, for its merchant (contract, sections 7 and 8).
import { describe, expect, it } from 'vitest'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { type Fresh, fresh, paymentOf, paymentsOf, report } from '../support/qr-codes.ts'
import { call, errorOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

async function page({ path }: Fresh, query: Record<string, string>) {
  const response = await call(`${path}/payments?${new URLSearchParams(query)}`)
  return strict(PaymentsAnswer).parse(await response.json())
}

/** All payment attempts, with so many of them a page, and how many each page had. */
async function all(qrCode: Fresh, limit: number) {
  const pages: PaymentsAnswer['payments'][] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { payments, nextCursor } = await page(qrCode, { limit: `${limit}`, ...(cursor && { cursor }) })
    pages.push(payments)
    cursor = nextCursor
  }
  return { payments: pages.flat(), lengths: pages.map(({ length }) => length) }
}

describe('the payment attempts of a QR code', () => {
  it('are none at first', async () => expect(await paymentsOf(await fresh())).toEqual([]))

  it('come oldest first, applied or not, and only its own', async () => {
    const [qrCode, other] = [await fresh(), await fresh()]
    const uid = (n: number) => `${qrCode.uid}-${n}`
    await report(qrCode, { status: 'DECLINED' }, uid(0))
    await report(other)
    await report(qrCode, { amount: { value: 4 } }, uid(1))
    await report(qrCode, {}, uid(2))
    await report(qrCode, {}, uid(3))
    const payments = await paymentsOf(qrCode)
    expect(payments.map(({ paymentId, applied }) => [paymentId, applied])).toEqual([
      [uid(0), true],
      [uid(1), false],
      [uid(2), true],
      [uid(3), false],
    ])
    for (const payment of payments) expect(await paymentOf(payment.paymentId)).toEqual(payment)
  })

  it('come in pages of 100, or of 1 to 100 as asked; one that comes meanwhile is on the pages to come', async () => {
    const qrCode = await fresh()
    const decline = (n: number) => report(qrCode, { status: 'DECLINED' }, `${qrCode.uid}-${n}`)
    for (let n = 0; n < 101; n++) await decline(n)
    const first = await page(qrCode, {})
    expect(first.payments).toHaveLength(100)
    await decline(101)
    const rest = await page(qrCode, { cursor: first.nextCursor ?? '' })
    const expected = [...first.payments, ...rest.payments]
    expect(expected.map(({ paymentId }) => paymentId)).toEqual(
      Array.from({ length: 102 }, (_, n) => `${qrCode.uid}-${n}`),
    )
    expect(rest).not.toHaveProperty('nextCursor')
    for (const limit of [1, 34, 51, 100]) {
      const { payments, lengths } = await all(qrCode, limit)
      expect(payments).toEqual(expected)
      expect(lengths.slice(0, -1).every((length) => length === limit)).toBe(true)
      expect(lengths).not.toContain(0)
    }
  })

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'x'],
    ['cursor', ''],
    ['cursor', 'MTItMw'],
    ['status', 'COMPLETED'],
  ])('are refused for %s=%s by name', async (name, value) => {
    const { path } = await fresh()
    const response = await call(`${path}/payments?${new URLSearchParams({ [name]: value })}`)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [name]])
  })
})

describe('a payment', () => {
  it('that was not reported is 404', async () => {
    const response = await call('/payin/v1/sites/demo/payments/nothing')
    const { errorCode, description } = await errorOf(response)
    expect([response.status, errorCode, description]).toEqual([
      404,
      'payin.resource.not.found',
      'there is no such payment',
    ])
  })

  it.each(['7'.repeat(65), 'a%20b', '%D1%8F'])(
    'with the malformed paymentId %s is refused by name',
    async (id) => {
      const response = await call(`/payin/v1/sites/demo/payments/${id}`)
      expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([
        400,
        ['paymentId'],
      ])
    },
  )
})
