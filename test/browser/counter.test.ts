// A counter in a browser, on the payment network's links: two sales on one phone, and the next person at the same till.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { barriers, DEVICES, launch, picture, visit } from '../support/browser.ts'
import { type Made, openShop, type Shop } from '../support/shop.ts'

let shop: Shop
let browser: Browser

beforeAll(async () => {
  ;[shop, browser] = await Promise.all([openShop(inject('network')), launch()])
})
afterAll(() => browser?.close())

const says = (page: Page, text: string) =>
  page.getByText(text, { exact: true }).first().waitFor({ timeout: 60_000 })
const sumOf = async (page: Page) => (await page.locator('.sum').first().textContent())?.replaceAll(/\s/g, ' ')

/** A till: it arms its code, and the network reports what was paid. */
async function openTill() {
  const made = await shop.make(
    { amount: undefined, paymentPurpose: undefined },
    { type: 'COUNTER', ttl: undefined },
  )
  const sale = (saleUid: string, method: string, body?: object) =>
    shop.ask(`/sbp/qrCodes/${made.uid}/sales/${saleUid}`, { method, ...(body && { body }) })
  return {
    made,
    arm: (saleUid: string, value: string) => sale(saleUid, 'PUT', { amount: { value } }),
    cancel: (saleUid: string) => sale(saleUid, 'DELETE'),
    paid: (saleUid: string, value: string) =>
      shop.report(made, 'COMPLETED', {
        saleUid,
        amount: { value, currency: 'RUB' },
        payer: { bankMemberId: '999999999001' },
      }),
  }
}

/** A phone on which the bank's app takes the network's link. */
async function phone({ page: url }: Made, language = 'ru-RU') {
  const visited = await visit(browser, url, { ...DEVICES.phone, locale: language })
  await visited.page.route('https://qr.nspk.ru/**', (route) => route.fulfill({ status: 204 }))
  return visited.page
}

const openBank = (page: Page) => page.getByRole('link', { name: 'Оплатить через СБП' }).tap()

describe.concurrent('at a counter', () => {
  it('a payer pays two sales on one phone; the next person does not see the last one’s receipt', async ({
    expect,
  }) => {
    const till = await openTill()
    const mine = await phone(till.made)
    const next = await phone(till.made)
    for (const [saleUid, value, shown] of [
      ['s-1', '149.50', '149,50 ₽'],
      ['s-2', '300.00', '300,00 ₽'],
    ] as const) {
      await till.arm(saleUid, value)
      await says(mine, 'К оплате')
      expect(await sumOf(mine)).toBe(shown)
      await openBank(mine)
      await says(mine, 'Ждём оплату в приложении банка')
      const paymentUid = await till.paid(saleUid, value)
      await says(mine, 'Оплачено')
      expect(await sumOf(mine)).toBe(shown)
      expect(await mine.evaluate('document.activeElement.textContent')).toBe('Оплачено')
      // The payment is named, the payer's bank is not.
      const text = await mine.locator('body').textContent()
      for (const secret of ['Речной банк', 'Сберегательный банк']) expect(text).not.toContain(secret)
      for (const shownToo of ['Чайная лавка', 'Номер операции', paymentUid]) expect(text).toContain(shownToo)
      await mine.getByRole('button', { name: 'Распечатать' }).waitFor()
      expect(await barriers(mine)).toEqual([])
      await picture(mine, `counter-${saleUid}`)
      // The phone dropped the tab's page, and loads it again.
      await mine.reload()
      await says(mine, 'Оплачено')
      // The next person had the page open, and scans the code now.
      await says(next, 'Пока платить не за что')
      const newcomer = await phone(till.made)
      await says(newcomer, 'Пока платить не за что')
      expect(await newcomer.getByText('Оплачено').count()).toBe(0)
      await newcomer.context().close()
      expect(await next.getByText('Оплачено').count()).toBe(0)
      await mine.getByRole('link', { name: 'Заплатить ещё раз' }).tap()
      await says(mine, 'Пока платить не за что')
    }
  })

  it('the receipt stays while the till serves the next one, for ten minutes', async ({ expect }) => {
    const till = await openTill()
    await till.arm('s-1', '10.00')
    const page = await phone(till.made)
    await openBank(page)
    await page.clock.install()
    await till.paid('s-1', '10.00')
    await till.arm('s-2', '20.00')
    await page.reload()
    await says(page, 'Оплачено')
    expect(await sumOf(page)).toBe('10,00 ₽')
    await page.clock.runFor(590_000)
    expect(await sumOf(page)).toBe('10,00 ₽')
    await page.clock.runFor(15_000)
    await says(page, 'К оплате')
    expect(await sumOf(page)).toBe('20,00 ₽')
    expect(await page.getByText('Оплачено').count()).toBe(0)
    // The bank that was opened for the first sale is not opened for the second.
    await page.getByText('Ждём оплату в приложении банка').waitFor({ state: 'hidden' })
  })

  it('a payment that comes after the end of the sale is shown to its payer alone', async ({ expect }) => {
    const till = await openTill()
    await till.arm('s-1', '10.00')
    const [page, other] = [await phone(till.made), await phone(till.made)]
    await openBank(page)
    await till.cancel('s-1')
    for (const each of [page, other]) await says(each, 'Пока платить не за что')
    await till.paid('s-1', '10.00')
    await says(page, 'Оплачено')
    await other.reload()
    await says(other, 'Пока платить не за что')
    expect(await other.getByText('Оплачено').count()).toBe(0)
  })
})

describe.concurrent('the page of a printed code', () => {
  it.for([
    ['with a sum', {}],
    ['without one', { amount: undefined }],
  ] as const)(
    'after a bank was opened sends the payer there for the result, and offers to pay again: %s',
    async ([, body], { expect }) => {
      const made = await shop.make(body, { type: 'STATIC', ttl: undefined })
      const page = await phone(made)
      await openBank(page)
      const title = 'Подтверждение — в приложении банка'
      await page.getByRole('heading', { name: title }).waitFor()
      expect(await page.locator('h1 .after').textContent()).toBe(title)
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
      expect(await barriers(page)).toEqual([])
      await picture(page, `static-opened-${'amount' in body}`)
      await page.reload()
      await page.getByRole('heading', { name: title }).waitFor()
      await page.getByRole('link', { name: 'Заплатить ещё раз' }).tap()
      await page.getByRole('link', { name: 'Оплатить через СБП' }).waitFor()
      await page.getByText(title).waitFor({ state: 'hidden' })
    },
  )

  it('forgets after ten minutes that a bank was opened', async ({ expect }) => {
    const made = await shop.make({}, { type: 'STATIC', ttl: undefined })
    const page = await phone(made)
    await page.clock.install()
    await openBank(page)
    await page.getByRole('heading', { name: 'Подтверждение — в приложении банка' }).waitFor()
    await page.clock.fastForward(601_000)
    await page.reload()
    await page.getByRole('link', { name: 'Оплатить через СБП' }).waitFor()
    expect(await sumOf(page)).toBe('1 500,50 ₽')
  })
})
