// What an owner and an accountant do with payments in the console, in a browser.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it, onTestFinished, vi } from 'vitest'
import { PaymentAnswer } from '../../src/contract/payment.ts'
import { RefundsAnswer } from '../../src/contract/refund.ts'
import { DEVICES, launch, picture } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { portOf } from '../support/ports.ts'
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
  /** Keeps a picture of the page with its style sheet. */
  const keep = async (page: Page, name: string) => {
    await page.waitForLoadState()
    await picture(page, `task-${name}-${device}-${locale.slice(0, 2)}${javaScriptEnabled ? '' : '-noscript'}`)
  }

  it('the owner gives 50 of 350 back, of the page of the code and of that of the payment', async ({
    expect,
  }) => {
    const { shop, made, pay } = await atShop()
    const paymentUid = await pay(350)
    const { page, faults, open } = await signIn(browser, service, shop.siteId, options)
    await open(`payments/${paymentUid}`)
    await page.getByRole('link', { name: words.part }).waitFor()
    await keep(page, 'refund-payment')
    await open(`qr/${encodeURIComponent(made.uid)}`)
    await keep(page, 'refund-code')
    await page.getByRole('link', { name: words.part }).click()
    await page.locator('main form [name=amount]').fill('50')
    await keep(page, 'refund-form')
    await page.getByRole('button', { name: words.goOn }).click()
    await page.getByRole('button', { name: words.refund }).click()
    await page.locator('p.done').waitFor()
    await keep(page, 'refund-done')
    const refunds = RefundsAnswer.parse(await (await shop.ask(`/payments/${paymentUid}/refunds`)).json())
    expect(refunds.map(({ amount }) => amount.value)).toEqual(['50.00'])
    expect(faults).toEqual([])
  })

  it('the owner marks a payment that fits no code as delivered, and undoes it', async ({ expect }) => {
    const { shop, pay, decisionOf } = await atShop()
    const paymentUid = await pay(300)
    const { page, faults, open } = await signIn(browser, service, shop.siteId, options)
    await page.getByRole('link', { name: words.open }).click()
    await keep(page, 'decision-list')
    await page.locator('.rows .name a').click()
    await keep(page, 'decision-payment')
    await page.getByRole('link', { name: words.handedOver, exact: true }).click()
    await page.locator('[name=note]').fill('чек 118, Анна')
    await keep(page, 'decision-form')
    await page.getByRole('button', { name: words.yes }).click()
    await page.locator('p.done').waitFor()
    await keep(page, 'decision-done')
    expect(await decisionOf(paymentUid)).toMatchObject({ value: 'DELIVERED', note: 'чек 118, Анна' })
    await open('')
    expect(await page.getByRole('link', { name: words.open }).count()).toBe(0)
    await open('events')
    await keep(page, 'decision-events')
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
    await keep(page, 'file')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: words.csv }).click()
    const file = readFileSync(await (await download).path(), 'utf8')
    const found = file.split('\r\n').filter((line) => line.includes('"Столик 12; «ужин»"'))
    expect(found.map((line) => line.split(/[;,]/)[0])).toEqual([paymentUid])
  })
})

/** A merchant's server: the bodies of the requests that it took. */
async function receiver() {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push((await request.toArray()).join(''))
    response.writeHead(204).end()
  })
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${await portOf(server)}/`, bodies }
}

it('a developer pastes the body of a request, as the page shows or copies it, into curl', async ({
  expect,
}) => {
  const { url, bodies } = await receiver()
  const shop = await openShop(service, { callbackUrl: url })
  await shop.ask('/settings/notificationKeys', { method: 'POST' })
  await shop.report(await shop.make({ amount: { value: 350 } }), 'COMPLETED', { amount: { value: 350 } })
  await vi.waitFor(() => expect(bodies).toHaveLength(1))
  const { page, open } = await signIn(browser, service, shop.siteId, { locale: 'ru-RU' })
  await open('notifications')
  await page.locator('.rows .name a').first().click()
  const shown = await page.locator('pre').textContent()
  const copied = await page.locator('.card [data-copy]').last().getAttribute('data-copy')
  await page.locator('pre').scrollIntoViewIfNeeded()
  await picture(page, 'task-request-body-desktop-ru')
  for (const text of [shown, copied]) {
    const command = `curl -sS '${url}' -H 'Content-Type: application/json' -d '${text}'`
    await promisify(execFile)('bash', ['-c', command], { timeout: 30_000 })
  }
  const [sent = '', ofPage = '', ofButton] = bodies
  expect(ofButton).toBe(sent)
  expect([JSON.parse(ofPage), /"value": 350\.00,/.test(ofPage)]).toEqual([JSON.parse(sent), true])
})
