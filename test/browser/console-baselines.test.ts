// Fifteen screens of the console against their stored pictures.
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { differenceFromStored, TOLERANCE } from '../support/baseline.ts'
import { DEVICES, type DeviceName, launch, visit } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { openShop, type Shop } from '../support/shop.ts'

const service = inject('external')
let browser: Browser
let full: Shop
let empty: Shop
let paymentUid: string

beforeAll(async () => {
  ;[browser, full, empty] = await Promise.all([launch(), openShop(service), openShop(service)])
  const make = (qrCodeUid: string, more = {}, qrCode = {}) => full.make({ qrCodeUid, ...more }, qrCode)
  paymentUid = await full.report(await make('order-1'), 'COMPLETED')
  await full.refund(paymentUid, 500.5)
  const second = await make('order-2')
  await full.report(second, 'COMPLETED')
  await full.report(second, 'COMPLETED')
  const returned = await full.report(await make('order-3'), 'COMPLETED')
  await full.refund(returned, 1500.5)
  await full.report(await make('order-4'), 'DECLINED')
  await full.cancel(await make('order-5'))
  await make('order-6')
  for (const uid of ['till-1', 'till-2'])
    await make(uid, { amount: undefined }, { type: 'COUNTER', ttl: undefined })
  await full.ask('/sbp/qrCodes/till-1/sales/receipt-1', { method: 'PUT', body: { amount: { value: 250 } } })
})
afterAll(() => browser?.close())

const sessions = new Map<Shop, ReturnType<BrowserContext['storageState']>>()

/** The cookies of somebody who is signed in. */
function sessionOf(shop: Shop) {
  const known = sessions.get(shop)
  if (known) return known
  const begun = signIn(browser, service, shop.siteId).then(({ page }) => page.context().storageState())
  sessions.set(shop, begun)
  return begun
}

type Screen = [
  name: string,
  device: DeviceName,
  light: 'light' | 'dark',
  locale: string,
  path: () => string,
  shop?: () => Shop,
]
const SCREENS: Screen[] = [
  ['today-phone', 'phone', 'light', 'ru-RU', () => ''],
  ['today-desktop', 'desktop', 'dark', 'en-GB', () => ''],
  ['today-empty-phone', 'phone', 'dark', 'ru-RU', () => '', () => empty],
  ['codes-phone', 'phone', 'light', 'ru-RU', () => 'qr'],
  ['codes-desktop', 'desktop', 'light', 'ru-RU', () => 'qr'],
  ['code-phone', 'phone', 'dark', 'en-GB', () => 'qr/order-6'],
  ['code-desktop', 'desktop', 'light', 'ru-RU', () => 'qr/order-1'],
  ['new-desktop', 'desktop', 'light', 'en-GB', () => 'new'],
  ['payments-phone', 'phone', 'light', 'en-GB', () => 'payments'],
  ['payments-desktop', 'desktop', 'light', 'ru-RU', () => 'payments?which=open'],
  ['payment-desktop', 'desktop', 'dark', 'ru-RU', () => `payments/${paymentUid}`],
  ['tills-phone', 'phone', 'light', 'en-GB', () => 'tills', () => empty],
  ['till-phone', 'phone', 'light', 'ru-RU', () => 'tills/till-1'],
  ['till-free-phone', 'phone', 'dark', 'ru-RU', () => 'tills/till-2'],
  ['settings-desktop', 'desktop', 'light', 'en-GB', () => 'settings'],
]

describe('a screen of the console looks as it did', () => {
  it.for(SCREENS)('%s', async ([name, device, colorScheme, locale, path, shop = () => full], { expect }) => {
    const { page } = await visit(browser, `${service.address}/console/${path()}`, {
      ...{ ...DEVICES[device], colorScheme, locale, bypassCSP: true },
      storageState: await sessionOf(shop()),
    })
    // What differs each time: times, identifiers, the picture, the hour of the chart.
    await page.evaluate(`{
      for (const each of document.querySelectorAll('time')) each.innerHTML = '12:00 <small>1 min</small>'
      for (const each of document.querySelectorAll('h1 small, code, .uid')) each.textContent = 'x'.repeat(20)
      for (const each of document.querySelectorAll('.code img, .preview img')) each.style.filter = 'brightness(0)'
      for (const each of document.querySelectorAll('.chart > *')) each.remove()
      for (const each of document.querySelectorAll('[data-copy]')) each.remove()
    }`)
    expect(await differenceFromStored(page, `console-${name}`)).toBeLessThan(TOLERANCE)
  })
})
