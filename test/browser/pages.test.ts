// The start page in a browser.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { barriers, DEVICES, type DeviceName, launch, picture, scanned, visit } from '../support/browser.ts'

const { address } = inject('sandbox')
let browser: Browser

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const says = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor()

const VIEWS = (['phone', 'desktop'] as DeviceName[]).flatMap((device) =>
  (['light', 'dark'] as const).map((colorScheme) => [device, colorScheme] as const),
)

describe.each(VIEWS)('on a %s, %s', (device, colorScheme) => {
  it.for([
    ['start page', '/', 'ru-RU'],
    ['start page', '/', 'en-GB'],
    ['page of the health', '/healthz', 'ru-RU'],
  ])('the %s %s in %s has no barrier and fits', async ([, path = '', locale = ''], { expect }) => {
    const { page, faults } = await visit(browser, address + path, { ...DEVICES[device], colorScheme, locale })
    await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    expect(await barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(DEVICES[device].viewport.width)
    expect(faults).toEqual([])
  })
})

describe('the demonstration', () => {
  it('shows its result in place: the picture, and the phone that pays without leaving the page', async ({
    expect,
  }) => {
    const { page, faults } = await visit(browser, `${address}/?lang=en`)
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await page.getByRole('img').waitFor()
    expect(await barriers(page)).toEqual([])
    await picture(page, 'desktop-light-demo')
    const link =
      (await page.getByRole('link', { name: 'Open the payer’s page', exact: true }).getAttribute('href')) ??
      ''
    expect(await scanned(page)).toBe(new URL(link, address).href)
    await says(page, 'CREATED')
    const before = page.url()
    const phone = page.getByRole('form', { name: 'The customer’s phone' })
    await phone.getByRole('button').nth(1).click()
    await says(page, 'DECLINED')
    await phone.getByRole('button').first().click()
    await says(page, 'PAYED')
    expect(page.url()).toBe(before)
    expect(await phone.getByRole('button').count()).toBe(0)
    expect(await page.locator('.result [role=status]').textContent()).toContain('Payment received')
    expect(await barriers(page)).toEqual([])
    expect(faults).toEqual([])
  })

  it('asks for the amount on the phone where the QR code has none', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/?lang=en`)
    await page.getByLabel('Amount').fill('')
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    const phone = page.getByRole('form', { name: 'The customer’s phone' })
    await phone.getByRole('textbox').fill('2.50')
    await phone.getByRole('button').first().click()
    await says(page, 'PAYED')
    expect(page.url()).toContain('link=')
  })

  it('leads to the payer’s page without script', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/?lang=en`, { javaScriptEnabled: false })
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await page.getByRole('form', { name: 'The customer’s phone' }).getByRole('button').first().click()
    await page.waitForURL(/\/pay\/demo\//)
    await says(page, 'Оплачено')
  })

  it('copies the request', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/?lang=en`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await says(page, 'Copied')
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      `${address}/payin/v1/sites/demo/sbp`,
    )
  })

  it('shows its errors in the page, and needs no script', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/`, { javaScriptEnabled: false })
    await page.getByLabel('Сумма').fill('0')
    await page.getByRole('button', { name: 'Создать QR-код' }).click()
    await says(page, 'Сервис отклонил запрос: 400 validation.error')
    expect(await page.getByLabel('Сумма').inputValue()).toBe('0')
    await page.getByLabel('Сумма').fill('1')
    await page.getByRole('button', { name: 'Создать QR-код' }).click()
    await says(page, 'CREATED')
  })

  it('does not exist outside the sandbox', async ({ expect }) => {
    const { page } = await visit(browser, inject('external').address)
    await says(page, 'Что дальше')
    expect(await page.locator('form').count()).toBe(0)
  })
})
