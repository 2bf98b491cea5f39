// The element of the client on the page of a shop that answers late, wrongly, or not at all.
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { barriers, launch } from '../support/browser.ts'

const SCRIPT = stripTypeScriptTypes(readFileSync('client/src/payment-element.ts', 'utf8'))
const PAGE = `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1><my-payment order="a"></my-payment></main>
<script type="module">
  import { PaymentElement } from '/payment-element.js'
  window.events = []
  addEventListener('state', ({ detail }) => events.push(detail))
  addEventListener('again', () => events.push('again'))
  class MyPayment extends PaymentElement {
    static observedAttributes = ['order', 'key']
    get payment() { return this.getAttribute('order') }
    async read(order, signal) { return (await fetch('/orders/' + order, { signal })).json() }
  }
  customElements.define('my-payment', MyPayment)
</script></html>`
const OPEN = {
  ...{ state: 'open', pageUrl: 'https://qr.example/pay/a', expiresOn: '2026-11-29T12:00:00Z' },
  ...{
    amount: { value: '1349.90', currency: 'RUB' },
    picture: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>',
  },
}

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

/** A page whose shop answers as `orders` says: a text is not JSON, undefined is no answer at all. */
async function shopPage(orders: Record<string, unknown>) {
  const page = await browser.newPage()
  const asked: string[] = []
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: PAGE })
    if (pathname === '/payment-element.js')
      return route.fulfill({ contentType: 'text/javascript', body: SCRIPT })
    const order = pathname.split('/').at(-1) ?? ''
    asked.push(order)
    const answer = orders[order]
    if (answer === undefined) return route.abort()
    return route.fulfill({ body: typeof answer === 'string' ? answer : JSON.stringify(answer) })
  })
  await page.goto('http://shop.test/')
  return { page, asked, orders }
}

const says = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()
const eventsOf = (page: Page) => page.evaluate<string[]>('events')

it.each([
  ['no answer', undefined],
  ['HTML', '<html>'],
  ['a state that is none', { state: 'PAYED' }],
])('%s takes nothing from the page that can be paid, and the shop is asked again', async (_, broken) => {
  const { page, orders } = await shopPage({ a: OPEN })
  await says(page, 'Waiting for the payment')
  await says(page, '₽1,349.90')
  expect(await barriers(page)).toEqual([])
  orders.a = broken
  await says(page, 'No connection with the shop. Trying again')
  expect(await page.getByRole('link', { name: 'Pay by SBP' }).getAttribute('href')).toBe(OPEN.pageUrl)
  expect(await page.getByAltText('QR code to pay').count()).toBe(1)
  orders.a = { ...OPEN, state: 'paid' }
  await says(page, 'Payment received')
  expect(await page.locator('img, a').count()).toBe(0)
  expect(await eventsOf(page)).toEqual(['open', 'paid'])
})

it('another order takes the place of the one before at once, and without one the element is empty', async () => {
  const { page, asked } = await shopPage({ a: OPEN, b: { state: 'ended' }, c: null })
  await says(page, 'Waiting for the payment')
  const show = (attributes: Record<string, string>) =>
    page.locator('my-payment').evaluate((element, given) => {
      for (const [name, value] of Object.entries(given)) element.setAttribute(name, value)
    }, attributes)
  const before = asked.length
  await show({ order: 'b', key: 'k' })
  await says(page, 'The code has ended. It cannot be paid')
  // Two attributes are one question.
  expect(asked.slice(before).filter((order) => order === 'b')).toEqual(['b'])
  const again = page.getByRole('button', { name: 'Get another code' })
  await again.click()
  expect(await again.isDisabled()).toBe(true)
  await show({ order: 'c' })
  await says(page, 'No such order')
  await show({ order: '' })
  expect(await page.locator('my-payment').textContent()).toBe('')
  await page.getByText('No such order').waitFor({ state: 'detached' })
  expect(await eventsOf(page)).toEqual(['open', 'ended', 'again'])
})
