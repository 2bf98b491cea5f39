// The way to the payer's bank and back, on the payment network's links: the button, the list of banks, the return.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { DEVICES, launch, scanned, visit } from '../support/browser.ts'
import { type Made, openShop, type Shop } from '../support/shop.ts'

let shop: Shop
let browser: Browser

beforeAll(async () => {
  ;[shop, browser] = await Promise.all([openShop(inject('network')), launch()])
})
afterAll(() => browser?.close())

const says = (page: Page, text: string) =>
  page.getByText(text, { exact: true }).first().waitFor({ timeout: 60_000 })

/** The payer goes to another app, or comes back from it. */
const turn = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)

/** A phone on which the bank's app takes the network's link: the page stays where it is. */
async function onPhone(made: Made) {
  const opened: string[] = []
  const visited = await visit(browser, made.page, DEVICES.phone)
  await visited.page.route('https://qr.nspk.ru/**', (route) => {
    opened.push(route.request().url())
    return route.fulfill({ status: 204 })
  })
  return { ...visited, opened }
}

describe.concurrent('on a phone, a payer', () => {
  it('opens the bank’s app by the button, comes back, and is told at once', async ({ expect }) => {
    const made = await shop.make()
    const { page, opened } = await onPhone(made)
    // A long poll that never ends: only a look at once can tell.
    await page.route('**/state?*', (route) =>
      route.request().headers().prefer === undefined ? route.continue() : undefined,
    )
    await page.reload()
    await page.getByRole('link', { name: 'Оплатить через СБП' }).tap()
    await says(page, 'Ждём оплату в приложении банка')
    await expect.poll(() => opened).toEqual([made.payload])
    await turn(page, 'hidden')
    await shop.report(made, 'COMPLETED')
    await turn(page, 'visible')
    await says(page, 'Оплачено')
  })

  it('comes back without having paid: the page waits on, and tells of the payment when it comes', async () => {
    const made = await shop.make()
    const { page } = await onPhone(made)
    await page.getByRole('link', { name: 'Оплатить через СБП' }).tap()
    await turn(page, 'hidden')
    await turn(page, 'visible')
    await says(page, 'Ждём оплату в приложении банка')
    await page.reload()
    await says(page, 'Ждём оплату в приложении банка')
    await shop.report(made, 'COMPLETED')
    await says(page, 'Оплачено')
  })

  it('after the tap sees what to do now, the same bank again, and the picture', async ({ expect }) => {
    const made = await shop.make()
    const { page, opened } = await onPhone(made)
    await page.getByRole('link', { name: 'Оплатить через СБП' }).tap()
    await page.getByRole('heading', { name: 'Ждём оплату в приложении банка' }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Ждём оплату в приложении банка')
    await says(page, 'Подтвердите оплату в банке и вернитесь сюда. Результат появится сам')
    expect(await page.locator('h1 .sum').isVisible()).toBe(true)
    // One way on; the others are links.
    expect(await page.locator('.button:visible').allTextContents()).toEqual(['Открыть банк ещё раз'])
    await page.getByRole('link', { name: 'Открыть банк ещё раз' }).tap()
    await expect.poll(() => opened).toEqual([made.payload, made.payload])
    await page.getByRole('link', { name: 'Показать универсальный QR-код' }).tap()
    await page.getByRole('img').waitFor()
    expect(await scanned(page)).toBe(made.payload)
    const back = await page.getByRole('link', { name: 'Другой банк' }).getAttribute('href')
    expect(new URL(back ?? '', made.page).href).toBe(made.page.replace('?', '/banks?'))
  })

  it('who comes back without a payment is told so, honestly', async () => {
    const made = await shop.make()
    const { page } = await onPhone(made)
    await page.getByRole('link', { name: 'Оплатить через СБП' }).tap()
    await turn(page, 'hidden')
    await turn(page, 'visible')
    await says(page, 'Оплата пока не поступила. Если вы её подтвердили, результат появится здесь сам')
  })

  it('sees movement only while the page waits, and none who asked for none', async ({ expect }) => {
    const made = await shop.make()
    const moving = (page: Page) =>
      page.evaluate<string[]>(`[...document.querySelectorAll('*')].filter((each) => each.checkVisibility() &&
        getComputedStyle(each).animationName !== 'none').map(({ className }) => className)`)
    for (const [reducedMotion, expected] of [
      ['no-preference', ['pulse']],
      ['reduce', []],
    ] as const) {
      const { page } = await visit(browser, made.page, { ...DEVICES.phone, reducedMotion })
      await page.route('https://qr.nspk.ru/**', (route) => route.fulfill({ status: 204 }))
      expect(await moving(page)).toEqual([])
      await page.getByRole('link', { name: 'Оплатить через СБП' }).tap()
      await page.getByRole('heading', { name: 'Ждём оплату в приложении банка' }).waitFor()
      expect(await moving(page)).toEqual(expected)
    }
  })

  it('finds a bank by its sound, by its former name and on the wrong keyboard', async ({ expect }) => {
    const made = await shop.make()
    const { page } = await onPhone({ ...made, page: made.page.replace('?', '/banks?') })
    for (const [typed, name] of [
      ['тиньк', 'Т-Банк Тест'],
      ['Tinkoff', 'Т-Банк Тест'],
      ['ештлщаа', 'Т-Банк Тест'],
      ['sber', 'Сберегательный банк'],
      ['ыиукифтл', 'Сберегательный банк'],
      ['c,th', 'Сберегательный банк'],
      ['zelenyi', 'Банк «Зелёный»'],
      ['альфа тест', 'АЛЬФА-ТЕСТ'],
      ['alpha', 'АЛЬФА-ТЕСТ'],
    ] as const) {
      await page.getByLabel('Название банка').fill(typed)
      await expect
        .poll(() => page.locator('[data-banks] li:visible bdi').allTextContents(), { message: typed })
        .toEqual([name])
    }
  })

  it('keeps the sum and the shop in sight in the list, and finds a way on where the bank is missing', async ({
    expect,
  }) => {
    const made = await shop.make()
    const { page } = await onPhone({ ...made, page: made.page.replace('?', '/banks?') })
    await page.locator('[data-banks] li').last().scrollIntoViewIfNeeded()
    for (const text of ['Чайная лавка', '1\u00a0500,50\u00a0₽']) {
      const box = await page.getByText(text, { exact: true }).boundingBox()
      expect(box?.y).toBeGreaterThanOrEqual(0)
      expect(box?.y).toBeLessThan(80)
    }
    const all = page.getByRole('link', { name: 'Открыть полный список банков' })
    expect(await all.getAttribute('href')).toBe(made.payload)
  })

  it('is not asked for for ever: after ten minutes the page stops, and a button goes on', async ({
    expect,
  }) => {
    const made = await shop.make()
    const { page } = await onPhone(made)
    let asked = 0
    await page.route('**/state?*', (route) => {
      asked++
      return route.fulfill({ status: 304 })
    })
    await page.clock.install()
    await page.reload()
    await expect.poll(() => asked).toBeGreaterThan(0)
    await page.clock.runFor(601_000)
    await says(page, 'Мы перестали ждать. Если вы заплатили, нажмите «Проверить оплату»')
    const before = asked
    await page.clock.runFor(600_000)
    expect(asked).toBe(before)
    await shop.report(made, 'COMPLETED')
    await page.unroute('**/state?*')
    await page.getByRole('link', { name: 'Проверить оплату' }).tap()
    await says(page, 'Оплачено')
  })

  it('has the picture one tap away, for another phone', async ({ expect }) => {
    const made = await shop.make()
    const { page, faults } = await onPhone(made)
    expect(await page.getByRole('img').count()).toBe(0)
    await page.getByText('Универсальный QR-код для другого телефона').tap()
    await page.getByRole('img').waitFor()
    expect(await scanned(page)).toBe(made.payload)
    expect(faults).toEqual([])
  })

  it('finds a bank by its name, and next time first; a bank that is missing leads to the picture', async ({
    expect,
  }) => {
    const { page, faults } = await onPhone(await shop.make())
    const banks = page.locator('[data-banks] li:visible bdi')
    await page.getByRole('link', { name: 'Выбрать банк' }).tap()
    await says(page, 'Выберите банк')
    expect(await banks.count()).toBe(8)
    expect(await page.locator('[data-recent]').isVisible()).toBe(false)
    await page.getByLabel('Название банка').fill('зеленый')
    // The script can come after the text.
    await expect.poll(() => banks.allTextContents()).toEqual(['Банк «Зелёный»'])
    await page.getByLabel('Название банка').fill('нет такого')
    await says(page, 'Такого банка в списке нет')
    expect(await banks.count()).toBe(0)
    await page.getByLabel('Название банка').fill('')
    for (const name of ['Речной банк', 'АЛЬФА-ТЕСТ', 'Южный банк', 'Северный банк', 'АЛЬФА-ТЕСТ']) {
      // No such app is on this phone.
      await page.evaluate(`document.addEventListener('click', (event) => event.preventDefault())`)
      await page.locator('[data-banks]').getByText(name).tap()
      await page.reload()
    }
    expect(await page.locator('[data-recent] li bdi').allTextContents()).toEqual([
      'АЛЬФА-ТЕСТ',
      'Северный банк',
      'Южный банк',
    ])
    expect(await page.locator('[data-recent] a').first().getAttribute('href')).toMatch(
      /^bank999999999003:\/\/qr\.nspk\.ru\//,
    )
    await page.getByRole('link', { name: 'Показать универсальный QR-код для другого телефона' }).tap()
    await page.getByRole('img').waitFor()
    expect(faults.filter((fault) => !/scheme does not have a registered handler/.test(fault))).toEqual([])
  })

  it('comes back from a bank of the list to the page that waits', async () => {
    const made = await shop.make()
    const { page } = await onPhone(made)
    await page.getByRole('link', { name: 'Выбрать банк' }).tap()
    // Loaded, and with its script.
    await page.waitForURL(/\/banks\?/)
    await page.getByText('Т-Банк Тест').tap()
    await turn(page, 'hidden')
    await turn(page, 'visible')
    await page.waitForURL(made.page)
    await says(page, 'Ждём оплату в приложении банка')
    await shop.report(made, 'COMPLETED')
    await says(page, 'Оплачено')
  })

  it('on the list of banks is told of a payment too', async () => {
    const made = await shop.make()
    const { page } = await onPhone(made)
    await page.getByRole('link', { name: 'Выбрать банк' }).tap()
    await says(page, 'Выберите банк')
    await shop.report(made, 'COMPLETED')
    await says(page, 'Оплачено')
  })

  it('tries again after a decline', async ({ expect }) => {
    const made = await shop.make()
    const { page, opened } = await onPhone(made)
    await shop.report(made, 'DECLINED')
    await page.getByRole('link', { name: 'Попробовать ещё раз' }).tap()
    await expect.poll(() => opened).toEqual([made.payload])
  })

  it('needs no script for the bank’s app, the list and the result', async ({ expect }) => {
    const made = await shop.make()
    const { page } = await visit(browser, made.page, { ...DEVICES.phone, javaScriptEnabled: false })
    expect(await page.getByRole('link', { name: 'Оплатить через СБП' }).getAttribute('href')).toBe(
      made.payload,
    )
    await page.getByRole('link', { name: 'Выбрать банк' }).tap()
    await says(page, 'Речной банк')
    await page.getByLabel('Название банка').waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Показать универсальный QR-код для другого телефона' }).tap()
    await shop.report(made, 'COMPLETED')
    // The page loads itself again.
    await says(page, 'Оплачено')
  })
})

describe('on a desktop, a payer', () => {
  it('scans the picture, which comes first', async ({ expect }) => {
    const made = await shop.make()
    const { page, faults } = await visit(browser, made.page)
    expect(await scanned(page)).toBe(made.payload)
    const [picture, button] = await Promise.all([
      page.getByRole('img').boundingBox(),
      page.getByRole('link', { name: 'Продолжить на этом устройстве' }).boundingBox(),
    ])
    expect(picture?.x).toBeLessThan(button?.x ?? 0)
    await shop.report(made, 'COMPLETED')
    await says(page, 'Оплачено')
    expect(faults).toEqual([])
  })

  it('in a narrow window sees all of the picture: no button covers it', async ({ expect }) => {
    const { page } = await visit(browser, (await shop.make()).page, { viewport: { width: 390, height: 700 } })
    const isSeen = await page.evaluate<boolean>(`((image) => {
      image.scrollIntoView({ block: 'end' })
      const { left, right, bottom } = image.getBoundingClientRect()
      return document.elementFromPoint((left + right) / 2, Math.min(bottom, innerHeight) - 2) === image
    })(document.querySelector('figure img'))`)
    expect(isSeen).toBe(true)
  })

  it('chooses among the banks that take a payment on their site', async ({ expect }) => {
    const { page } = await visit(browser, (await shop.make()).page)
    await page.getByRole('link', { name: 'Выбрать банк' }).click()
    await says(page, 'Выберите банк')
    expect(await page.locator('[data-banks] li bdi').allTextContents()).toEqual([
      'Сберегательный банк',
      'АЛЬФА-ТЕСТ',
      'Почтовый банк',
    ])
    // The network's own page would show a QR code again.
    expect(await page.getByRole('link', { name: 'Открыть полный список банков' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Отсканировать универсальный QR-код телефоном' }).click()
    await page.getByRole('img').waitFor()
  })
})
