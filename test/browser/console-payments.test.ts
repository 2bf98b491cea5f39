// What an owner and an accountant do with payments in the console, in a browser.
import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { PaymentAnswer } from '../../src/contract/payment.ts'
import { RefundsAnswer } from '../../src/contract/refund.ts'
import { DEVICES, launch, picture } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { openShop } from '../support/shop.ts'

const service = inject('sandbox')
let browser: Browser

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

/** Words of the pages in both languages. */
const WORDS = {
  'ru-RU': {
    ...{ part: /^Вернуть 350,00\s₽ или часть$/, goOn: 'Дальше', refund: /^Вернуть 50,00/ },
    ...{ open: 'Требуют решения: 1', handedOver: 'Товар отдан', yes: 'Да, товар отдан' },
    ...{ undo: 'Отменить отметку', notApplied: 'Не зачтён', csv: 'Скачать CSV' },
  },
  'en-GB': {
    ...{ part: /^Refund \D*350\.00 or a part$/, goOn: 'Next', refund: /^Refund \D*50\.00/ },
    ...{ open: 'Need a decision: 1', handedOver: 'Goods delivered', yes: 'Yes, they were delivered' },
    ...{ undo: 'Undo the mark', notApplied: 'Not applied', csv: 'Download CSV' },
  },
} as const

/** A shop with a code of 350.00. */
async function atShop() {
  const shop = await openShop(service)
  const amount = { value: 350 }
  const made = await shop.make({ amount, paymentPurpose: 'Столик 12; «ужин»' })
  const pay = (value: number) => shop.report(made, 'COMPLETED', { amount: { value } })
  const decisionOf = async (uid: string) =>
    PaymentAnswer.parse(await (await shop.ask(`/payments/${uid}`)).json()).decision
  return { shop, made, pay, decisionOf }
}

describe.each([
  ['phone', 'ru-RU', 'light', true],
  ['desktop', 'en-GB', 'dark', true],
  ['desktop', 'ru-RU', 'light', false],
  ['phone', 'en-GB', 'dark', false],
] as const)('on a %s in %s, %s, script %s', (device, locale, colorScheme, javaScriptEnabled) => {
  const words = WORDS[locale]
  const options = { ...DEVICES[device], locale, colorScheme, javaScriptEnabled }
  const named = (name: string) =>
    `task-${name}-${device}-${locale.slice(0, 2)}${javaScriptEnabled ? '' : '-noscript'}`

  it('the owner gives 50 of 350 back, of the page of the code and of that of the payment', async ({
    expect,
  }) => {
    const { shop, made, pay } = await atShop()
    const paymentUid = await pay(350)
    const { page, faults, open } = await signIn(browser, service, shop.siteId, options)
    await open(`payments/${paymentUid}`)
    await page.getByRole('link', { name: words.part }).waitFor()
    await picture(page, named('refund-payment'))
    await open(`qr/${encodeURIComponent(made.uid)}`)
    await picture(page, named('refund-code'))
    await page.getByRole('link', { name: words.part }).click()
    await page.locator('main form [name=amount]').fill('50')
    await picture(page, named('refund-form'))
    await page.getByRole('button', { name: words.goOn }).click()
    await page.getByRole('button', { name: words.refund }).click()
    await page.locator('p.done').waitFor()
    await picture(page, named('refund-done'))
    const refunds = RefundsAnswer.parse(await (await shop.ask(`/payments/${paymentUid}/refunds`)).json())
    expect(refunds.map(({ amount }) => amount.value)).toEqual(['50.00'])
    expect(faults).toEqual([])
  })

  it('the owner marks a payment that fits no code as delivered, and undoes it', async ({ expect }) => {
    const { shop, pay, decisionOf } = await atShop()
    const paymentUid = await pay(300)
    const { page, faults, open } = await signIn(browser, service, shop.siteId, options)
    await page.getByRole('link', { name: words.open }).click()
    await picture(page, named('decision-list'))
    await page.locator('.rows .name a').click()
    await picture(page, named('decision-payment'))
    await page.getByRole('link', { name: words.handedOver, exact: true }).click()
    await page.locator('[name=note]').fill('чек 118, Анна')
    await picture(page, named('decision-form'))
    await page.getByRole('button', { name: words.yes }).click()
    await page.locator('p.done').waitFor()
    await picture(page, named('decision-done'))
    expect(await decisionOf(paymentUid)).toMatchObject({ value: 'DELIVERED', note: 'чек 118, Анна' })
    await open('')
    expect(await page.getByRole('link', { name: words.open }).count()).toBe(0)
    await open('events')
    await picture(page, named('decision-events'))
    await open(`payments/${paymentUid}`)
    await page.getByRole('button', { name: words.undo }).click()
    await page.locator('.head .badge').getByText(words.notApplied, { exact: true }).waitFor()
    expect(await decisionOf(paymentUid)).toBeUndefined()
    await open('')
    await page.getByRole('link', { name: words.open }).waitFor()
    expect(faults).toEqual([])
  })

  it('an accountant finds a payment by its purpose in the file', async ({ expect }) => {
    const { shop, pay } = await atShop()
    const paymentUid = await pay(350)
    await shop.report(await shop.make({ paymentPurpose: 'Завтрак' }), 'COMPLETED')
    const { page, open } = await signIn(browser, service, shop.siteId, options)
    await open('payments')
    await picture(page, named('file'))
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: words.csv }).click()
    const file = readFileSync(await (await download).path(), 'utf8')
    const found = file.split('\r\n').filter((line) => line.includes('"Столик 12; «ужин»"'))
    expect(found.map((line) => line.split(/[;,]/)[0])).toEqual([paymentUid])
  })
})
