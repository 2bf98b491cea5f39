// The console in a browser: the day of a shop, on a phone and on a desktop, with and without script.
import { createServer } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { RefundsAnswer } from '../../src/contract/refund.ts'
import { DEVICES, launch } from '../support/browser.ts'
import { openByKeyboard, pressByKeyboard, signIn, tabTo, typeByKeyboard } from '../support/console-browser.ts'
import { furnishedShop } from '../support/furnished-shop.ts'
import { portOf } from '../support/ports.ts'
import { openShop } from '../support/shop.ts'

const sandbox = inject('sandbox')
const external = inject('external')
let browser: Browser

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

/** Words of the pages in both languages. */
const WORDS = {
  'ru-RU': {
    ...{
      newCode: 'Новый QR-код',
      uid: 'Номер',
      create: 'Создать',
      created: 'QR-код создан',
      open: 'Открыть',
    },
    ...{ waiting: 'Ждёт оплаты', paid: 'Оплачен', pay: 'Имитировать оплату', refund: 'Вернуть' },
    ...{ sold: 'Оплачена', saleReturned: 'Возвращена' },
    ...{ accepted: /принят: банк|^Возвращено/, partly: 'Возвращён частично', refunded: 'Возвращён' },
    ...{ payerPart: /Возвращено/, payerAll: 'Деньги возвращены' },
  },
  'en-GB': {
    ...{
      newCode: 'New QR code',
      uid: 'Identifier',
      create: 'Create',
      created: 'QR code created',
      open: 'Open',
    },
    ...{ waiting: 'Awaiting payment', paid: 'Paid', pay: 'Simulate payment', refund: 'Refund' },
    ...{ sold: 'Paid', saleReturned: 'Refunded' },
    ...{ accepted: /accepted: the bank|was refunded$/, partly: 'Partly refunded', refunded: 'Refunded' },
    ...{ payerPart: /Refunded/, payerAll: 'Payment refunded' },
  },
} as const

const badge = (page: Page, text: string) => page.locator('.head .badge').getByText(text, { exact: true })

/** Refunds by the button of a page, its form and its question. @returns what the form offered */
async function refundOf(page: Page, verb: string, amount?: string): Promise<string> {
  await page
    .getByRole('link', { name: new RegExp(`^${verb} `) })
    .first()
    .click()
  const field = page.locator('main form [name=amount]')
  const offered = await field.inputValue()
  if (amount !== undefined) await field.fill(amount)
  await page.locator('main form .primary').click()
  await page.locator('[name=confirmed]').waitFor({ state: 'attached' })
  await page.locator('main form .primary').click()
  return offered
}

/** Loads the page until it shows what is looked for: a page without script does not change by itself. */
async function reloaded(page: Page, isLive: boolean, shows: () => Promise<void>): Promise<void> {
  if (isLive) return shows()
  for (;;) {
    await page.reload()
    const isShown = await shows().then(
      () => true,
      () => false,
    )
    if (isShown) return
  }
}

