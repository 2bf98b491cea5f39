// The console's decision about a payment that no QR code took: the goods were handed over (docs/console.md).
import { describe, expect, it } from 'vitest'
import { browserOf } from '../support/console.ts'
import { connected, refundingSite } from '../support/refunds.ts'
import { tokenOf } from '../support/service.ts'

/** Somebody who is signed in to a site with a payment of 7.00 that its code did not take. */
async function atPayment(scope = 'merchant') {
  const site = refundingSite()
  const { linkId, paymentUid: applied, qrCodeUid } = await site.paid()
  const paymentUid = await site.payAgain(linkId, 7)
  const browser = browserOf(connected)
  await browser.post('/sign-in', { token: await tokenOf({ sub: site.siteId, scope }) })
  const page = async (path: string) => (await browser.get(path)).text()
  const decide = (fields: Record<string, string>, uid = paymentUid) =>
    browser.post(`/payments/${uid}/decision`, fields)
  return { site, browser, page, decide, paymentUid, applied, qrCodeUid, linkId }
}

const badgeOf = (page: string) => /<span class="badge [^"]*">([^<]*)/.exec(page)?.[1]
const BUTTON = /\/decision">Товар отдан<\/a>/

describe('a payment that no code took', () => {
  it('is marked as delivered with a note, leaves the list of what needs a decision, and comes back', async () => {
    const { page, decide, paymentUid, qrCodeUid } = await atPayment()
    const [address, open] = [`/payments/${paymentUid}`, '/payments?which=open']
    expect(await page('/')).toContain('<a href="./payments?which=open">Требуют решения: 1</a>')
    expect(await page(address)).toMatch(BUTTON)
    expect(await page(`${address}/decision`)).toContain('name="note"')

    const answer = await decide({ value: 'DELIVERED', note: ' чек <118> ' })
    expect([answer.status, answer.headers.get('Location')]).toEqual([
      303,
      `../../payments/${paymentUid}?done=handedOver`,
    ])
    const marked = await page(`${address}?done=handedOver`)
    expect(badgeOf(marked)).toBe('Товар отдан')
    expect(marked).toContain('Товар отдан: чек &lt;118&gt;')
    expect(marked).toContain('<strong>Отмечено: товар отдан</strong>')
    expect([BUTTON.test(marked), marked.includes('Скорее всего, его нужно вернуть')]).toEqual([false, false])
    expect(await page('/')).not.toContain('Требуют решения')
    expect([
      (await page(open)).includes(paymentUid),
      (await page('/payments?which=notApplied')).includes(paymentUid),
    ]).toEqual([false, true])

    expect(marked).toContain('<button>Отменить отметку</button>')
    expect((await decide({ value: 'OPEN' })).headers.get('Location')).toContain('?done=reopened')
    const again = await page(address)
    expect([badgeOf(again), BUTTON.test(again)]).toEqual(['Не зачтён', true])
    expect(await page(open)).toContain(paymentUid)
    for (const each of [await page('/events'), await page(`/qr/${qrCodeUid}`)]) {
      expect(each).toContain('чек &lt;118&gt;')
      for (const name of ['Отмечено: товар отдан', 'Отметка «товар отдан» снята'])
        expect(each).toContain(name)
    }
  })

  it('that was delivered can be refunded, and says what was returned', async () => {
    const { site, page, decide, paymentUid } = await atPayment()
    await decide({ value: 'DELIVERED' })
    expect(await page(`/payments/${paymentUid}`)).toMatch(/refund">Вернуть 7,00\s₽ или часть<\/a>/)
    await site.refund(paymentUid, 3, 'r')
    await site.reportRefund(paymentUid, 'r', { status: 'COMPLETED' })
    expect(badgeOf(await page(`/payments/${paymentUid}`))).toBe('Возвращён частично')
  })

  it('offers nothing of that to a key that only reads', async () => {
    const { page, browser, paymentUid } = await atPayment('merchant:read')
    expect(await page(`/payments/${paymentUid}`)).not.toContain('/decision')
    expect((await browser.get(`/payments/${paymentUid}/decision`)).status).toBe(403)
  })
})

it('a note that is too long is told at its field, and kept', async () => {
  const { site, decide, paymentUid } = await atPayment()
  const note = 'я'.repeat(256)
  const refused = await decide({ value: 'DELIVERED', note })
  const text = await refused.text()
  expect([refused.status, text.includes(`value="${note}"`)]).toEqual([400, true])
  expect(text).toMatch(/aria-invalid="true"[^>]*>.*Заметка: не больше 255 символов/)
  expect(await site.paymentOf(paymentUid)).not.toHaveProperty('decision')
})

it('a payment that its code took has no such button, and a form that is sent all the same is refused', async () => {
  const { page, decide, applied } = await atPayment()
  expect(await page(`/payments/${applied}`)).not.toContain('/decision')
  const refused = await decide({ value: 'DELIVERED' }, applied)
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('статус изменился')])
})

it('a till warns no more of a payment whose goods were handed over', async () => {
  const { site, page, browser } = await atPayment()
  const { linkId } = await site.make({ qrCodeUid: 'till', amount: undefined }, { type: 'COUNTER' })
  const { paymentUid } = await site.pay(linkId)
  expect(await page('/tills/till')).toContain(`payments/${paymentUid}`)
  await browser.post(`/payments/${paymentUid}/decision`, { value: 'DELIVERED' })
  expect(await page('/tills/till')).not.toContain(`payments/${paymentUid}`)
})
