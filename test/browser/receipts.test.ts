// What people do with receipts (54-FZ), each task from a new site, on a phone and a desktop: the payer, the owner, the accountant.
import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { PaymentReceiptsAnswer } from '../../src/contract/receipts/list.ts'
import { barriers, DEVICES, launch, SCREENSHOTS, visit } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { type Made, openShop, type Shop } from '../support/shop.ts'

const service = inject('sandbox')
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const LOOKS = [
  ['phone-ru', { ...DEVICES.phone, locale: 'ru-RU', colorScheme: 'light' }],
  ['desktop-en', { ...DEVICES.desktop, locale: 'en-GB', colorScheme: 'dark' }],
] as const satisfies [string, BrowserContextOptions][]

const EMAIL = 'ivan.petrov@mail.example'
const CONTACT = { email: EMAIL }

/** Keeps a picture of the page, which has no barrier, and is not wider than the screen. */
async function seen(page: Page, name: string): Promise<void> {
  await page.waitForLoadState()
  await page.screenshot({ path: `${SCREENSHOTS}/receipt-${name}.png`, fullPage: true })
  expect(await barriers(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
}

const settings = (receipts: object = {}) => ({
  name: 'Чайная лавка',
  supportContact: '+7 800 555-01-00',
  legalName: 'ООО «Чайная лавка»',
  taxId: '7707083893',
  receipts: { taxation: 'usnIncome', vat: 'none', ...receipts },
})

const paymentOf = async (shop: Shop, { uid }: Made): Promise<string> => {
  const { payments } = PaymentsAnswer.parse(await (await shop.ask(`/sbp/qrCodes/${uid}/payments`)).json())
  return payments.at(-1)?.paymentId ?? ''
}

const receiptsOf = async (shop: Shop, paymentUid: string) =>
  PaymentReceiptsAnswer.parse(await (await shop.ask(`/payments/${paymentUid}/receipts`)).json()).receipts

/** A payment by the sandbox’s bank, whose receipt has its last state but WAITING and SENT. */
async function paid(shop: Shop, made: Made): Promise<string> {
  const answer = await fetch(made.page, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: service.address },
    body: 'action=pay',
  })
  expect(answer.status).toBe(303)
  const paymentUid = await paymentOf(shop, made)
  await expect
    .poll(async () => (await receiptsOf(shop, paymentUid)).at(-1)?.state)
    .toMatch(/^(REGISTERED|FAILED)$/)
  return paymentUid
}

const WORDS = {
  'phone-ru': {
    field: 'Почта или телефон для чека',
    save: 'Сохранить',
    given: 'Чек придёт туда, куда вы указали',
    pay: 'Имитировать оплату',
    paid: 'Оплачено',
    link: 'Чек',
    test: 'Тест: это не фискальный документ',
  },
  'desktop-en': {
    field: 'E-mail or phone for the receipt',
    save: 'Save',
    given: 'The receipt goes where you said',
    pay: 'Simulate payment',
    paid: 'Payment received',
    link: 'Receipt',
    test: 'Test: not a fiscal document',
  },
} as const