describe.each([
  ['phone', 'ru-RU', true],
  ['desktop', 'en-GB', true],
  ['phone', 'en-GB', false],
  ['desktop', 'ru-RU', false],
] as const)('on a %s in %s, script %s', (device, locale, javaScriptEnabled) => {
  it('a code is made, paid, shown as paid, returned in two parts, and shown so to both sides', async ({
    expect,
  }) => {
    const { siteId } = await openShop(sandbox)
    const options = { ...DEVICES[device], locale, javaScriptEnabled }
    const { page, faults, open } = await signIn(browser, sandbox, siteId, options)
    const words = WORDS[locale]
    const shown = (text: string) => badge(page, text).waitFor(javaScriptEnabled ? {} : { timeout: 2000 })

    await page.getByRole('link', { name: words.newCode }).first().click()
    await page.getByLabel(words.uid, { exact: false }).first().fill('order 7/а')
    await page.locator('[name=amount]').fill('1 500,50')
    await page.locator('[name=paymentPurpose]').fill('Чай')
    if (javaScriptEnabled) await page.locator('[data-shown=amount]', { hasText: /1.?500[.,]50/ }).waitFor()
    await page.getByRole('button', { name: words.create }).click()
    await page.getByText(words.created, { exact: true }).waitFor()
    await badge(page, words.waiting).waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('order 7/а')

    const payer = await page.context().newPage()
    payer.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    await payer.goto(
      (await page.getByRole('link', { name: words.open, exact: true }).getAttribute('href')) ?? '',
    )
    await payer.getByRole('button', { name: words.pay }).click()
    await payer.locator('main.final').waitFor()
    await reloaded(page, javaScriptEnabled, () => shown(words.paid))

    await refundOf(page, words.refund, '500,50')
    await page.locator('p.done').getByText(words.accepted).waitFor()
    await reloaded(page, javaScriptEnabled, () => shown(words.partly))
    await payer.reload()
    await payer.getByText(words.payerPart).first().waitFor()

    expect(await refundOf(page, words.refund)).toBe('1000')
    await page.locator('p.done').getByText(words.accepted).waitFor()
    await reloaded(page, javaScriptEnabled, () => shown(words.refunded))
    expect(await page.locator('main a[href*="/refund"]').count()).toBe(0)
    await page.locator('.amount s').waitFor()
    await payer.reload()
    await payer.getByText(words.payerAll).first().waitFor()

    await open('payments')
    await page.locator('.rows .badge').getByText(words.refunded, { exact: true }).waitFor()
    expect(await page.locator('.rows s').count()).toBe(1)
    await open('qr')
    await page.locator('.rows .badge').getByText(words.refunded, { exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it('a till is armed for 250, is paid, and shows it', async ({ expect }) => {
    const { siteId } = await openShop(sandbox)
    const options = { ...DEVICES[device], locale, javaScriptEnabled }
    const { page, faults, open } = await signIn(browser, sandbox, siteId, options)
    await open('tills')
    await page.locator('[name=uid]').fill('kassa-1')
    await page.locator('main form button').last().click()
    await page.locator('[name=amount]').fill('250')
    await page.locator('.till button').click()
    await page.locator('.till.active').waitFor()
    expect(await page.locator('.till.active .amount').textContent()).toContain('250')

    const payer = await page.context().newPage()
    await open('qr/kassa-1')
    await payer.goto(
      (await page.getByRole('link', { name: WORDS[locale].open, exact: true }).getAttribute('href')) ?? '',
    )
    await open('tills/kassa-1')
    await payer.getByRole('button', { name: WORDS[locale].pay }).click()
    await payer.locator('[data-kept]').waitFor()
    await reloaded(page, javaScriptEnabled, () =>
      page
        .locator('.rows .badge.good')
        .getByText(WORDS[locale].sold, { exact: true })
        .waitFor(javaScriptEnabled ? {} : { timeout: 2000 }),
    )
    await page.locator('.till [name=amount]').waitFor()

    await page.locator('.rows .name a').click()
    await refundOf(page, WORDS[locale].refund)
    await page.locator('p.done').getByText(WORDS[locale].accepted).waitFor()
    await open('tills/kassa-1')
    await reloaded(page, javaScriptEnabled, () =>
      page
        .locator('.rows .badge')
        .getByText(WORDS[locale].saleReturned, { exact: true })
        .waitFor(javaScriptEnabled ? {} : { timeout: 2000 }),
    )
    expect(faults).toEqual([])
  })
})

it('a notification that failed comes first, shows its body and its attempts, and is delivered again', async ({
  expect,
}) => {
  let status = 410
  const bodies: string[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      bodies.push(body)
      response.writeHead(status).end()
    })
  })
  const port = await portOf(receiver)
  const shop = await openShop(sandbox, { callbackUrl: `http://127.0.0.1:${port}/` })
  await shop.ask('/settings/notificationKeys', { method: 'POST' })
  const made = await shop.make()
  await shop.report(made, 'COMPLETED')
  const { page, faults, open } = await signIn(browser, sandbox, shop.siteId, { locale: 'en-GB' })
  await open('notifications')
  // The page shows by itself that it has failed.
  await page.getByRole('heading', { name: 'Failed' }).waitFor()
  await page.locator('.rows a', { hasText: 'Payment' }).first().click()
  await page.getByText('410', { exact: true }).waitFor()
  expect(await page.locator('pre').textContent()).toContain(`"qrCodeUid": "${made.uid}"`)
  status = 204
  await page.getByRole('button', { name: 'Deliver again' }).click()
  await page.locator('.head .badge').getByText('Delivered', { exact: true }).waitFor()
  expect(bodies).toHaveLength(2)
  await open('notifications')
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText(/^Test notification: 204/).waitFor()
  expect(faults).toEqual([])
  receiver.close()
})

it('a second payment is flagged, says what to do, and is returned', async ({ expect }) => {
  const shop = await openShop(sandbox)
  const made = await shop.make()
  await shop.report(made, 'COMPLETED')
  await shop.report(made, 'COMPLETED')
  const { page, faults } = await signIn(browser, sandbox, shop.siteId, { locale: 'en-GB' })
  await page.getByRole('link', { name: 'Need a decision: 1' }).click()
  await page.getByText('this is a second payment', { exact: false }).waitFor()
  await page.locator('.rows .name a').click()
  await refundOf(page, 'Refund')
  await page.locator('.head .badge').getByText('Refunded', { exact: true }).waitFor()
  expect(await page.getByText('this is a second payment', { exact: false }).count()).toBe(0)
  expect(await page.locator('main a[href*="/refund"]').count()).toBe(0)
  expect(faults).toEqual([])
})

it('a search from any page finds a payment by its identifier and by that of its refund', async ({
  expect,
}) => {
  const shop = await openShop(external)
  const made = await shop.make()
  const paymentUid = await shop.report(made, 'COMPLETED')
  await shop.refund(paymentUid, 1)
  const [refund] = RefundsAnswer.parse(await (await shop.ask(`/payments/${paymentUid}/refunds`)).json())
  const { page, open } = await signIn(browser, external, shop.siteId, { locale: 'en-GB' })
  const searchFor = async (text: string) => {
    await page.getByRole('searchbox').fill(text)
    await page.keyboard.press('Enter')
  }
  await searchFor(paymentUid)
  await page.locator('.rows .name').getByText(made.uid).click()
  await page.waitForURL(`**/payments/${paymentUid}`)
  await searchFor(refund?.refundId ?? '')
  await page.locator('.rows .name a').click()
  await page.waitForURL(`**/payments/${paymentUid}`)
  const download = page.waitForEvent('download')
  await open('payments')
  await page.getByRole('link', { name: 'Download CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^payments-.*\.csv$/)
})

it('an owner on a phone finds the payment of an order and returns a part of it in seven taps', async ({
  expect,
}) => {
  const shop = await openShop(sandbox)
  const made = await shop.make({ qrCodeUid: `заказ-${crypto.randomUUID()}`, amount: { value: 337.5 } })
  const paymentUid = await shop.report(made, 'COMPLETED', { amount: { value: 337.5 } })
  const { page, faults } = await signIn(browser, sandbox, shop.siteId, { ...DEVICES.phone, locale: 'ru-RU' })
  let taps = 0
  const tap = async (locator: ReturnType<Page['locator']>) => {
    await locator.tap()
    taps += 1
  }
  await tap(page.getByRole('searchbox'))
  await page.keyboard.type(made.uid.slice(0, 20).toUpperCase())
  // The key of the keyboard on the screen.
  await page.keyboard.press('Enter')
  taps += 1
  await tap(page.locator(`.rows a[href*="payments/${paymentUid}"]`))
  await tap(page.getByRole('link', { name: /^Вернуть 337,50/ }))
  await tap(page.locator('main form [name=amount]'))
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('100')
  await tap(page.getByRole('button', { name: 'Дальше' }))
  expect(RefundsAnswer.parse(await (await shop.ask(`/payments/${paymentUid}/refunds`)).json())).toEqual([])
  await page.getByText(/можно будет вернуть ещё 237,50/).waitFor()
  await tap(page.getByRole('button', { name: /^Вернуть 100,00/ }))
  await page.locator('p.done').getByText(WORDS['ru-RU'].accepted).waitFor()
  const refunds = RefundsAnswer.parse(await (await shop.ask(`/payments/${paymentUid}/refunds`)).json())
  expect([taps, refunds.map(({ amount }) => amount.value)]).toEqual([7, ['100.00']])
  expect(faults).toEqual([])
})

it('the keyboard alone makes a code and cancels it', async ({ expect }) => {
  const { siteId } = await openShop(external)
  const { page, faults } = await signIn(browser, external, siteId, { locale: 'en-GB' })
  await tabTo(page, 'a', 'To the content')
  await openByKeyboard(page, 'QR codes')
  await openByKeyboard(page, 'New QR code')
  await typeByKeyboard(page, 'Identifier', 'by-keyboard')
  await typeByKeyboard(page, 'Amount', '10,50')
  await pressByKeyboard(page, 'button', 'Create')
  await page.getByRole('heading', { level: 1, name: 'by-keyboard' }).waitFor()
  await pressByKeyboard(page, 'summary', 'Cancel the QR code')
  await pressByKeyboard(page, 'button', 'Yes, cancel it')
  await page.locator('.head .badge').getByText('Cancelled', { exact: true }).waitFor()
  expect(faults).toEqual([])
})

it('a page that the browser keeps after it is left waits for nothing, and goes on when it is back', async ({
  expect,
}) => {
  const shop = await openShop(external)
  const { page } = await signIn(browser, external, shop.siteId)
  await Promise.all([page.waitForRequest(/\/feed\?after=/), page.reload()])
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/feed?after='))
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
  await ended
  const again = page.waitForRequest(/\/feed\?after=/)
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
  await again
  const made = await shop.make()
  await shop.report(made, 'COMPLETED')
  await page
    .getByText(/1\s500,50/)
    .first()
    .waitFor()
  expect(page.url()).toMatch(/\/console\/sites\/[^/]+\/$/)
})

it('who only reads sees no way to change anything', async ({ expect }) => {
  const { shop, payments } = await furnishedShop(external)
  const { page, open } = await signIn(browser, external, shop.siteId, { scope: 'merchant:read' })
  for (const path of [
    '',
    'qr',
    `payments/${payments.applied}`,
    'tills',
    'tills/till-1',
    'tills/till-2',
    'notifications',
  ]) {
    await open(path)
    expect({ path, forms: await page.locator('main form[method=post]').count() }).toEqual({ path, forms: 0 })
  }
})
