// The payer's page in a browser, on the real build: what a payer sees and does, and what the merchant hears of it.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { barriers, launch, picture, scanned, visit } from '../support/browser.ts'
import { wranglerDev } from '../support/wrangler-dev.ts'

const service = wranglerDev({ PAYMENT_NETWORK: 'sandbox' })
const token = await mintToken(service.secret, { siteId: 'demo', scope: 'merchant', days: 1 })
let address: string
let browser: Browser

beforeAll(async () => {
  ;[address, browser] = await Promise.all([service.start(), launch()])
})
afterAll(async () => {
  await browser?.close()
  service.dispose()
})

/** The merchant's server. */
const merchant = (
  path: string,
  { headers, ...init }: { headers?: Record<string, string>; method?: string; body?: string } = {},
) =>
  fetch(`${address}/${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
  })
const item = (uid: string) => `payin/v1/sites/demo/sbp/qrCodes/${uid}`

interface Order {
  amount?: number
  [field: string]: unknown
}

/** Creates a QR code: its identifier and its link. */
async function made({ amount, ...more }: Order = {}, qrCode: Record<string, unknown> = {}) {
  const uid = crypto.randomUUID()
  const response = await merchant(item(uid), {
    method: 'PUT',
    body: JSON.stringify({
      qrCode: { type: 'DYNAMIC', ...qrCode },
      paymentPurpose: 'Заказ № 1001: две кружки и чайник',
      ...(amount && { amount: { value: amount } }),
      ...more,
    }),
  })
  return { uid, link: QrCodeAnswer.parse(await response.json()).qrCode.payload }
}
const pay = (uid: string, status = 'COMPLETED') =>
  merchant(`sandbox/v1/sites/demo/qrCodes/${uid}/payments`, {
    method: 'POST',
    body: JSON.stringify({ status }),
  })
const cancel = (uid: string) => merchant(item(uid), { method: 'DELETE' })

/** Waits until the page says so. */
const says = (page: Page, text: string) =>
  page.getByText(text, { exact: true }).first().waitFor({ timeout: 120_000 })
const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

describe.concurrent('a payer', () => {
  it('pays, is told so and led back to the shop, while the merchant hears of it at once', async ({
    expect,
  }) => {
    const { uid, link } = await made({ amount: 1500.5, redirectUrl: `${address}/?thanks` })
    const known = await merchant(item(uid))
    const held = merchant(item(uid), {
      headers: { 'If-None-Match': known.headers.get('ETag') ?? '', Prefer: 'wait=60' },
    })
    const { page, faults } = await visit(browser, link)
    await says(page, 'К оплате')
    await click(page, 'Оплатить')
    await says(page, 'Оплачено')
    expect(page.url()).toBe(link)
    expect(QrCodeAnswer.parse(await (await held).json()).qrCode.status).toBe('PAYED')
    expect(await page.getByRole('link', { name: 'Вернуться в магазин' }).getAttribute('href')).toBe(
      `${address}/?thanks`,
    )
    await page.waitForURL(`${address}/?thanks`, { timeout: 60_000 })
    expect(faults).toEqual([])
  })

  it('declines, and tries again', async ({ expect }) => {
    const { link } = await made({ amount: 10 })
    const { page, faults } = await visit(browser, link)
    await click(page, 'Отклонить')
    await says(page, 'Платёж отклонён, попробуйте ещё раз')
    await click(page, 'Оплатить')
    await says(page, 'Оплачено')
    expect(faults).toEqual([])
  })

  it('sees the time run, and run out', async ({ expect }) => {
    const { link } = await made({ amount: 10 }, { ttl: 1 })
    const { page, faults } = await visit(browser, link)
    const timer = page.getByRole('timer')
    const first = await timer.textContent()
    await expect.poll(() => timer.textContent(), { timeout: 30_000 }).not.toBe(first)
    expect(await timer.textContent()).toMatch(/^0:[0-5]\d$/)
    await says(page, 'Время оплаты истекло')
    expect(faults).toEqual([])
  })

  it('sees what others do, as they do it', async ({ expect }) => {
    const { uid, link } = await made({ amount: 10 })
    const { page, faults } = await visit(browser, link)
    await says(page, 'К оплате')
    await pay(uid, 'DECLINED')
    await says(page, 'Платёж отклонён, попробуйте ещё раз')
    await cancel(uid)
    await says(page, 'Продавец отменил оплату')
    expect(faults).toEqual([])
  })

  it('types the sum where the link has none, and is told where it is none', async ({ expect }) => {
    const { uid, link } = await made()
    const { page } = await visit(browser, link)
    await page.getByLabel('Сумма').fill('сто рублей')
    await click(page, 'Оплатить')
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('Сумма').inputValue()).toBe('сто рублей')
    expect(await barriers(page)).toEqual([])
    await picture(page, 'desktop-light-refused')
    await page.getByLabel('Сумма').fill('1 500,50')
    await click(page, 'Оплатить')
    await says(page, 'Оплачено')
    expect(QrCodeAnswer.parse(await (await merchant(item(uid))).json()).payment?.paymentStatus).toBe(
      'COMPLETED',
    )
  })

  it('is followed again after the network failed', async () => {
    const { uid, link } = await made({ amount: 10 })
    const { page } = await visit(browser, 'about:blank')
    let failures = 0
    await page.route('**/state?*', (route) => (failures++ < 2 ? route.abort() : route.continue()))
    await page.goto(link)
    await pay(uid)
    await says(page, 'Оплачено')
  })

  it('needs no script: the page refreshes itself, takes the form and leads back', async ({ expect }) => {
    const { uid, link } = await made({ amount: 10, redirectUrl: `${address}/?thanks` })
    const { page, faults } = await visit(browser, link, { javaScriptEnabled: false })
    await click(page, 'Отклонить')
    await says(page, 'Платёж отклонён, попробуйте ещё раз')
    await pay(uid)
    await says(page, 'Оплачено')
    await page.waitForURL(`${address}/?thanks`, { timeout: 60_000 })
    expect(faults).toEqual([])
  })

  it('comes from the demonstration and returns to it', async ({ expect }) => {
    const { page, faults } = await visit(browser, `${address}/`)
    await click(page, 'Create a QR code')
    await page.getByRole('img').waitFor()
    expect(await barriers(page)).toEqual([])
    await picture(page, 'desktop-light-demo')
    const link = page.getByRole('link', { name: 'the payer’s page', exact: true })
    expect(await scanned(page)).toBe(await link.getAttribute('href'))
    await link.click()
    await click(page, 'Оплатить')
    await says(page, 'Оплачено')
    await page.waitForURL(`${address}/`, { timeout: 60_000 })
    expect(faults).toEqual([])
  })
})

const looks: Record<string, () => Promise<string>> = {
  created: async () => (await made({ amount: 1500.5 }, { ttl: 15 })).link,
  'sum-to-type': async () => (await made()).link,
  longest: async () =>
    (await made({ amount: 999_999_999.99, paymentPurpose: '<b>"&'.padEnd(140, 'Щ') })).link,
  token: async () =>
    (await made({ tokenizationPurpose: 'Подписка на журнал «Чай»' }, { type: 'TOKEN' })).link,
  declined: async () => changed(await made({ amount: 1500.5 }), (uid) => pay(uid, 'DECLINED')),
  paid: async () => changed(await made({ amount: 1500.5, redirectUrl: `${address}/?thanks` }), pay),
  cancelled: async () => changed(await made({ amount: 1500.5 }), cancel),
  none: async () => (await made({ amount: 1500.5 })).link.replace('sum=150050', 'sum=1'),
}
async function changed(
  { uid, link }: { uid: string; link: string },
  change: (uid: string) => Promise<unknown>,
) {
  await change(uid)
  return link
}

const screens = Object.entries({
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
}).flatMap(([device, viewport]) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    device,
    viewport,
    colorScheme,
    name: `${device}-${colorScheme}`,
  })),
)

describe.concurrent.each(screens)('on a $device, $colorScheme', ({ device, viewport, colorScheme, name }) => {
  it.for(Object.entries(looks))('the page %s has no barrier and fits', async ([look, open], { expect }) => {
    const locale = colorScheme === 'light' ? 'ru-RU' : 'en-GB'
    const link = await open()
    const { page, faults } = await visit(browser, link, { viewport, colorScheme, locale })
    // An answer without content leaves the page where it is.
    await page.route('**/?thanks', (route) => route.fulfill({ status: 204 }))
    await picture(page, `${name}-${look}`)
    expect(await barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
    const shown = await page.getByRole('img').count()
    expect(shown).toBe(device === 'desktop' && !['paid', 'cancelled', 'none'].includes(look) ? 1 : 0)
    if (shown) expect(await scanned(page)).toBe(link)
    expect(faults.filter((fault) => !(look === 'none' && fault.includes('status of 404')))).toEqual([])
    await page.context().close()
  })
})
