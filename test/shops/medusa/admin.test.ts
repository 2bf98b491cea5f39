// The administrator in a browser: checks the settings, and returns money that came too late; on a phone and on a desktop.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN } from '../../../shops/medusa/demo/admin.ts'
import { DEVICES, launch, picture } from '../../support/browser.ts'
import { money } from './answers.ts'
import { type Medusa, openMedusa } from './shop.ts'

/** Milliseconds: the first page makes the admin compile its scripts. */
const COMPILED = 180_000

let medusa: Medusa
let browser: Browser
beforeAll(async () => {
  // The pages of the admin come from the server of their development: a build of them takes minutes.
  ;[medusa, browser] = await Promise.all([openMedusa({ ADMIN: 'on', NODE_ENV: 'development' }), launch()])
})
afterAll(async () => {
  await browser?.close()
  await medusa?.close()
})

async function signedIn(path: string, language: 'en' | 'ru', options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  // As the profile of a user sets it.
  await context.addInitScript(`localStorage.setItem('lng', '${language}')`)
  context.setDefaultTimeout(COMPILED)
  const page = await context.newPage()
  const admin = `${medusa.shop().address}/app`
  await page.goto(`${admin}/login`)
  await page.locator('input[name=email]').fill(ADMIN.email)
  await page.locator('input[name=password]').fill(ADMIN.password)
  await page.locator('button[type=submit]').click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
  await page.goto(admin + path)
  return page
}

test('the settings are checked with a button, and what is wrong is named', {
  timeout: 2 * COMPILED,
}, async () => {
  const page = await signedIn('/settings/fps-qr', 'en', DEVICES.desktop)
  const check = page.getByRole('button', { name: 'Check' })
  await check.click()
  await page.getByText('The settings work').waitFor()
  await picture(page, 'medusa-admin-settings')
  await medusa.withoutNotifications(async () => {
    await check.click()
    await page.locator('#fps-qr-settings').getByText('notifications:').waitFor()
  })
  const text = await page.content()
  for (const secret of medusa.secrets) expect(text).not.toContain(secret)
})

test('on a phone, money of a cancelled order goes back after a question', {
  timeout: 2 * COMPILED,
}, async () => {
  const { order, session } = await medusa.order()
  await medusa.cancelByTimer(order)
  await expect.poll(() => medusa.status(session)).toBe('CANCELLED')
  await medusa.pay(session)
  await expect.poll(async () => money(await medusa.read(order)).captures).toEqual([349.9])
  const page = await signedIn(`/orders/${order}`, 'ru', DEVICES.phone)
  const payments = page.locator('#fps-qr-payments')
  await payments.getByText('Оплачено после отмены').waitFor()
  await payments.scrollIntoViewIfNeeded()
  await picture(page, 'medusa-admin-late')
  await payments.getByRole('button', { name: 'Вернуть 349,90 ₽' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText('Вернуть покупателю: 349,90 ₽').waitFor()
  expect(await medusa.income(order)).toMatchObject([{ left: '349.90' }])
  await question.getByRole('button').last().click()
  await payments.getByText('не возвращено: 0,00 ₽').waitFor()
  expect(await payments.getByRole('button').count()).toBe(0)
  expect(await medusa.income(order)).toMatchObject([{ kind: 'late', left: '0.00' }])
})
