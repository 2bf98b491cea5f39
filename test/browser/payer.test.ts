// The payer's page in a browser, on the real build: what a payer sees and does, and what the merchant hears of it.
import { readFileSync } from 'node:fs'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { barriers, DEVICES, launch, visit } from '../support/browser.ts'
import { openShop, type Shop } from '../support/shop.ts'

const { address } = inject('sandbox')
let shop: Shop
let browser: Browser

beforeAll(async () => {
  ;[shop, browser] = await Promise.all([openShop(inject('sandbox')), launch()])
})
afterAll(() => browser?.close())

/** Waits until the page says so. */
const says = (page: Page, text: string) =>
  page.getByText(text, { exact: true }).first().waitFor({ timeout: 120_000 })
/** The script of the paid page has come: it counts. */
const counts = async (page: Page) => {
  while (!(await page.evaluate("sessionStorage.getItem('led ' + location.pathname)"))) await page.title()
}
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe.concurrent('a payer', () => {
  it('pays, is told so and led back to the shop, while the merchant hears of it at once', async ({
    expect,
  }) => {
    const made = await shop.make({ redirectUrl: `${address}/?thanks` })
    const known = await shop.ask(`/sbp/qrCodes/${made.uid}`)
    const held = shop.ask(`/sbp/qrCodes/${made.uid}`, {
      headers: { 'If-None-Match': known.headers.get('ETag') ?? '', Prefer: 'wait=60' },
    })
    const { page, faults } = await visit(browser, made.page, DEVICES.phone)
    await says(page, 'К оплате')
    await click(page, 'Имитировать оплату')
    await says(page, 'Оплачено')
    expect(page.url()).toBe(made.page)
    expect(QrCodeAnswer.parse(await (await held).json()).qrCode.status).toBe('PAYED')
    await page.waitForURL(`${address}/?thanks`, { timeout: 60_000 })
    expect(faults).toEqual([])
  })

  it('at a counter sees the sum when the till arms the code, pays it, and sees the next one', async ({
    expect,
  }) => {
    const made = await shop.make({ amount: undefined }, { type: 'COUNTER', ttl: undefined })
    const sale = (uid: string, method: string, value?: number) =>
      shop.ask(`/sbp/qrCodes/${made.uid}/sales/${uid}`, {
        method,
        ...(value && { body: { amount: { value } } }),
      })
    const { page, faults } = await visit(browser, made.page, DEVICES.phone)
    await says(page, 'Пока платить не за что')
    await sale('s-1', 'PUT', 7)
    await says(page, 'К оплате')
    expect(await page.locator('.sum').textContent()).toMatch(/^7,00\s₽$/)
    await click(page, 'Имитировать оплату')
    await says(page, 'Оплачено')
    expect(await page.locator('.sum').textContent()).toMatch(/^7,00\s₽$/)
    expect(await (await sale('s-1', 'GET')).text()).toContain('"status":"PAYED"')
    await sale('s-2', 'PUT', 8)
    await page.getByRole('button', { name: 'Заплатить ещё раз' }).tap()
    await says(page, 'К оплате')
    expect(await page.locator('.sum').textContent()).toMatch(/^8,00\s₽$/)
    expect(await page.getByText('Оплачено').count()).toBe(0)
    await sale('s-2', 'DELETE')
    await says(page, 'Пока платить не за что')
    expect(faults).toEqual([])
  })

  it('of a printed code has a receipt, and can pay again; another payer sees nothing of it', async ({
    expect,
  }) => {
    const made = await shop.make({}, { type: 'STATIC', ttl: undefined })
    const { page } = await visit(browser, made.page, DEVICES.phone)
    await click(page, 'Имитировать оплату')
    await says(page, 'Оплачено')
    await click(page, 'Заплатить ещё раз')
    await click(page, 'Имитировать оплату')
    await says(page, 'Оплачено')
    const { page: other } = await visit(browser, made.page)
    await says(other, 'К оплате')
    expect(await other.getByText('Оплачено').count()).toBe(0)
    const { payments } = PaymentsAnswer.parse(
      await (await shop.ask(`/sbp/qrCodes/${made.uid}/payments`)).json(),
    )
    expect(payments.filter(({ applied }) => applied)).toHaveLength(2)
  })

  it('who wants to stay on the receipt stays', async ({ expect }) => {
    const made = await shop.make({ redirectUrl: `${address}/?thanks` })
    const { page } = await visit(browser, made.page)
    await page.clock.install()
    await click(page, 'Имитировать оплату')
    await page.getByRole('link', { name: 'Остаться здесь' }).click()
    await page.waitForURL(/until=0/)
    await page.clock.fastForward(60_000)
    await says(page, 'Оплачено')
    expect(page.url()).toContain('until=0')
    await page.getByRole('link', { name: 'Вернуться в магазин' }).click()
    await page.waitForURL(`${address}/?thanks`)
  })

  it('sees the seconds run until the shop opens, and stops them', async ({ expect }) => {
    const made = await shop.make({ redirectUrl: `${address}/?thanks` })
    await shop.report(made, 'COMPLETED')
    const { page } = await visit(browser, 'about:blank', DEVICES.phone)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await page.goto(made.page)
    await counts(page)
    const line = page.locator('.leaving > span')
    expect((await line.textContent())?.replaceAll('\u00a0', ' ')).toBe(
      `Через 10 сек. откроется ${new URL(address).host}`,
    )
    await page.clock.runFor(5000)
    expect((await line.textContent())?.replaceAll('\u00a0', ' ')).toBe(
      `Через 5 сек. откроется ${new URL(address).host}`,
    )
    await page.getByRole('link', { name: 'Остаться здесь' }).tap()
    await line.waitFor({ state: 'hidden' })
    await page.clock.runFor(60_000)
    expect(page.url()).toBe(`${made.page}&until=0`)
  })

  it('who comes back from the shop stays on the receipt: a tab is led there once', async ({ expect }) => {
    const made = await shop.make({ redirectUrl: `${address}/?thanks` })
    await shop.report(made, 'COMPLETED')
    const { page } = await visit(browser, 'about:blank', DEVICES.phone)
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await page.goto(made.page)
    await counts(page)
    await page.getByRole('link', { name: 'Вернуться в магазин' }).tap()
    await page.waitForURL(`${address}/?thanks`)
    for (const turn of ['back', 'reload'] as const) {
      await (turn === 'back' ? page.goBack() : page.reload())
      await says(page, 'Оплачено')
      await page.locator('.leaving').waitFor({ state: 'hidden' })
      await page.clock.runFor(60_000)
      expect(page.url(), turn).toBe(made.page)
    }
    // Another tab has not been there.
    const other = await page.context().newPage()
    await other.goto(made.page)
    await other.locator('.leaving').waitFor()
  })

  it('saves the receipt as a picture, or shares it where the phone can', async ({ expect }) => {
    const made = await shop.make()
    await shop.report(made, 'COMPLETED')
    const { page, faults } = await visit(browser, made.page, { ...DEVICES.phone, acceptDownloads: true })
    await page.addInitScript(`
      const { fillText } = CanvasRenderingContext2D.prototype
      window.drawn = []
      CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
        drawn.push(text)
        fillText.call(this, text, ...at)
      }
      navigator.canShare = ({ files }) => files.length === 1
      navigator.share = async ({ files: [file] }) => { window.shared = [file.name, file.type, file.size] }`)
    await page.reload()
    const [download] = await Promise.all([page.waitForEvent('download'), click(page, 'Сохранить картинкой')])
    // Its first line is the mark.
    expect(await page.evaluate('window.drawn[0]')).toBe('Тестовый стенд: деньги не списываются')
    expect(download.suggestedFilename()).toBe('Квитанция об оплате.png')
    const png = readFileSync(await download.path())
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    // It has a line for each that the page shows: the shop, the sum, the time, the number, the purpose, the contact.
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
      840,
      expect.toSatisfy((height) => height > 700),
    ])
    await click(page, 'Поделиться')
    await expect
      .poll(() => page.evaluate('window.shared'))
      .toEqual(['Квитанция об оплате.png', 'image/png', png.length])
    expect(faults).toEqual([])
  })

  it('who opens a link that somebody changed is warned, and told whom to ask', async ({ expect }) => {
    const made = await shop.make()
    const { page } = await visit(browser, made.page.replace('sum=150050', 'sum=1'), DEVICES.phone)
    await says(page, 'По этой ссылке платить нельзя')
    await page.getByText(/Не платите по ней/).waitFor()
    expect(await page.getByRole('link', { name: '+7 800 555-01-00' }).getAttribute('href')).toBe(
      'tel:+78005550100',
    )
    expect(await page.getByText('Чайная лавка').isVisible()).toBe(true)
    expect(await page.getByRole('button').count()).toBe(0)
  })

  it('declines, is told what to do, and tries again', async ({ expect }) => {
    const made = await shop.make()
    const { page, faults } = await visit(browser, made.page)
    await click(page, 'Имитировать отказ покупателя')
    await says(page, 'Вы отменили оплату')
    await says(page, 'Деньги не списаны. Если передумаете, можно оплатить снова')
    await click(page, 'Имитировать оплату')
    await says(page, 'Оплачено')
    expect(faults).toEqual([])
  })

  it('declined by the bank is told that the bank did not confirm it', async ({ expect }) => {
    const made = await shop.make()
    const { page } = await visit(browser, made.page, DEVICES.phone)
    await click(page, 'Имитировать отказ банка')
    await says(page, 'Оплата не прошла')
    expect(await barriers(page)).toEqual([])
  })

  it('is told that the connection is slow, and that there is none', async () => {
    const made = await shop.make()
    const { page } = await visit(browser, made.page, DEVICES.phone)
    await page.clock.install()
    // An answer that never comes.
    await page.route('**/state?*', () => {})
    await page.reload()
    await page.getByRole('link', { name: 'Проверить оплату' }).tap()
    await says(page, 'Проверяем…')
    await page.clock.runFor(4500)
    await says(page, 'Связь медленная. Ждём ответа')
    await page.context().setOffline(true)
    await says(page, 'Нет связи. Проверим, как только она появится')
  })

  it('without a script sees no open section under a closed arrow', async ({ expect }) => {
    const made = await shop.make()
    const { page } = await visit(browser, made.page, { ...DEVICES.phone, javaScriptEnabled: false })
    await page.getByRole('img').waitFor()
    const arrowOf = (selector: string) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('${selector} > summary'), '::before').content`,
      )
    expect([await arrowOf('.code'), await arrowOf('.how')]).toEqual(['none', '""'])
  })

  it('sees the time run, and run out', async ({ expect }) => {
    const made = await shop.make({}, { ttl: 1 })
    const { page, faults } = await visit(browser, made.page)
    const timer = page.getByRole('timer')
    const first = await timer.textContent()
    expect(first).toMatch(/^Осталось (01:00|00:[0-5]\d)$/)
    await expect.poll(() => timer.textContent()).not.toBe(first)
    expect(await timer.textContent()).toMatch(/^Осталось 00:[0-5]\d$/)
    await says(page, 'Время на оплату вышло')
    expect(faults).toEqual([])
  })

  it('sees what others do, as they do it', async ({ expect }) => {
    const made = await shop.make()
    const { page, faults } = await visit(browser, made.page)
    await says(page, 'К оплате')
    await shop.report(made, 'DECLINED')
    await says(page, 'Оплата не прошла')
    await shop.cancel(made)
    await says(page, 'Магазин отменил оплату')
    // A payment that was on its way is a fact.
    await shop.report(made, 'COMPLETED')
    await says(page, 'Оплачено')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Оплачено')
    expect(faults).toEqual([])
  })

  it('can neither scan nor decline from the moment in which the payment is known', async ({ expect }) => {
    const made = await shop.make()
    const { page } = await visit(browser, made.page)
    await page.getByRole('img').waitFor()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    // The new page is slow to come.
    await page.route(made.page, async (route) => {
      await released
      await route.continue()
    })
    await shop.report(made, 'COMPLETED')
    await page.getByRole('img').waitFor({ state: 'hidden' })
    expect(await page.getByRole('button').count()).toBe(0)
    release()
    await says(page, 'Оплачено')
  })

  it('types the sum where the link has none, is told where it is none, and finds it on the receipt', async ({
    expect,
  }) => {
    const made = await shop.make({ amount: undefined })
    const { page } = await visit(browser, made.page)
    await page.getByLabel('Сумма').fill('сто рублей')
    await click(page, 'Имитировать оплату')
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('Сумма').inputValue()).toBe('сто рублей')
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Сумма').fill('1 500,50')
    await click(page, 'Имитировать оплату')
    await says(page, 'Оплачено')
    expect((await page.locator('.sum').textContent())?.replaceAll(/\s/g, ' ')).toBe('1 500,50 ₽')
    expect(await shop.status(made)).toBe('PAYED')
  })

  it('changes the language, which stays through the payment', async ({ expect }) => {
    const made = await shop.make()
    const { page, faults } = await visit(browser, made.page, DEVICES.phone)
    await page.getByRole('link', { name: 'English' }).click()
    await click(page, 'Simulate a decline by the customer')
    await says(page, 'You cancelled the payment')
    await shop.report(made, 'COMPLETED')
    await says(page, 'Payment received')
    expect(faults).toEqual([])
  })

  it('is followed again after the network failed', async () => {
    const made = await shop.make()
    const { page } = await visit(browser, 'about:blank')
    let failures = 0
    await page.route('**/state?*', (route) => (failures++ < 2 ? route.abort() : route.continue()))
    await page.goto(made.page)
    await says(page, 'Нет связи. Проверим, как только она появится')
    await shop.report(made, 'COMPLETED')
    await says(page, 'Оплачено')
  })

  it('leaves a page that waits for nothing, and finds it up to date on the way back', async ({ expect }) => {
    const made = await shop.make()
    const { page } = await visit(browser, 'about:blank')
    const isPoll = (request: Request) => 'prefer' in request.headers()
    const first = page.waitForRequest(isPoll)
    await page.goto(made.page)
    await first
    const polls: Request[] = []
    page.on('request', (request) => isPoll(request) && polls.push(request))
    const ended = page.waitForEvent('requestfailed', isPoll)
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    await ended
    await shop.report(made, 'COMPLETED')
    expect(polls).toEqual([])
    await says(page, 'К оплате')
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    await says(page, 'Оплачено')
  })

  it('needs no mouse: tab and enter lead from the link to the receipt and to the shop', async ({
    expect,
  }) => {
    const made = await shop.make({ redirectUrl: `${address}/?thanks` })
    const { page } = await visit(browser, made.page)
    const tabTo = async (name: string) => {
      await page.waitForLoadState()
      for (let i = 0; i < 12; i++) {
        await page.keyboard.press('Tab')
        const focused = await page.evaluate<{ text: string; outline: string }>(
          `({ text: document.activeElement.textContent.trim(), outline: getComputedStyle(document.activeElement).outlineStyle })`,
        )
        expect(focused.outline, `the focus on ${focused.text} is visible`).toBe('solid')
        if (focused.text === name) return page.keyboard.press('Enter')
      }
      throw new Error(`no tab leads to ${name}`)
    }
    await tabTo('Проверить оплату')
    await says(page, 'Оплата пока не поступила. Если вы её подтвердили, результат появится здесь сам')
    // The page leads to the shop by itself, which a slow machine does not outrun.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 3_600_000)
    await page.goto(made.page)
    await tabTo('Имитировать оплату')
    await says(page, 'Оплачено')
    await tabTo('Вернуться в магазин')
    await page.waitForURL(`${address}/?thanks`)
  })

  it.each(['phone', 'desktop'] as const)(
    'on a %s needs no script: the page refreshes itself, takes the form and leads back',
    async (device) => {
      const made = await shop.make({ redirectUrl: `${address}/?thanks` })
      const { page } = await visit(browser, made.page, { ...DEVICES[device], javaScriptEnabled: false })
      await page.getByRole('img').waitFor()
      await click(page, 'Имитировать отказ покупателя')
      await says(page, 'Вы отменили оплату')
      await shop.report(made, 'COMPLETED')
      await says(page, 'Оплачено')
      await page.waitForURL(`${address}/?thanks`, { timeout: 60_000 })
    },
  )

  it('prints a receipt: what was paid, and nothing to press', async ({ expect }) => {
    const made = await shop.make({ redirectUrl: `${address}/?thanks` })
    await shop.report(made, 'COMPLETED')
    const { page } = await visit(browser, `${made.page}&until=0`, { colorScheme: 'dark' })
    await page.evaluate('window.print = () => { document.title = "printed" }')
    await click(page, 'Распечатать')
    expect(await page.title()).toBe('printed')
    await page.emulateMedia({ media: 'print' })
    await says(page, 'Номер операции')
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.getByRole('link', { name: /Вернуться|English/ }).count()).toBe(0)
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).color')).toBe('rgb(0, 0, 0)')
  })
})
