// How a payment was made, as its payer and the shop read it in both languages: by SBP, with digital roubles, and where nobody has said it.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { barriers, DEVICES, type DeviceName, launch, picture, visit } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { openShop, type Shop } from '../support/shop.ts'

let shop: Shop
let browser: Browser

beforeAll(async () => {
  ;[shop, browser] = await Promise.all([openShop(inject('external')), launch()])
})
afterAll(() => browser?.close())

const WORDS = {
  'ru-RU': {
    ...{ paid: 'Оплачено', ofPayer: 'Способ оплаты', ofShop: 'Способ' },
    methods: { sbp: 'СБП', digitalRouble: 'Цифровой рубль' },
  },
  'en-GB': {
    ...{ paid: 'Payment received', ofPayer: 'Payment method', ofShop: 'Method' },
    methods: { sbp: 'SBP', digitalRouble: 'Digital rouble' },
  },
} as const

const VISITORS = (['phone', 'desktop'] as DeviceName[]).flatMap((device) =>
  (['ru-RU', 'en-GB'] as const).flatMap((locale) =>
    (['sbp', 'digitalRouble', undefined] as const).map((method) => ({ device, locale, method })),
  ),
)

describe.concurrent('the receipt and the console', () => {
  it.for(VISITORS)('on a $device in $locale: $method', async ({ device, locale, method }, { expect }) => {
    const words = WORDS[locale]
    const shown = method && words.methods[method]
    const looks = {
      ...{ ...DEVICES[device], locale },
      colorScheme: device === 'phone' ? ('light' as const) : ('dark' as const),
    }
    const made = await shop.make()
    const paymentUid = await shop.report(made, 'COMPLETED', { method })

    const { page, faults } = await visit(browser, made.page, looks)
    await page.getByRole('heading', { name: words.paid }).waitFor()
    /** What stands beside a term of the first list that has it. */
    const beside = (of: typeof page, term: string) =>
      of
        .locator('dl > div')
        .filter({ has: of.getByText(term, { exact: true }) })
        .locator('dd')
        .allTextContents()
    expect(await beside(page, words.ofPayer)).toEqual(shown ? [shown] : [])
    expect(await barriers(page)).toEqual([])
    await picture(page, `method-payer-${device}-${locale}-${method}`)

    const signedIn = await signIn(browser, inject('external'), shop.siteId, looks)
    await signedIn.open(`payments/${paymentUid}`)
    expect(await beside(signedIn.page, words.ofShop)).toEqual(shown ? [shown] : [])
    await picture(signedIn.page, `method-payment-${device}-${locale}-${method}`)
    await signedIn.open('payments')
    const row = signedIn.page.getByRole('row').filter({ hasText: made.uid })
    const small = row.locator('.state small')
    expect(await small.allTextContents()).toEqual(shown ? [shown] : [])
    const { width } = DEVICES[device].viewport
    const isWide = await signedIn.page.evaluate<boolean>(`document.documentElement.scrollWidth > ${width}`)
    expect(isWide).toBe(false)
    expect(await barriers(signedIn.page)).toEqual([])
    await picture(signedIn.page, `method-list-${device}-${locale}-${method}`)
    expect([...faults, ...signedIn.faults]).toEqual([])
  })
})
