// A saved account at a bank, as people see it: bound on the payer's page, charged, the charge refunded, ended by its payer.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { bankDeployment } from '../support/bank-deployment.ts'
import { barriers, DEVICES, launch, picture, visit } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import build from '../support/distribution.ts'
import { SECRET } from '../support/secret.ts'
import { PUBLIC_URL } from '../support/serve.ts'

let browser: Browser
beforeAll(async () => {
  build()
  browser = await launch()
})
afterAll(() => browser?.close())

const Charged = z.object({ payment: z.object({ paymentUid: z.string() }) })

it('a customer binds an account on the payer’s page, the merchant charges it and refunds that, the customer ends it; the console shows all', async () => {
  const deployment = await bankDeployment()
  const { banks, config } = deployment
  banks.tbank.terminalUrl = `${config.publicUrl}/webhooks/tbank-cafe`
  const merchant = deployment.merchant('cafe')
  await merchant.ask('/settings', { method: 'PUT', body: { name: 'Чайная лавка' } })

  const binds = {
    tokenizationPurpose: 'Чай каждый месяц',
    tokenizationAccount: 'customer-7',
    amount: undefined,
  }
  const bind = await merchant.make('bind', binds, { type: 'TOKEN' })
  const address = config.service
  const { page, faults } = await visit(browser, bind.pageUrl.replace(PUBLIC_URL, address), DEVICES.phone)
  for (const text of ['Что вы разрешаете', 'Чай каждый месяц', 'Как отменить'])
    await page.getByText(text, { exact: true }).waitFor()
  expect(await page.locator('.consent').textContent()).toContain(
    'магазин «Чайная лавка» сможет списывать с этого счёта любую сумму, не спрашивая вас каждый раз',
  )
  expect(await barriers(page)).toEqual([])
  await picture(page, 'binding-consent-phone')
  expect(await page.locator('[data-bank]').first().getAttribute('href')).toBe(bind.payload)

  // The customer agrees in the bank's app: the page says so by itself.
  await banks.tbank.consent(bind.qrcId, true)
  await page.getByRole('heading', { name: 'Счёт привязан' }).waitFor()
  expect(faults).toEqual([])

  const value = (await merchant.qrCode('bind')).token?.value
  await merchant.make('month-1', { paymentPurpose: 'Чай за ноябрь' })
  const asked = await merchant.ask('/sbp/qrCodes/month-1/payments', {
    body: { token: value, tokenizationAccount: 'customer-7' },
  })
  const { paymentUid } = Charged.parse(JSON.parse(asked.text)).payment
  await merchant.has('month-1', 'PAYED')
  expect((await merchant.refund(paymentUid, 'back', 40)).status).toBe(200)
  await merchant.hasRefund(paymentUid, 'back')

  // The payer has nothing but the old link, and a browser without JavaScript.
  const payer = await visit(browser, bind.pageUrl.replace(PUBLIC_URL, address), {
    ...DEVICES.phone,
    javaScriptEnabled: false,
  })
  const account = payer.page.locator('.account')
  for (const text of ['Сохранённый счёт', 'Чай каждый месяц', '100,00', 'списано', 'Сохраните ссылку'])
    expect(await account.textContent()).toContain(text)
  await picture(payer.page, 'binding-account-phone')
  await payer.page.getByRole('link', { name: 'Запретить списания' }).click()
  await payer.page.getByRole('heading', { name: 'Запретить списания?' }).waitFor()
  await payer.page.getByRole('button', { name: 'Запретить' }).click()
  await payer.page.getByRole('heading', { name: 'Счёт больше не привязан' }).waitFor()
  expect(await account.textContent()).toContain('Вы запретили их')
  await picture(payer.page, 'binding-ended-phone')
  const ended = await visit(browser, page.url(), DEVICES.desktop)
  expect(await barriers(ended.page)).toEqual([])
  expect([...payer.faults, ...ended.faults]).toEqual([])

  const visitor = await signIn(browser, { address, secret: SECRET }, 'cafe')
  const shown = async (path: string) => {
    await visitor.open(path)
    return visitor.page.locator('main').textContent()
  }
  const bound = await shown('qr/bind')
  for (const text of ['Привязка счёта', 'Счёт привязан', 'Привязка удалена', 'покупатель'])
    expect(bound).toContain(text)
  const found = await shown('accounts?customer=customer-7')
  for (const text of ['Запретил покупатель', 'month-1', '100,00']) expect(found).toContain(text)
  expect(await barriers(visitor.page)).toEqual([])
  await picture(visitor.page, 'binding-accounts-desktop')
  const charged = await shown('qr/month-1')
  for (const text of ['Списание начато', 'Возвращён частично', 'Деньги возвращены', '100,00', '40,00'])
    expect(charged).toContain(text)
  await picture(visitor.page, 'binding-charged-desktop')
  const payment = await shown(`payments/${paymentUid}`)
  for (const text of ['Списание с привязанного счёта', '100,00', '40,00']) expect(payment).toContain(text)
  expect(visitor.faults).toEqual([])
  // The refund went to the charge, at the bank too.
  const refunded = Array.from(banks.tbank.sessions.values(), (session) => session.refunded)
  expect(refunded.toSorted()).toEqual([0, 4_000])
})
