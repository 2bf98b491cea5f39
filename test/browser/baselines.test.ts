// Key screens against their stored pictures.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { differenceFromStored, TOLERANCE } from '../support/baseline.ts'
import { DEVICES, type DeviceName, launch, visit } from '../support/browser.ts'
import { openShop, type Shop } from '../support/shop.ts'

let browser: Browser
let network: Shop
let sandbox: Shop

beforeAll(async () => {
  ;[browser, network, sandbox] = await Promise.all([
    launch(),
    openShop(inject('network')),
    openShop(inject('sandbox')),
  ])
})
afterAll(() => browser?.close())

type Open = () => Promise<string>
const paid = async () => {
  const made = await network.make({ redirectUrl: 'https://shop.example/' })
  await network.report(made, 'COMPLETED')
  return `${made.page}&until=0`
}
const declined = async () => {
  const made = await network.make({ redirectUrl: 'https://shop.example/' })
  await network.report(made, 'DECLINED')
  return made.page
}
const cancelled = async () => {
  const made = await network.make({ redirectUrl: 'https://shop.example/' })
  await network.cancel(made)
  return made.page
}
/** The tap on the way to the bank, whose app takes the link: the page stays. */
const tapPay = async (page: Page) => {
  await page.route('https://qr.nspk.ru/**', (route) => route.fulfill({ status: 204 }))
  await page.locator('.before [data-bank]').tap()
  await page.locator('.waiting').waitFor()
  await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)')
}
const altered = async () => (await network.make()).page.replace('sum=150050', 'sum=1')
type Screen = [
  name: string,
  device: DeviceName,
  light: 'light' | 'dark',
  locale: string,
  open: Open,
  act?: (page: Page) => Promise<unknown>,
]
const SCREENS: Screen[] = [
  ['pay-phone', 'phone', 'light', 'ru-RU', async () => (await network.make()).page],
  ['pay-phone-dark', 'phone', 'dark', 'en-GB', async () => (await network.make()).page],
  ['waiting-phone', 'phone', 'light', 'ru-RU', async () => (await network.make()).page, tapPay],
  ['altered-phone', 'phone', 'dark', 'ru-RU', altered],
  ['pay-desktop', 'desktop', 'light', 'ru-RU', async () => (await network.make()).page],
  ['sandbox-phone', 'phone', 'light', 'ru-RU', async () => (await sandbox.make({ amount: undefined })).page],
  ['banks-phone', 'phone', 'light', 'ru-RU', async () => (await network.make()).page.replace('?', '/banks?')],
  ['declined-phone', 'phone', 'light', 'ru-RU', declined],
  ['paid-phone', 'phone', 'light', 'ru-RU', paid],
  ['cancelled-desktop', 'desktop', 'dark', 'en-GB', cancelled],
  ['start-desktop', 'desktop', 'light', 'en-GB', async () => `${inject('sandbox').address}/`],
  ['start-phone-dark', 'phone', 'dark', 'ru-RU', async () => `${inject('sandbox').address}/`],
]

describe('a key screen looks as it did', () => {
  it.for(SCREENS)('%s', async ([name, device, colorScheme, locale, open, act], { expect }) => {
    const options = { ...DEVICES[device], colorScheme, locale, bypassCSP: true }
    const { page } = await visit(browser, await open(), options)
    await act?.(page)
    // What differs each time: the picture, the time left, the identifiers.
    await page.evaluate(`{
      for (const each of document.querySelectorAll('figure img')) each.style.filter = 'brightness(0)'
      for (const each of document.querySelectorAll('[role=timer]')) each.replaceWith(Object.assign(each.cloneNode(), { textContent: 'Осталось 09:59', role: '' }))
      for (const each of document.querySelectorAll('dd')) if (/\\d{2}:\\d{2}|[0-9a-f-]{36}/.test(each.textContent)) each.textContent = 'x'.repeat(30)
    }`)
    expect(await differenceFromStored(page, name)).toBeLessThan(TOLERANCE)
  })
})
