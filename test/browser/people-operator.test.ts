// The operator in a browser: brings in a café, and helps its owner whose phone is lost.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { OPERATOR } from '../../src/contract/access-token.ts'
import { DEVICES, launch, SCREENSHOTS, visit } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { confirm } from '../support/console-people.ts'
import { virtualAuthenticator } from '../support/virtual-authenticator.ts'

const browser = await launch()
afterAll(() => browser.close())
const service = inject('external')

const photo = (page: Page, name: string) =>
  page.screenshot({ path: `${SCREENSHOTS}/people-operator-${name}.png`, fullPage: true })

/** Texts of the pages. */
const WORDS = {
  ru: {
    newSite: 'Новый сайт',
    siteId: 'Имя сайта',
    name: 'Имя владельца',
    invite: 'Пригласить владельца',
    again: 'Пригласить ещё раз',
    create: 'Создать приглашение',
    remove: 'Удалить сотрудника',
    make: 'Создать ключ доступа и войти',
    signOut: 'Выйти',
    signIn: 'Войти с ключом доступа',
  },
  en: {
    newSite: 'New site',
    siteId: 'siteId',
    name: 'Name of the owner',
    invite: 'Invite an owner',
    again: 'Invite again',
    create: 'Create the invitation',
    remove: 'Remove the person',
    make: 'Make a passkey and sign in',
    signOut: 'Sign out',
    signIn: 'Sign in with a passkey',
  },
}
type Language = keyof typeof WORDS

const optionsOf = (device: keyof typeof DEVICES, language: Language): BrowserContextOptions => ({
  ...DEVICES[device],
  locale: language === 'ru' ? 'ru-RU' : 'en-GB',
  ...(language === 'en' && { colorScheme: 'dark' }),
})

/** A guest, who opens the link and joins. */
async function joined(link: string, device: keyof typeof DEVICES, language: Language) {
  const { page } = await visit(browser, 'about:blank', optionsOf(device, language))
  await virtualAuthenticator(page)
  await page.goto(link)
  await page.getByRole('button', { name: WORDS[language].make }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/join'))
  return page
}

async function signedOut(page: Page, language: Language): Promise<void> {
  await page.goto(`${service.address}/console/me`)
  await page.getByRole('button', { name: WORDS[language].signOut, exact: true }).click()
  await page.getByRole('button', { name: WORDS[language].signIn }).waitFor()
}

describe.each([
  ['ru', 'desktop'],
  ['en', 'phone'],
] as const)('in %s, the operator on a %s', (language, device) => {
  const words = WORDS[language]
  const siteId = `cafe-${language}-${crypto.randomUUID().slice(0, 8)}`
  const linkOf = (page: Page) => page.locator('textarea.secret').inputValue()

  it('brings in a café, whose owner signs in on a phone; and when the phone is lost, invites the owner again', async () => {
    const operator = await signIn(browser, service, OPERATOR, optionsOf(device, language))
    await photo(operator.page, `sites-${language}-${device}`)
    await operator.page.getByRole('link', { name: words.newSite }).click()
    await operator.page.getByLabel(words.siteId).fill(siteId)
    await operator.page.getByLabel(words.name).fill('Анна Петрова')
    await photo(operator.page, `new-site-${language}-${device}`)
    await operator.page.getByRole('button', { name: words.invite }).click()
    const link = await linkOf(operator.page)
    await photo(operator.page, `invitation-${language}-${device}`)

    const owner = await joined(link, 'phone', language)
    await photo(owner, `owner-${language}`)
    await signedOut(owner, language)
    await owner.getByRole('button', { name: words.signIn }).click()
    await owner.waitForURL((url) => !url.pathname.includes('sign-in'))
    expect(await owner.locator('main').textContent()).not.toBe('')

    // The phone is lost, with its session: the operator invites the owner again.
    await operator.open(`operator/sites/${siteId}`)
    await photo(operator.page, `site-${language}-${device}`)
    await operator.page.getByRole('button', { name: words.again }).click()
    const another = await joined(await linkOf(operator.page), 'phone', language)
    await photo(another, `found-${language}`)
    // The page follows the site, and leads to the sign-in by itself.
    await owner.waitForURL((url) => url.pathname.includes('sign-in'))
    await owner.getByRole('button', { name: words.signIn }).click()
    await owner.getByRole('alert').first().waitFor()
    await photo(owner, `lost-${language}`)
    await another.goto(`${service.address}/console/me`)
    expect(await another.locator('main').textContent()).toContain('Анна Петрова')
    await operator.open('operator/audit')
    await photo(operator.page, `audit-${language}-${device}`)
    expect(operator.faults).toEqual([])
  })
})

it.each([
  ['ru', 'desktop'],
  ['en', 'phone'],
] as const)(
  'in %s, on a %s, an operator is invited, joins, and invites another one',
  async (language, device) => {
    const words = WORDS[language]
    const { page, faults, open } = await signIn(browser, service, OPERATOR, optionsOf(device, language))
    const invite = async (at: Page, name: string, confirms?: typeof confirm) => {
      await at.goto(`${service.address}/console/operator/people`)
      await at.locator('[name=name]').fill(name)
      await at.locator('[name=role][value=operator]').check()
      await photo(at, `people-${language}-${device}`)
      await at.getByRole('button', { name: words.create }).click()
      await confirms?.(at)
      return at.locator('textarea.secret').inputValue()
    }
    const own = await joined(await invite(page, `Ольга ${language}`), device, language)
    await own.waitForURL('**/console/operator/sites')
    await own.goto(`${service.address}/console/operator/me`)
    await photo(own, `me-${language}-${device}`)
    const another = await joined(await invite(own, `Пётр ${language}`, confirm), 'phone', language)
    await another.waitForURL('**/console/operator/sites')
    await own.goto(`${service.address}/console/operator/people`)
    await own.getByRole('link', { name: `Пётр ${language}` }).click()
    await photo(own, `person-${language}-${device}`)
    await own.getByRole('link', { name: words.remove }).click()
    await own.getByRole('button', { name: words.remove }).click()
    await confirm(own)
    await own.waitForURL('**/operator/people?done=removed')
    await another.goto(`${service.address}/console/operator/sites`)
    await another.waitForURL((url) => url.pathname.includes('sign-in'))
    await open('operator/audit')
    await photo(page, `audit-people-${language}-${device}`)
    expect(faults).toEqual([])
  },
)
