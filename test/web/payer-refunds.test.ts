// What the payer's page says of a payment that the shop returned.
import { describe, expect, it } from 'vitest'
import { refundingSite } from '../support/refunds.ts'
import { call, ORIGIN } from '../support/service.ts'

/** The receipt of a QR code for 5.00 RUB after these refunds, each with the network's report of it. */
async function receiptAfter(
  refunds: readonly [value: number, status: 'COMPLETED' | 'DECLINED' | 'WAITING'][],
) {
  const site = refundingSite()
  const { qrCodeUid, paymentUid } = await site.paid()
  for (const [i, [value, status]] of refunds.entries()) {
    await site.refund(paymentUid, value, `refund-${i}`)
    if (status !== 'WAITING') await site.reportRefund(paymentUid, `refund-${i}`, { status })
  }
  const { pageUrl } = await (await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).json<{ pageUrl: string }>()
  const page = await call(pageUrl.slice(ORIGIN.length), { token: null, headers: { 'Accept-Language': 'en' } })
  return (await page.text()).replaceAll(/\s/g, ' ')
}

describe('the receipt', () => {
  it.each<[string, [number, 'COMPLETED' | 'DECLINED' | 'WAITING'][], string, string | undefined]>([
    ['no refund', [], 'Payment received', undefined],
    ['a refund on its way', [[5, 'WAITING']], 'Payment received', undefined],
    ['a declined refund', [[5, 'DECLINED']], 'Payment received', undefined],
    ['a refund of a part', [[2, 'COMPLETED']], 'Payment received', '₽2.00'],
    [
      'two refunds of parts',
      [
        [2, 'COMPLETED'],
        [1.5, 'COMPLETED'],
      ],
      'Payment received',
      '₽3.50',
    ],
    ['a refund of everything', [[5, 'COMPLETED']], 'Payment refunded', undefined],
    [
      'refunds that make up everything',
      [
        [2, 'COMPLETED'],
        [3, 'COMPLETED'],
      ],
      'Payment refunded',
      undefined,
    ],
  ])('after %s', async (_, refunds, title, returned) => {
    const page = await receiptAfter(refunds)
    expect(page).toContain(`tabindex="-1">${title}</h1>`)
    expect(page).toContain('₽5.00')
    expect(/<dt>Refunded<\/dt><dd><bdi>([^<]+)</.exec(page)?.[1]).toBe(returned)
    const waiting = refunds.find(([, status]) => status === 'WAITING')
    expect(/<dt>Refund on its way<\/dt><dd><bdi>([^<]+)</.exec(page)?.[1]).toBe(
      waiting && `₽${waiting[0]}.00`,
    )
    // The date is that of the payment, not of the refund.
    expect(page).toContain(title === 'Payment refunded' ? '<dt>Paid</dt>' : '<dt>Date and time</dt>')
    expect(page).toContain('data-print')
  })
})