describe.each(LOOKS)('on %s', (look, options) => {
  const words = WORDS[look]

  it.each([true, false])(
    'a customer pays, types an e-mail, and opens the receipt (script: %s)',
    async (javaScriptEnabled) => {
      const shop = await openShop(service, settings({ askContact: true, default: true }))
      const made = await shop.make({ qrCodeUid: 'order-1001' })
      const { page, faults } = await visit(browser, made.page, { ...options, javaScriptEnabled })
      const name = `payer-${look}-${javaScriptEnabled}`
      const picture = (part: string) =>
        javaScriptEnabled
          ? seen(page, `${name}-${part}`)
          : page.screenshot({ path: `${SCREENSHOTS}/receipt-${name}-${part}.png`, fullPage: true })
      await picture('open')
      await page.getByRole('button', { name: words.pay }).click()
      await page.getByRole('heading', { name: words.paid }).waitFor()
      await picture('asked')
      await page.getByLabel(words.field).fill('ivan.petrov')
      await page.getByRole('button', { name: words.save, exact: true }).click()
      await page.getByRole('alert').waitFor()
      await picture('refused')
      expect(await page.getByLabel(words.field).inputValue()).toBe('')
      await page.getByLabel(words.field).fill(EMAIL)
      await page.getByRole('button', { name: words.save, exact: true }).click()
      // It comes by itself; without script the page loads again.
      const link = page.locator('.fiscal').getByRole('link', { name: words.link })
      await link.waitFor({ timeout: 30_000 })
      await picture('registered')
      expect(await page.locator('body').textContent()).not.toContain('ivan')
      const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()])
      await opened.getByText(words.test).waitFor()
      if (javaScriptEnabled) await seen(opened, `${name}-receipt`)
      // The refusal of what was typed is an answer that the browser notes.
      expect(faults.filter((each) => !each.includes('422'))).toEqual([])
    },
  )

  it('what a customer typed and did not save goes when they pay', async () => {
    const shop = await openShop(service, settings({ askContact: true, default: true }))
    const made = await shop.make()
    const { page, faults } = await visit(browser, made.page, options)
    await page.getByLabel(words.field).fill(EMAIL)
    await page.getByRole('button', { name: words.pay }).click()
    await page.getByRole('heading', { name: words.paid }).waitFor()
    await page.locator('.fiscal').getByRole('link', { name: words.link }).waitFor()
    const [document] = await receiptsOf(shop, await paymentOf(shop, made))
    expect(document?.contact).toEqual({ email: 'i…@mail.example' })
    expect(faults).toEqual([])
  })

  it('a guest at a till says where the receipt goes, and opens it; the next guest is asked again', async () => {
    const shop = await openShop(service, settings({ askContact: true, default: true }))
    const till = await shop.make(
      { amount: undefined, paymentPurpose: undefined },
      { type: 'COUNTER', ttl: undefined },
    )
    const arm = (uid: string) =>
      shop.ask(`/sbp/qrCodes/${till.uid}/sales/${uid}`, { method: 'PUT', body: { amount: { value: 350 } } })
    await arm('s-1')
    const { page, faults } = await visit(browser, till.page, options)
    await page.getByLabel(words.field).fill(EMAIL)
    await page.getByRole('button', { name: words.save, exact: true }).click()
    await page.getByText(words.given).waitFor()
    await seen(page, `till-given-${look}`)
    await page.getByRole('button', { name: words.pay }).click()
    await page.locator('.fiscal').getByRole('link', { name: words.link }).waitFor()
    await seen(page, `till-registered-${look}`)
    await arm('s-2')
    const next = await visit(browser, till.page, options)
    await next.page.getByLabel(words.field).waitFor()
    expect(await next.page.locator('.fiscal a').count()).toBe(0)
    expect([...faults, ...next.faults]).toEqual([])
  })

  it('the owner finds out why the receipt of order 1045 failed, corrects the setting, and sends it again', async () => {
    const wrong = { itemName: 'fail-retry', default: true, askContact: true }
    const shop = await openShop(service, settings(wrong))
    const items = [{ name: 'Чай', price: '1500.50' }]
    await paid(shop, await shop.make({ qrCodeUid: '1044', receipt: { contact: CONTACT, items } }))
    const made = await shop.make({ qrCodeUid: '1045' })
    const payer = await visit(browser, made.page, options)
    await payer.page.getByLabel(words.field).fill(EMAIL)
    await payer.page.getByRole('button', { name: words.save, exact: true }).click()
    await payer.page.getByText(words.given).waitFor()
    await seen(payer.page, `payer-given-${look}`)
    const paymentUid = await paid(shop, made)

    const { page, open, faults } = await signIn(browser, service, shop.siteId, options)
    await open('receipts')
    await seen(page, `list-failed-${look}`)
    await page.locator('.cause').getByRole('link', { name: '1045' }).click()
    await page.waitForURL('**/payments/**')
    await page.getByText('test item').waitFor()
    await seen(page, `payment-failed-${look}`)
    await open('receipts')
    await page
      .locator('.cause')
      .getByRole('link', { name: /^(Настройки чеков|Settings of receipts)$/ })
      .click()
    await page.locator('[name=itemName]').fill('Чай и чайник')
    await page.locator('[name=itemName]').blur()
    await page.locator('.sample').getByText('Чай и чайник').waitFor()
    await seen(page, `settings-${look}`)
    await page.locator('form[data-receipts] .primary').click()
    await page.waitForURL('**done=saved')
    await seen(page, `settings-saved-${look}`)
    await open('receipts')
    await page.locator('.cause a[href$="/retry"]').click()
    await page.waitForURL('**/retry')
    await seen(page, `retry-${look}`)
    await page.locator('main form .primary').click()
    await page.waitForURL(/done=retried/)
    await expect.poll(async () => (await receiptsOf(shop, paymentUid)).at(-1)?.state).toBe('REGISTERED')
    expect((await receiptsOf(shop, paymentUid)).at(-1)?.items[0]?.name).toBe('Чай и чайник')
    // The page shows it by itself.
    await page.locator('#receipts .badge.good').waitFor()
    await seen(page, `payment-retried-${look}`)
    expect(faults).toEqual([])
  })

  it('the accountant finds each payment’s receipt number in the file', async () => {
    const shop = await openShop(service, settings())
    const uids: string[] = []
    for (const uid of ['1001', '1002']) {
      const items = [{ name: 'Чай', price: '1500.50' }]
      uids.push(await paid(shop, await shop.make({ qrCodeUid: uid, receipt: { contact: CONTACT, items } })))
    }
    const { page, open, faults } = await signIn(browser, service, shop.siteId, {
      ...options,
      scope: 'merchant:read',
      acceptDownloads: true,
    })
    await open('payments')
    await seen(page, `accountant-payments-${look}`)
    const download = async (name: RegExp) => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name }).click(),
      ])
      return readFile(await file.path(), 'utf8')
    }
    for (const name of [/^(Скачать CSV|Download CSV)$/, /^(Отчёт для бухгалтера|The accountant’s report)$/]) {
      const lines = (await download(name)).split('\r\n')
      for (const uid of uids) {
        const [document] = await receiptsOf(shop, uid)
        const line = lines.find((each) => each.includes(uid)) ?? ''
        const { fn = 'none', fd = 'none', fpd = 'none', number = 'none' } = document?.fiscal ?? {}
        for (const value of [fn, fd, fpd, number]) expect(line).toContain(value)
      }
    }
    await open('receipts')
    await seen(page, `accountant-list-${look}`)
    const documents = await download(/^(Скачать CSV|Download CSV)$/)
    for (const uid of ['1001', '1002']) expect(documents).toContain(uid)
    expect(documents).not.toContain('ivan')
    expect(faults).toEqual([])
  })

  it('a shop takes a prepayment, delivers, and closes it', async () => {
    const shop = await openShop(service, settings())
    const items = [
      { name: 'Чайник заварочный', price: '1000.50', method: 'fullPrepayment' },
      { name: 'Кружка', price: '250.00', quantity: '2', method: 'fullPrepayment' },
    ]
    const paymentUid = await paid(
      shop,
      await shop.make({ qrCodeUid: '1001', receipt: { contact: CONTACT, items } }),
    )
    const { page, open, faults } = await signIn(browser, service, shop.siteId, {
      ...options,
      scope: 'merchant',
    })
    const close = async (name: string) => {
      await open(`payments/${paymentUid}`)
      await seen(page, `prepaid-${name}-${look}`)
      await page.locator('a[href$="/closing"]').click()
      await page.waitForURL('**/closing')
      await seen(page, `closing-${name}-${look}`)
    }
    await close('first')
    await page.getByLabel('Кружка').uncheck()
    await page.locator('main form .primary').click()
    await page.waitForURL(/done=closed/)
    await close('rest')
    await page.locator('main form .primary').click()
    await page.waitForURL(/done=closed/)
    await expect
      .poll(async () => (await receiptsOf(shop, paymentUid)).map(({ state }) => state))
      .toEqual(Array(3).fill('REGISTERED'))
    expect((await receiptsOf(shop, paymentUid)).map(({ kind, amount }) => [kind, amount.value])).toEqual([
      ['sale', '1500.50'],
      ['closing', '1000.50'],
      ['closing', '500.00'],
    ])
    await page.reload()
    await seen(page, `closed-${look}`)
    expect(await page.locator('a[href$="/closing"]').count()).toBe(0)
    expect(faults).toEqual([])
  })
})
