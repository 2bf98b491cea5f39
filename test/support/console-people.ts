// People of a shop who sign in to the console by passkeys, each in a browser of their own.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { visit } from './browser.ts'
import type { SignedIn } from './console-browser.ts'
import type { Shop } from './shop.ts'
import { type VirtualAuthenticator, virtualAuthenticator } from './virtual-authenticator.ts'

/** The host with passkeys: an IP address has none. */
export const local = (url: string): string => url.replace('127.0.0.1', 'localhost')

/** Adds a person by the API. @returns the address of the invitation */
export async function inviteByApi(
  shop: Shop,
  person: { id: string; name: string; role: string; tills?: string[] },
): Promise<string> {
  const answer = await shop.ask('/people', { method: 'POST', body: person })
  const { invitation } = (await answer.json()) as { invitation: { url: string } }
  return local(invitation.url)
}

/** Invites a person by the form, as somebody who confirms it by passkey. @returns the link that the page shows */
export async function inviteByForm(page: Page, name: string, role: string): Promise<string> {
  await fillPerson(page, name, role)
  await confirm(page)
  return linkIn(page)
}

/** Sends the form of a new person. */
export async function fillPerson(page: Page, name: string, role: string): Promise<void> {
  await page.locator('[name=name]').fill(name)
  await page.locator(`[name=role][value=${role}]`).check()
  await page.getByRole('button', { name: /^(Создать приглашение|Create the invitation)$/ }).click()
}

/** The link of the invitation that the page shows. */
export const linkIn = (page: Page): Promise<string> => page.locator('textarea.secret').inputValue()

/** Confirms what the page asks for. */
export const confirm = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^(Подтвердить|Confirm)$/ }).click()

export interface Joined extends SignedIn {
  authenticator: VirtualAuthenticator
}

/** The browser of a guest, who has opened the link. */
export async function guest(browser: Browser, link: string, options: BrowserContextOptions): Promise<Joined> {
  const { page, faults } = await visit(browser, link, options)
  const authenticator = await virtualAuthenticator(page)
  return {
    page,
    faults,
    authenticator,
    open: async (path) => void (await page.goto(new URL(path, baseIn(page.url())).href)),
  }
}

/** Makes a passkey on the page of the invitation, and is signed in. */
export async function join(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^(Создать ключ доступа и войти|Make a passkey and sign in)$/ })
    .click()
  await page.waitForURL((url) => url.pathname.includes('/console/sites/'))
}

/** A guest who has joined. */
export async function joined(
  browser: Browser,
  link: string,
  options: BrowserContextOptions,
): Promise<Joined> {
  const person = await guest(browser, link, options)
  await join(person.page)
  return person
}

/** Where the pages of the site begin that an address is of. */
function baseIn(url: string): string {
  const [base] = /^.*\/console\/sites\/[^/]+\//.exec(url) ?? []
  if (!base) throw new Error(`${url} is of no site`)
  return base
}
