// The sheet of a QR code that is paid many times, as a printer gets it: A6 at 300 dpi, which two scanners read.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { read } from '../qr/reading.ts'
import { launch, picture, pixelsOf, visit } from '../support/browser.ts'
import { openShop } from '../support/shop.ts'

/** A6 in CSS pixels, of which an inch has 96. */
const A6 = { width: 397, height: 559 }
const DPI = 300

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

it.each([
  ['STATIC', 'ru-RU', '', { amount: { value: 999_999_999.99 }, paymentPurpose: 'Щ'.repeat(MAX_PURPOSE) }],
  ['STATIC', 'en-GB', '&lang=en', {}],
  ['COUNTER', 'ru-RU', '', { amount: undefined, paymentPurpose: undefined }],
])('of a %s code fits on one page and is read from it: %s', async (type, locale, language, body) => {
  const shop = await openShop(inject('network'), { name: 'Благотворительный фонд «Чайная лавка на углу»' })
  const made = await shop.make(body, { type, ttl: undefined })
  const { page, faults } = await visit(browser, made.page.replace('?', '/print?') + language, {
    locale,
    viewport: A6,
    deviceScaleFactor: DPI / 96,
    colorScheme: 'dark',
  })
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await picture(page, `print-${type}-${locale}`)
  expect(read(await pixelsOf(page))).toEqual({ jsqr: made.payload, qr: made.payload })
  const lowest = await page.evaluate<number>(
    "Math.max(...[...document.querySelectorAll('li, img, .foot')].map((each) => each.getBoundingClientRect().bottom))",
  )
  expect(lowest).toBeLessThanOrEqual(A6.height + 1)
  const shades = await page.evaluate<string[]>(
    "[...new Set([...document.querySelectorAll('h1, p, li, .foot')].map((each) => getComputedStyle(each).color))]",
  )
  expect(shades).toEqual(['rgb(0, 0, 0)'])
  expect(faults).toEqual([])
})
