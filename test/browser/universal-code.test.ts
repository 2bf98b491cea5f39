// The universal payment QR code, by its name, on each page that shows it: both languages, a phone and a desktop, light and dark, and paper.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { barriers, DEVICES, type DeviceName, launch, picture, visit } from '../support/browser.ts'
import { openShop } from '../support/shop.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const WORDS = {
  'ru-RU': {
    foot: {
      false: 'Универсальный QR-код: оплата через СБП',
      true: 'Универсальный QR-код: оплата через СБП или цифровыми рублями',
    },
    another: 'Универсальный QR-код для другого телефона',
    sheet: {
      false: 'СБП — Система быстрых платежей',
      true: 'СБП или цифровые рубли',
    },
    home: 'Универсальный QR-код для СБП одним запросом',
  },
  'en-GB': {
    foot: {
      false: 'Universal payment QR code: payment by SBP',
      true: 'Universal payment QR code: payment by SBP or with digital roubles',
    },
    another: 'Universal payment QR code for another phone',
    sheet: {
      false: 'СБП (SBP) — Faster Payments System',
      true: 'СБП (SBP) or digital roubles',
    },
    home: 'A universal payment QR code for SBP with one request',
  },
} as const
const LOCALES = ['ru-RU', 'en-GB'] as const

const VISITORS = (['phone', 'desktop'] as DeviceName[]).flatMap((device) =>
  LOCALES.flatMap((locale) => [false, true].map((takesRoubles) => ({ device, locale, takesRoubles }))),
)

/** What is wider than the window, or than the box that cuts it. */
const cutOff = (page: Page) =>
  page.evaluate<
    string[]
  >(`[...document.querySelectorAll('body, body *')].filter((each) => each.scrollWidth > each.clientWidth + 1
    && each.clientWidth > 1 && getComputedStyle(each).overflowX !== 'visible' || each.getBoundingClientRect().right > innerWidth + 1)
    .map((each) => each.outerHTML.slice(0, 80))`)

describe.concurrent('what a payer reads', () => {
  it.for(VISITORS)('on a $device in $locale, digital roubles: $takesRoubles', async (visitor, { expect }) => {
    const { device, locale, takesRoubles } = visitor
    const words = WORDS[locale]
    const shop = await openShop(inject('network'), { name: 'Чайная лавка', digitalRouble: takesRoubles })
    const order = await shop.make()
    const name = `${device}-${locale}-${takesRoubles}`
    for (const colorScheme of ['light', 'dark'] as const) {
      const looks = { ...DEVICES[device], locale, colorScheme }
      const { page, faults } = await visit(browser, order.page, looks)
      expect(await page.locator('.foot').textContent()).toContain(words.foot[`${takesRoubles}`])
      const summary = page.getByText(words.another, { exact: true })
      if (device === 'phone') await summary.tap()
      expect(await page.locator('figure img').getAttribute('alt')).toContain(words.foot.false.slice(1, 20))
      expect(await cutOff(page)).toEqual([])
      expect(await barriers(page)).toEqual([])
      await page.screenshot({ path: `dist/screenshots/code-${name}-${colorScheme}.png`, fullPage: true })
      await page.goto(order.page.replace('?', '/banks?'))
      expect(await cutOff(page)).toEqual([])
      await page.screenshot({
        path: `dist/screenshots/code-banks-${name}-${colorScheme}.png`,
        fullPage: true,
      })
      expect(faults).toEqual([])
    }
  })

  it.for(
    LOCALES.flatMap((locale) => (['phone', 'desktop'] as DeviceName[]).map((device) => ({ locale, device }))),
  )('on the start page in $locale, on a $device', async ({ locale, device }, { expect }) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await visit(browser, inject('sandbox').address, {
        ...DEVICES[device],
        locale,
        colorScheme,
      })
      await page.getByRole('heading', { level: 1, name: WORDS[locale].home }).waitFor()
      expect(await cutOff(page)).toEqual([])
      await picture(page, `code-start-${device}-${locale}-${colorScheme}`)
    }
  })
})

const A6 = { width: 397, height: 559 }

describe.concurrent('a printed sheet with the longest texts', () => {
  it.for(LOCALES.flatMap((locale) => [false, true].map((takesRoubles) => ({ locale, takesRoubles }))))(
    'in $locale, digital roubles: $takesRoubles, fits on A6',
    async ({ locale, takesRoubles }, { expect }) => {
      const shop = await openShop(inject('network'), {
        name: 'Благотворительный фонд «Чайная лавка на углу»',
        digitalRouble: takesRoubles,
      })
      const body = { amount: { value: 999_999_999.99 }, paymentPurpose: 'Щ'.repeat(MAX_PURPOSE) }
      const made = await shop.make(body, { type: 'STATIC', ttl: undefined })
      const { page } = await visit(browser, made.page.replace('?', '/print?'), { locale, viewport: A6 })
      await page.emulateMedia({ media: 'print' })
      expect(await page.locator('.foot').textContent()).toBe(WORDS[locale].sheet[`${takesRoubles}`])
      const boxes = await page.evaluate<{ top: number; bottom: number }[]>(
        `[...document.querySelectorAll('h1, .sheet img, .sum, .purpose, ol, .foot')].map((each) => each.getBoundingClientRect())
          .map(({ top, bottom }) => ({ top, bottom }))`,
      )
      // One below the other, and all on the page.
      for (const [i, { top }] of boxes.entries())
        expect(top).toBeGreaterThanOrEqual((boxes[i - 1]?.bottom ?? 0) - 1)
      expect(boxes.at(-1)?.bottom).toBeLessThanOrEqual(A6.height + 1)
      await picture(page, `code-sheet-${locale}-${takesRoubles}`)
    },
  )
})
