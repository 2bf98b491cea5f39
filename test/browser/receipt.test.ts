// What a payer holds after the payment: the receipt of a printed code, and the way back into the shop's own app.
import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { barriers, DEVICES, type DeviceName, launch, picture, visit } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { type Made, openShop, type Shop } from '../support/shop.ts'

let shop: Shop
let browser: Browser

beforeAll(async () => {
  const settings = {
    name: 'Кофейня у Марии',
    supportContact: '+7 800 555-01-00',
    redirectSchemes: ['teashop'],
  }
  ;[shop, browser] = await Promise.all([openShop(inject('sandbox'), settings), launch()])
})
afterAll(() => browser?.close())

const WORDS = {
  'ru-RU': {
    amount: /^Сумма/,
    pay: 'Имитировать оплату',
    paid: 'Оплачено',
    sums: ['350,00 ₽', '120,50 ₽'],
    number: 'Номер операции',
    save: 'Сохранить картинкой',
    again: 'Заплатить ещё раз',
    app: 'Вернуться в приложение',
    hint: 'Откроется, если приложение магазина есть на этом устройстве',
  },
  'en-GB': {
    amount: /^Amount/,
    pay: 'Simulate payment',
    paid: 'Payment received',
    sums: ['₽350.00', '₽120.50'],
    number: 'Payment reference',
    save: 'Save as a picture',
    again: 'Pay again',
    app: 'Back to the app',
    hint: 'It opens if the shop’s app is on this device',
  },
} as const

const VISITORS = (['phone', 'desktop'] as DeviceName[]).flatMap((device) =>
  (['ru-RU', 'en-GB'] as const).flatMap((locale) =>
    [true, false].map((javaScriptEnabled) => ({ device, locale, javaScriptEnabled })),
  ),
)

const says = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor()
const sumOf = async (page: Page) => (await page.locator('.sum').textContent())?.replaceAll(/\s/g, ' ')

describe.concurrent('a guest pays a table’s code and shows the receipt to the waiter, then pays again', () => {
  it.for(VISITORS)('$device $locale, script: $javaScriptEnabled', async (visitor, { expect }) => {
    const { device, locale, javaScriptEnabled } = visitor
    const words = WORDS[locale]
    const table = await shop.make(
      { amount: undefined, paymentPurpose: 'Стол 7' },
      { type: 'STATIC', ttl: undefined },
    )
    const { page, faults } = await visit(browser, table.page, {
      ...{ ...DEVICES[device], locale, javaScriptEnabled, acceptDownloads: true },
      colorScheme: javaScriptEnabled ? 'light' : 'dark',
    })
    for (const [n, typed] of ['350', '120,50'].entries()) {
      await page.getByLabel(words.amount).fill(typed)
      await page.getByRole('button', { name: words.pay }).click()
      await page.getByRole('heading', { name: words.paid }).waitFor()
      expect(await sumOf(page)).toBe(words.sums[n])
      const { payments } = PaymentsAnswer.parse(
        await (await shop.ask(`/sbp/qrCodes/${table.uid}/payments`)).json(),
      )
      await says(page, payments[n]?.paymentId ?? 'no payment')
      // The waiter sees it without a scroll.
      const { y = 0, height = 0 } = (await page.getByText(words.number).boundingBox()) ?? {}
      expect(y + height).toBeLessThan(DEVICES[device].viewport.height)
      expect(await page.getByLabel(words.amount).count()).toBe(0)
      await picture(page, `receipt-table-${device}-${locale}-${javaScriptEnabled}`)
      await page.reload()
      expect(await sumOf(page)).toBe(words.sums[n])
      if (javaScriptEnabled) {
        expect(await barriers(page)).toEqual([])
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: words.save }).click(),
        ])
        expect(
          readFileSync(await download.path())
            .subarray(1, 4)
            .toString(),
        ).toBe('PNG')
      }
      await page.getByRole('button', { name: words.again }).click()
      await page.getByLabel(words.amount).waitFor()
      expect(await page.getByText(words.number).count()).toBe(0)
    }
    expect(faults).toEqual([])
  })

  it('prints the receipt, and nothing to press', async ({ expect }) => {
    const table = await shop.make({}, { type: 'STATIC', ttl: undefined })
    const { page } = await visit(browser, table.page, { ...DEVICES.phone, colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Имитировать оплату' }).tap()
    await says(page, 'Оплачено')
    await page.evaluate('window.print = () => { document.title = "printed" }')
    await page.getByRole('button', { name: 'Распечатать' }).tap()
    expect(await page.title()).toBe('printed')
    await page.emulateMedia({ media: 'print' })
    await says(page, 'Номер операции')
    expect(await page.getByRole('button').count()).toBe(0)
    await picture(page, 'receipt-table-printed')
  })

  it('at a till has the number that the cashier sees, who prints it and nothing else', async ({ expect }) => {
    const till = await shop.make(
      { amount: undefined, paymentPurpose: undefined },
      { type: 'COUNTER', ttl: undefined },
    )
    const sale = { amount: { value: '350.00' }, paymentPurpose: 'Капучино' }
    await shop.ask(`/sbp/qrCodes/${till.uid}/sales/s-1`, { method: 'PUT', body: sale })
    const { page } = await visit(browser, till.page, DEVICES.phone)
    await page.getByRole('button', { name: 'Имитировать оплату' }).tap()
    await says(page, 'Номер операции')
    await page.getByRole('button', { name: 'Распечатать' }).waitFor()
    const number = await page.getByText(/^sandbox-/).textContent()
    const { page: till1, open } = await signIn(browser, inject('sandbox'), shop.siteId, {
      colorScheme: 'dark',
    })
    await open(`tills/${till.uid}`)
    await till1.evaluate('window.print = () => { document.title = "printed" }')
    await till1.getByRole('button', { name: 'Распечатать' }).click()
    expect(await till1.title()).toBe('printed')
    expect(await barriers(till1)).toEqual([])
    await till1.emulateMedia({ media: 'print' })
    const printed = await till1.evaluate<string>('document.querySelector("main").innerText')
    expect(printed.replaceAll(/\s+/g, ' ').trim()).toMatch(
      new RegExp(`^Оплачено 350,00 ₽ .* г\\., .* МСК Номер операции: ${number} Капучино$`),
    )
    expect(await till1.getByRole('searchbox').count()).toBe(0)
    await picture(till1, 'receipt-till-printed')
  })

  it('where the network pays, is told that the page cannot know, and is shown nobody’s payment', async ({
    expect,
  }) => {
    const live = await openShop(inject('network'))
    const table = await live.make({}, { type: 'STATIC', ttl: undefined })
    const { page } = await visit(browser, table.page, DEVICES.phone)
    await page.route('https://qr.nspk.ru/**', (route) => route.fulfill({ status: 204 }))
    // A navigation that has not ended would end the reload.
    const answered = page.waitForResponse('https://qr.nspk.ru/**')
    await page.getByRole('link', { name: 'Оплатить через СБП' }).tap()
    await answered
    const uids = [await live.report(table, 'COMPLETED'), await live.report(table, 'COMPLETED')]
    await page.reload()
    await says(page, 'Эта страница не узнает, прошла ли оплата: результат покажет приложение банка')
    const text = (await page.locator('body').textContent()) ?? ''
    for (const none of [...uids, 'Номер операции', 'Оплачено']) expect(text).not.toContain(none)
    await picture(page, 'receipt-table-live')
  })
})

