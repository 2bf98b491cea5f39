// Every state of the payer's page, on every device, in both languages and both lights: no barrier, no fault, no scroll.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import {
  barriers,
  DEVICES,
  type DeviceName,
  launch,
  picture,
  scanned,
  type Visit,
  visit,
} from '../support/browser.ts'
import { type Made, openShop, type Shop, SUM } from '../support/shop.ts'

const HOSTILE = '"><script>alert(1)</script><b>&amp;\u202eelpmaxe'
const LIGHTS = ['light', 'dark'] as const
const LOCALES = ['ru-RU', 'en-GB'] as const
let browser: Browser

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

interface State {
  isPayable: boolean
  isTimed?: boolean
  /** This browser pays it in the sandbox: what the page shows then. */
  paidHere?: string
  open(shop: Shop): Promise<Made>
}

/** The states, and which of them can be paid. */
const STATES: Record<string, State> = {
  created: { isPayable: true, open: (shop) => shop.make() },
  'sum-to-type': { isPayable: true, open: (shop) => shop.make({ amount: undefined }, { ttl: 4320 }) },
  longest: {
    isPayable: true,
    open: (shop) =>
      shop.make({ amount: { value: 999_999_999.99 }, paymentPurpose: HOSTILE.padEnd(MAX_PURPOSE, 'Щ') }),
  },
  binding: {
    isPayable: true,
    open: (shop) => shop.make({ tokenizationPurpose: 'Подписка на журнал «Чай»' }, { type: 'TOKEN' }),
  },
  'binding-rejected': {
    isPayable: true,
    open: (shop) => changed(shop.make({}, { type: 'TOKEN' }), (made) => shop.rejectBinding(made)),
  },
  declined: {
    isPayable: true,
    open: (shop) =>
      changed(shop.make({ redirectUrl: 'https://shop.example/' }), (made) => shop.report(made, 'DECLINED')),
  },
  paid: {
    isPayable: false,
    open: (shop) =>
      changed(shop.make({ redirectUrl: 'https://shop.example/' }), (made) => shop.report(made, 'COMPLETED')),
  },
  cancelled: {
    isPayable: false,
    open: (shop) => changed(shop.make({ redirectUrl: 'https://shop.example/' }), (made) => shop.cancel(made)),
  },
  static: {
    isPayable: true,
    isTimed: false,
    open: (shop) => shop.make({}, { type: 'STATIC', ttl: undefined }),
  },
  'static-paid-here': {
    isPayable: false,
    paidHere: '[data-kept]',
    open: (shop) => shop.make({}, { type: 'STATIC', ttl: undefined }),
  },
  'static-cancelled': {
    isPayable: false,
    open: (shop) => changed(shop.make({}, { type: 'STATIC', ttl: undefined }), (made) => shop.cancel(made)),
  },
  counter: { isPayable: true, open: (shop) => armedCounter(shop) },
  'counter-paid': {
    isPayable: false,
    open: (shop) => changed(armedCounter(shop), (made) => shop.report(made, 'COMPLETED', { saleUid: 's-1' })),
  },
  'counter-paid-here': { isPayable: false, paidHere: '[data-kept]', open: (shop) => armedCounter(shop) },
  'counter-not-armed': {
    isPayable: false,
    open: (shop) => shop.make({ amount: undefined }, { type: 'COUNTER', ttl: undefined }),
  },
  'counter-cancelled': {
    isPayable: false,
    open: (shop) => changed(armedCounter(shop), (made) => shop.cancel(made)),
  },
  none: {
    isPayable: false,
    open: async (shop) => {
      const made = await shop.make()
      return { ...made, page: made.page.replace('sum=150050', 'sum=1') }
    },
  },
}
/** A COUNTER code that is armed for a sale of SUM. */
const armedCounter = (shop: Shop): Promise<Made> =>
  changed(shop.make({ amount: undefined }, { type: 'COUNTER', ttl: undefined }), async ({ uid }) => {
    const body = { amount: { value: SUM }, paymentPurpose: 'Чай' }
    const armed = await shop.ask(`/sbp/qrCodes/${uid}/sales/s-1`, { method: 'PUT', body })
    if (!armed.ok) throw new Error(await armed.text())
  })
async function payHere(page: Page, result: string): Promise<void> {
  await page.locator('button[value=pay]:visible').click()
  await page.locator(result).waitFor()
}
async function changed(making: Promise<Made>, change: (made: Made) => Promise<unknown>): Promise<Made> {
  const made = await making
  await change(made)
  return made
}

const DEVICE_NAMES: DeviceName[] = ['phone', 'desktop']

