// The sheet of a QR code that is paid many times, as a printer gets it: at 300 dpi two scanners read it.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { read } from '../qr/reading.ts'
import { DEVICES, launch, picture, pixelsOf, visit } from '../support/browser.ts'
import { openShop } from '../support/shop.ts'

/** In CSS pixels, of which an inch has 96. */
const A6 = { width: 397, height: 559 }
const A5 = { width: 559, height: 794 }
const A4 = { width: 794, height: 1123 }
const DPI = 300

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

it.each([
  [
    'STATIC',
    'A6',
    A6,
    'ru-RU',
    '',
    { amount: { value: 999_999_999.99 }, paymentPurpose: 'Щ'.repeat(MAX_PURPOSE) },
  ],
  ['STATIC', 'A5', A5, 'en-GB', '&lang=en', {}],
  ['COUNTER', 'A4', A4, 'ru-RU', '', { amount: undefined, paymentPurpose: undefined }],
])(
  'of a %s code fills a page of %s, and is read from it',
  async (type, size, paper, locale, language, body) => {
    const shop = await openShop(inject('network'), { name: 'Благотворительный фонд «Чайная лавка на углу»' })
    const made = await shop.make(body, { type, ttl: undefined })
    const { page, faults } = await visit(browser, made.page.replace('?', '/print?') + language, {
      locale,
      viewport: paper,
      deviceScaleFactor: DPI / 96,
      colorScheme: 'dark',
    })
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await picture(page, `print-${type}-${size}`)
    expect(read(await pixelsOf(page))).toEqual({ jsqr: made.payload, qr: made.payload })
    const lowest = await page.evaluate<number>(
      "Math.max(...[...document.querySelectorAll('li, .sheet img, .foot')].map((each) => each.getBoundingClientRect().bottom))",
    )
    expect(lowest).toBeLessThanOrEqual(paper.height + 1)
    expect(lowest).toBeGreaterThan(0.95 * paper.height)
    expect(await page.locator('[data-print]').isVisible()).toBe(false)
    const shades = await page.evaluate<string[]>(
      "[...new Set([...document.querySelectorAll('h1, p:not(.shop), li, .foot')].map((each) => getComputedStyle(each).color))]",
    )
    expect(shades).toEqual(['rgb(0, 0, 0)'])
    expect(faults).toEqual([])
  },
)

it.each([
  ['a phone', DEVICES.phone],
  ['a window of 800 × 1130', { viewport: { width: 800, height: 1130 } }],
  ['a window of 1280 × 800', { viewport: { width: 1280, height: 800 } }],
])('is not covered by its buttons on %s', async (name, device) => {
  const shop = await openShop(inject('network'))
  const made = await shop.make({}, { type: 'STATIC', ttl: undefined })
  const { page } = await visit(browser, made.page.replace('?', '/print?'), device)
  await picture(page, `print-on-${name.replace(/\W+/g, '-')}`)
  const covered = await page.evaluate<number>(`{
    const boxes = (selector) => [...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect())
    const buttons = boxes('[data-print], .language')
    buttons.length !== 2 ? NaN : boxes('.sheet > *').filter((each) => buttons.some(
      (button) => button.left < each.right && each.left < button.right && button.top < each.bottom && each.top < button.bottom,
    )).length
  }`)
  expect(covered).toBe(0)
})

it('has the colour of the shop, and on a test site says so; its button prints, and is not printed', async () => {
  const shop = await openShop(inject('sandbox'), { name: 'Чайная', color: '#0f6b3c' })
  const made = await shop.make({ amount: undefined }, { type: 'STATIC', ttl: undefined })
  const { page, faults } = await visit(browser, made.page.replace('?', '/print?'), { colorScheme: 'dark' })
  const band = "getComputedStyle(document.querySelector('.shop')).backgroundColor"
  expect(await page.evaluate<string>(band)).toBe('rgb(15, 107, 60)')
  expect(await page.getByText('СБП — Система быстрых платежей').isVisible()).toBe(true)
  await page.evaluate('window.print = () => { document.title = "printed" }')
  await page.getByRole('button', { name: 'Распечатать' }).click()
  expect(await page.title()).toBe('printed')
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByText('Тестовый стенд: деньги не списываются').isVisible()).toBe(true)
  expect(await page.getByRole('button', { name: 'Распечатать' }).isVisible()).toBe(false)
  expect(faults).toEqual([])
})
