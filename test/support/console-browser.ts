// Somebody who is signed in to the console of a running service, in a browser.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { mintToken } from '../../bin/mint-token.ts'
import { OPERATOR } from '../../src/contract/access-token.ts'
import { type Visit, visit } from './browser.ts'
import type { RunningService } from './browser-services.ts'

export interface SignedIn extends Visit {
  /** Opens a page of the console, by its path below that of its site; one of the operator's, below /console/. */
  open(path: string): Promise<void>
}

/** Signs in by the form. @param siteId OPERATOR for the operator */
export async function signIn(
  browser: Browser,
  { address, secret }: RunningService,
  siteId: string,
  {
    scope = siteId === OPERATOR ? 'operator' : 'merchant:admin',
    ...options
  }: BrowserContextOptions & { scope?: string } = {},
): Promise<SignedIn> {
  const token = await mintToken(secret, { siteId, scope, days: 1 })
  const visited = await visit(browser, `${address}/console/sign-in`, options)
  const { page } = visited
  // Where the address can have passkeys, the token is the second way.
  if (!(await page.locator('[name=token]').isVisible())) await page.locator('summary').click()
  await page.locator('[name=token]').fill(token)
  await page.getByRole('button', { name: /^(Войти|Sign in)$/ }).click()
  await page.waitForURL(siteId === OPERATOR ? '**/console/operator/sites' : `**/console/sites/${siteId}/`)
  const base = `${address}/console/${siteId === OPERATOR ? '' : `sites/${siteId}/`}`
  return { ...visited, open: async (path) => void (await page.goto(base + path)) }
}

/** Goes on with the Tab key until an element is focused. @param name what its text or its label begins with */
export async function tabTo(page: Page, element: string, name: string): Promise<void> {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press('Tab')
    const [tag, shown] = await page.evaluate<[string, string]>(`(({ activeElement: each }) => [
      each.tagName.toLowerCase(),
      (each.innerText || each.labels?.[0]?.innerText || each.ariaLabel || '').trim(),
    ])(document)`)
    if (tag === element && shown.startsWith(name)) return
  }
  throw new Error(`the Tab key never came to ${name}`)
}

/** Opens the page of a link by the keyboard. @param name the text of the link, and the heading of its page */
export async function openByKeyboard(page: Page, name: string): Promise<void> {
  await tabTo(page, 'a', name)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Types a text in place of what a field has, by the keyboard. @param label what its label begins with */
export async function typeByKeyboard(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, 'input', label)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(text)
}

/** Presses a button, or opens details, by the keyboard. @param name what its text begins with */
export async function pressByKeyboard(
  page: Page,
  element: 'button' | 'summary',
  name: string,
): Promise<void> {
  await tabTo(page, element, name)
  await page.keyboard.press('Enter')
}
