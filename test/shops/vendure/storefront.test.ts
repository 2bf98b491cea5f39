// The customer's way in a browser: choose, pay by SBP, come back, see the order paid; on a phone and on a desktop, in Russian and English.
import jsQR from 'jsqr'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { barriers, DEVICES, launch, picture, pixelsOf, visit } from '../../support/browser.ts'
import { openShop, type Shop } from './shop.ts'

let shop: Shop
let browser: Browser
const begun = performance.now()
beforeAll(async () => {
  ;[shop, browser] = await Promise.all([openShop(), launch()])
})
afterAll(async () => {
  await browser?.close()
  await shop?.dispose()
})

const TEXTS = {
  ru: {
    buy: 'Купить по СБП',
    pay: 'Оплатить через СБП',
    waiting: 'Ждём оплату',
    sum: '300,00 ₽',
    paid: 'Оплата получена',
  },
  en: {
    buy: 'Buy by SBP',
    pay: 'Pay by SBP',
    waiting: 'Waiting for the payment',
    sum: '₽300.00',
    paid: 'Payment received',
  },
}
const says = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor({ timeout: 120_000 })

it.each([
  { device: 'phone', lang: 'ru' },
  { device: 'desktop', lang: 'en' },
] as const)('on a $device, in $lang, an order is bought and paid', async ({ device, lang }) => {
  const texts = TEXTS[lang]
  const { page, faults } = await visit(browser, `${shop.origin}/?lang=${lang}`, DEVICES[device])
  await page.getByRole('button', { name: texts.buy }).first().click()
  await says(page, texts.waiting)
  await says(page, texts.sum)
  expect(await barriers(page)).toEqual([])
  await picture(page, `vendure-${device}-${lang}`)
  const needed = await page.evaluate<number>('document.documentElement.scrollWidth')
  expect(needed).toBeLessThanOrEqual(DEVICES[device].viewport.width)
  const { data, width, height } = await pixelsOf(page)
  const code = new URL(page.url()).searchParams.get('order') ?? ''
  const { qrCode } = await shop.service.code(`${code}-1`)
  expect(jsQR(data, width, height)?.data).toBe(qrCode.payload)
  expect(faults).toEqual([])
  const link = page.getByRole('link', { name: texts.pay })
  expect(await link.getAttribute('href')).toBe((await shop.service.code(`${code}-1`)).pageUrl)
  await shop.service.pay(`${code}-1`)
  // On a phone the customer comes back from the bank to a fresh page.
  if (device === 'phone') await page.goto(`${shop.origin}/?order=${code}&lang=${lang}`)
  await says(page, texts.paid)
  const seconds = Math.round((performance.now() - begun) / 1000)
  console.log(`${seconds} s from the start of the shop to this paid order`)
  expect(await page.getByRole('link', { name: texts.pay }).count()).toBe(0)
})

it('a code that has ended shows how to get another one, and nothing to pay', async () => {
  const { page } = await visit(browser, `${shop.origin}/?lang=ru`, DEVICES.phone)
  await page.getByRole('button', { name: 'Купить по СБП' }).first().click()
  await says(page, 'Ждём оплату')
  const code = new URL(page.url()).searchParams.get('order') ?? ''
  await shop.service.site.value(`/sbp/qrCodes/${code}-1`, { method: 'DELETE' })
  await says(page, 'Срок кода истёк. Платить по нему нельзя')
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.getByRole('link').count()).toBe(0)
  await page.getByRole('button', { name: 'Получить новый код' }).click()
  await says(page, 'Ждём оплату')
  await shop.service.pay(`${code}-2`)
  await says(page, 'Оплата получена')
})

it.each(['payment.js', 'payment-element.js'])('a storefront of another origin loads %s', async (script) => {
  const response = await fetch(`${shop.origin}/fps-qr/${script}`)
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': expect.stringMatching(/^text\/javascript/),
    'access-control-allow-origin': '*',
    'cache-control': 'max-age=300',
  })
})
