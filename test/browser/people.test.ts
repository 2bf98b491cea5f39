// People in a browser: they are invited, join by a passkey, sign in, and leave.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, expect, inject, it } from 'vitest'
import { DEVICES, launch, SCREENSHOTS, visit } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { virtualAuthenticator } from '../support/virtual-authenticator.ts'

const browser = await launch()
afterAll(() => browser.close())
const service = inject('external')

const photo = (page: Page, name: string) =>
  page.screenshot({ path: `${SCREENSHOTS}/people-${name}.png`, fullPage: true })

/** Invites a person by the form. @returns the link that the page shows */
async function invited(page: Page, name: string, role: string): Promise<string> {
  await page.locator('[name=name]').fill(name)
  await page.locator(`[name=role][value=${role}]`).check()
  await page.getByRole('button', { name: /^(Создать приглашение|Create the invitation)$/ }).click()
  return page.locator('textarea.secret').inputValue()
}

/** The phone of a guest, who opens the link and joins. */
async function joined(link: string, options: BrowserContextOptions = DEVICES.phone) {
  const { page, faults } = await visit(browser, 'about:blank', options)
  const authenticator = await virtualAuthenticator(page)
  await page.goto(link)
  await photo(page, `join-${options.locale ?? 'ru'}`)
  await page
    .getByRole('button', { name: /^(Создать ключ доступа и войти|Make a passkey and sign in)$/ })
    .click()
  await page.waitForURL((url) => !url.pathname.endsWith('/join'))
  return { page, faults, authenticator }
}

it('an owner is invited, joins on a phone, signs out, and signs in by the passkey', async () => {
  const admin = await signIn(browser, service, 'cafe-1')
  await admin.open('people')
  await photo(admin.page, 'empty')
  const link = await invited(admin.page, 'Анна Петрова', 'owner')
  await photo(admin.page, 'invitation')
  const { page } = await joined(link)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.goto(`${service.address}/console/me`)
  await photo(page, 'me')
  expect(await page.locator('main').textContent()).toContain('Анна Петрова')
  await page.getByRole('button', { name: 'Выйти', exact: true }).click()
  await page.getByRole('button', { name: 'Войти с ключом доступа' }).waitFor()
  await photo(page, 'sign-in')
  await page.getByRole('button', { name: 'Войти с ключом доступа' }).click()
  await page.waitForURL((url) => !url.pathname.includes('sign-in'))
  await page.goto(`${service.address}/console/people`)
  await photo(page, 'list')
  await page.getByRole('link', { name: 'Анна Петрова' }).click()
  await photo(page, 'person')
})
