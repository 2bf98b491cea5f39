// The start page and the documentation in a browser.
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
    ['documentation', '/docs', 'en-GB'],
  ])('the %s %s in %s has no barrier and fits', async ([, path = '', locale = ''], { expect }) => {
    const { page, faults } = await visit(browser, address + path, { ...DEVICES[device], colorScheme, locale })
    for (const details of await page.locator('details').all())
      await details.evaluate('(each) => each.open = true')
    expect(await barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(DEVICES[device].viewport.width)
    expect(faults).toEqual([])
    await page.context().close()
  })
})

describe('the demonstration', () => {
  it('shows its result in place: the picture, and the status as it changes', async ({ expect }) => {
    const { page, faults } = await visit(browser, `${address}/?lang=en`)
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await page.getByRole('img').waitFor()
    expect(await barriers(page)).toEqual([])
    await picture(page, 'desktop-light-demo')
    const link =
      (await page.getByRole('link', { name: 'Open the payer’s page', exact: true }).getAttribute('href')) ??
      ''
    expect(await scanned(page)).toBe(link)
    await says(page, 'CREATED')
    const payers = await page.context().newPage()
    await payers.goto(link)
    await payers.getByRole('button').first().click()
    // The start page was not touched.
    await says(page, 'PAYED')
    expect(await page.locator('.result [role=status]').textContent()).toContain('Payment received')
    await payers.waitForURL(`${address}/`, { timeout: 60_000 })
    expect(faults).toEqual([])
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

describe('the documentation', () => {
  it('has commands for the service at which it is read, and leads to its start page', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/docs`)
    const [command] = await page.locator('pre').allTextContents()
    expect(command).toContain(`'${address}/payin/v1/sites/`)
    await page.getByRole('link', { name: 'Start page' }).click()
    await page.waitForURL(`${address}/`)
  })

  it('keeps the list of operations in view on a desktop', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/docs#errors`, DEVICES.desktop)
    expect(await page.evaluate('scrollY')).toBeGreaterThan(DEVICES.desktop.viewport.height)
    expect((await page.getByRole('navigation').boundingBox())?.y).toBe(0)
  })

  it('has every operation, by its link', async ({ expect }) => {
    const document = await (await fetch(`${address}/openapi.json`)).json<{
      paths: Record<string, Record<string, { operationId: string; summary: string }>>
    }>()
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const { page } = await visit(browser, `${address}/docs`)
    expect(operations.length).toBeGreaterThan(20)
    for (const { operationId, summary } of operations) {
      expect(await page.locator(`#${operationId} h3`).textContent()).toBe(summary)
      expect(await page.locator(`nav a[href="#${operationId}"]`).count()).toBe(1)
    }
  })
})
