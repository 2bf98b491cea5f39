// People in a browser: they are invited, join by a passkey, sign in, and leave.
import type { Page } from 'playwright-core'
import { afterAll, expect, inject, it } from 'vitest'
import { barriers, DEVICES, launch, SCREENSHOTS } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { fillPerson, guest, join, linkIn } from '../support/console-people.ts'

const browser = await launch()
afterAll(() => browser.close())
const service = inject('external')

/** Keeps a picture of the page, which has no barrier. */
async function photo(page: Page, name: string): Promise<void> {
  await page.waitForLoadState()
  await page.screenshot({ path: `${SCREENSHOTS}/people-${name}.png`, fullPage: true })
  expect(await barriers(page)).toEqual([])
}

it('an owner is invited, joins on a phone, signs out, and signs in by the passkey', async () => {
  const admin = await signIn(browser, service, 'cafe-1')
  await admin.open('people')
  await photo(admin.page, 'empty')
  // A session of a token is not asked for a passkey.
  await fillPerson(admin.page, 'Анна Петрова', 'owner')
  const link = await linkIn(admin.page)
  await photo(admin.page, 'invitation')
  const { page, faults } = await guest(browser, link, DEVICES.phone)
  await photo(page, 'join')
  await join(page)
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
  expect(faults).toEqual([])
})