/** Which addresses a page asked the browser to open, also those for which it has no app. */
async function openedBy(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const opened: string[] = []
  session.on('Page.frameRequestedNavigation', ({ url }) => opened.push(url))
  await session.send('Page.enable')
  return opened
}

const APP = 'teashop://orders/1001'
const orderFromApp = (): Promise<Made> => shop.make({ redirectUrl: APP })

describe.concurrent('a payer returns into the shop’s app; another phone has no such app', () => {
  it.for(VISITORS)('$device $locale, script: $javaScriptEnabled', async (visitor, { expect }) => {
    const { device, locale, javaScriptEnabled } = visitor
    const words = WORDS[locale]
    const order = await orderFromApp()
    const { page, faults } = await visit(browser, order.page, {
      ...{ ...DEVICES[device], locale, javaScriptEnabled },
      colorScheme: javaScriptEnabled ? 'light' : 'dark',
    })
    await page.clock.install()
    const opened = await openedBy(page)
    await page.getByRole('button', { name: words.pay }).click()
    await page.getByRole('heading', { name: words.paid }).waitFor()
    await says(page, words.hint)
    // It waits for the tap, however long.
    await page.clock.runFor(120_000)
    expect(opened.filter((url) => url.startsWith('teashop'))).toEqual([])
    expect(await page.locator('meta[http-equiv=refresh]').count()).toBe(0)
    if (javaScriptEnabled) expect(await barriers(page)).toEqual([])
    await picture(page, `app-${device}-${locale}-${javaScriptEnabled}`)
    await page.getByRole('link', { name: words.app }).click()
    await expect.poll(() => opened).toContain(APP)
    // No app took it: the receipt is still there.
    await says(page, words.paid)
    expect(page.url()).toBe(order.page)
    expect(faults.filter((fault) => !fault.includes('teashop:'))).toEqual([])
  })

  it('and none, once the shop has removed the scheme', async ({ expect }) => {
    const other = await openShop(inject('sandbox'), { redirectSchemes: ['teashop'] })
    const order = await other.make({ redirectUrl: APP })
    const { page } = await visit(browser, order.page, DEVICES.phone)
    await page.getByRole('button', { name: 'Имитировать оплату' }).tap()
    await page.getByRole('link', { name: 'Вернуться в приложение' }).waitFor()
    await other.ask('/settings', { method: 'PATCH', body: { redirectSchemes: null } })
    await page.reload()
    await says(page, 'Оплачено')
    expect(await page.getByRole('link', { name: 'Вернуться' }).count()).toBe(0)
    await picture(page, 'app-removed')
  })
})