describe.each(['sandbox', 'network', 'external'] as const)('of the service %s', (name) => {
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop(inject(name), { name: `Чай ${HOSTILE}`.slice(0, 60), supportContact: HOSTILE })
  })

  describe.each(DEVICE_NAMES)('on a %s', (device) => {
    // Two of the four pairs on each device: every light and every language on each. A page of each pair meets all states.
    const views = LIGHTS.map((colorScheme, i) => ({
      colorScheme,
      locale: LOCALES[(i + (device === 'phone' ? 0 : 1)) % 2] ?? 'ru-RU',
    }))
    const visits: (Visit & (typeof views)[number])[] = []
    beforeAll(async () => {
      const { page: url } = await shop.make()
      for (const view of views)
        visits.push({ ...view, ...(await visit(browser, url, { ...DEVICES[device], ...view })) })
    })
    afterAll(() => Promise.all(visits.map(({ page }) => page.context().close())))
    const states = Object.entries(STATES).filter(([, { paidHere }]) => !paidHere || name === 'sandbox')
    it.for(states)(
      'the page %s has no barrier, fits and is read',
      async ([state, { isPayable, isTimed = isPayable, paidHere, open }], { expect }) => {
        for (const { page, faults, colorScheme, locale } of visits) {
          const made = await open(shop)
          faults.length = 0
          await page.goto(made.page)
          if (paidHere) await payHere(page, paidHere)
          expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2))
          if (name === 'sandbox') await picture(page, `${device}-${colorScheme}-${state}`)
          expect(await barriers(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(
            DEVICES[device].viewport.width,
          )
          const shown = await page.getByRole('img').count()
          // An external service has own links and no list of banks: the picture is the only way.
          expect(shown).toBe((device === 'desktop' || name === 'external') && isPayable ? 1 : 0)
          if (shown) await page.getByRole('img').scrollIntoViewIfNeeded()
          if (shown) expect(await scanned(page)).toBe(made.payload)
          expect(await page.getByRole('timer').count()).toBe(isTimed ? 1 : 0)
          expect(faults.filter((fault) => !(state === 'none' && fault.includes('status of 404')))).toEqual([])
          // It would go on, and to the shop after a while.
          await page.goto('about:blank')
        }
      },
    )
  })
})

describe('what a thumb presses', () => {
  it.each(['sandbox', 'network'] as const)(
    'of the service %s is large, and in the lower half',
    async (name) => {
      const { expect } = await import('vitest')
      const shop = await openShop(inject(name))
      const { page } = await visit(browser, (await shop.make()).page, DEVICES.phone)
      const boxes = await page.evaluate<{ text: string; height: number; y: number }[]>(
        `[...document.querySelectorAll('.button, summary, .language')].filter((each) => each.checkVisibility()).map((each) => {
        const { height, y } = each.getBoundingClientRect()
        return { text: each.textContent.trim(), height, y }
      })`,
      )
      for (const { text, height } of boxes) expect(height, text).toBeGreaterThanOrEqual(44)
      const [primary] = boxes.filter(({ text }) => /Оплатить через СБП|Имитировать оплату/.test(text))
      expect(primary?.height).toBeGreaterThanOrEqual(48)
      expect(primary?.y).toBeGreaterThan(DEVICES.phone.viewport.height / 2)
      expect((primary?.y ?? 0) + (primary?.height ?? 0)).toBeLessThan(DEVICES.phone.viewport.height)
    },
  )
})

describe('the bar with the way on', () => {
  it.each([
    [320, 568],
    [375, 667],
    [390, 844],
  ])('at %i × %i is above everything that scrolls below it', async (width, height) => {
    const { expect } = await import('vitest')
    const shop = await openShop(inject('network'))
    const options = { ...DEVICES.phone, viewport: { width, height } }
    const { page } = await visit(browser, (await shop.make()).page, options)
    await page.locator('summary').first().click()
    const covering = await page.evaluate<string[]>(`(async () => {
      const bar = [...document.querySelectorAll('.bar')].find((each) => each.checkVisibility())
      const found = new Set()
      for (let y = 0; y < document.documentElement.scrollHeight; y += 8) {
        scrollTo(0, y)
        const { top, bottom } = bar.getBoundingClientRect()
        for (let x = 16; x < 40; x += 2)
          for (let at = Math.ceil(top) + 1; at < Math.min(bottom, innerHeight); at += 4) {
            const hit = document.elementFromPoint(x, at)
            if (hit && !bar.contains(hit) && hit.closest('summary')) found.add(hit.tagName)
          }
      }
      return [...found]
    })()`)
    expect(covering).toEqual([])
  })
})
