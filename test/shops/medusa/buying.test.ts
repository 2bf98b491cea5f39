// A customer buys in a browser: chooses SBP, pays on the payment page, comes back.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVICES, launch, picture, visit } from '../../support/browser.ts'
import { type Medusa, openMedusa } from './shop.ts'

let medusa: Medusa
let browser: Browser
beforeAll(async () => {
  ;[medusa, browser] = await Promise.all([openMedusa(), launch()])
})
afterAll(async () => {
  await browser.close()
  await medusa.close()
})

const WAYS = [
  {
    device: 'phone',
    locale: 'ru-RU',
    buy: 'Купить',
    pay: 'Оплатить через СБП',
    sum: '349,90 ₽',
    paid: 'Оплата получена',
  },
  {
    device: 'desktop',
    locale: 'en-US',
    buy: 'Buy',
    pay: 'Pay by SBP',
    sum: '₽349.90',
    paid: 'Payment received',
  },
] as const

describe.each(WAYS)('on a $device, $locale', ({ device, locale, buy, pay, sum, paid }) => {
  test('the order is paid, and the page says so', async () => {
    const url = `${medusa.shop().address}/shop`
    const { page, faults } = await visit(browser, url, { ...DEVICES[device], locale })
    await page.getByRole('button', { name: buy }).click()
    const link = page.getByRole('link', { name: pay })
    await link.waitFor({ timeout: 60_000 })
    await page.getByText(sum, { exact: true }).waitFor()
    await picture(page, `medusa-${device}-open`)
    await page.locator('fps-qr-payment img').waitFor()
    // On another device, while this page waits.
    const session = await page.locator('fps-qr-payment').getAttribute('session')
    await medusa.pay(session ?? '')
    await page.getByText(paid).waitFor({ timeout: 60_000 })
    expect(await page.getByRole('link', { name: pay }).count()).toBe(0)
    await picture(page, `medusa-${device}-paid`)
    expect(faults).toEqual([])
  })
})

test('the payment page leads back to the shop, which shows the paid order', async () => {
  const before = await medusa.orders()
  const { page } = await visit(browser, `${medusa.shop().address}/shop`, { locale: 'ru-RU' })
  await page.getByRole('button', { name: 'Купить' }).dblclick()
  const link = page.getByRole('link', { name: 'Оплатить через СБП' })
  await link.waitFor({ timeout: 60_000 })
  expect(await medusa.orders()).toBe(before + 1)
  await page.reload()
  await link.waitFor({ timeout: 60_000 })
  const session = (await page.locator('fps-qr-payment').getAttribute('session')) ?? ''
  // The public address of the service in the tests is none that a browser can open.
  const { pathname, search } = new URL(String((await medusa.state(session)).pageUrl))
  await page.goto(medusa.service + pathname + search)
  await medusa.pay(session)
  await page.waitForURL(`${medusa.shop().address}/shop?payment_session=${session}`, { timeout: 60_000 })
  await page.getByText('Оплата получена').waitFor({ timeout: 60_000 })
  expect(await page.getByText(/Заказ \d+/).count()).toBe(1)
})

test('a code that ended shows no QR code and no link, and another one can be paid', async () => {
  const { page } = await visit(browser, `${medusa.shop().address}/shop`, { locale: 'ru-RU' })
  await page.getByRole('button', { name: 'Купить' }).click()
  const link = page.getByRole('link', { name: 'Оплатить через СБП' })
  await link.waitFor({ timeout: 60_000 })
  const session = (await page.locator('fps-qr-payment').getAttribute('session')) ?? ''
  const { pathname, search } = new URL(String((await medusa.state(session)).pageUrl))
  await medusa.site.ask(`/sbp/qrCodes/${session}`, { method: 'DELETE' })
  await page.getByText('Срок кода истёк. Платить по нему нельзя').waitFor({ timeout: 60_000 })
  expect(await page.locator('fps-qr-payment').locator('img, a').count()).toBe(0)
  // The session keeps the address of its page, which has nothing to pay with either.
  const { page: ended } = await visit(browser, medusa.service + pathname + search, { locale: 'ru-RU' })
  expect(await ended.locator('h1').count()).toBeGreaterThan(0)
  expect(await ended.locator('form, button, a[href*="qr.nspk.ru"], [role="img"]').count()).toBe(0)
  expect(await ended.getByText('К оплате', { exact: true }).count()).toBe(0)
  await page.getByRole('button', { name: 'Получить новый код' }).click()
  await link.waitFor({ timeout: 60_000 })
  const again = (await page.locator('fps-qr-payment').getAttribute('session')) ?? ''
  expect(again).not.toBe(session)
  await medusa.pay(again)
  await page.getByText('Оплата получена').waitFor({ timeout: 60_000 })
})

test.each(['payment.js', 'payment-element.js'])('a storefront of another origin loads %s', async (script) => {
  const response = await fetch(`${medusa.shop().address}/fps-qr/${script}`)
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': expect.stringMatching(/^text\/javascript/),
    'access-control-allow-origin': '*',
    'cache-control': 'max-age=300',
  })
})
