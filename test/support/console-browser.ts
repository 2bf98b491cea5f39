// Somebody who is signed in to the console of a running service, in a browser.
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { mintToken } from '../../bin/mint-token.ts'
import { type Visit, visit } from './browser.ts'
import type { RunningService } from './browser-services.ts'

export interface SignedIn extends Visit {
  /** Opens a page of the console, by its path below /console/. */
  open(path: string): Promise<void>
}

/** Signs in by the form. */
export async function signIn(
  browser: Browser,
  { address, secret }: RunningService,
  siteId: string,
  { scope = 'merchant:admin', ...options }: BrowserContextOptions & { scope?: string } = {},
): Promise<SignedIn> {
  const token = await mintToken(secret, { siteId, scope, days: 1 })
  const visited = await visit(browser, `${address}/console/sign-in`, options)
  const { page } = visited
  await page.locator('[name=token]').fill(token)
  await page.getByRole('button', { name: /^(Войти|Sign in)$/ }).click()
  await page.waitForURL('**/console/')
  return { ...visited, open: async (path) => void (await page.goto(`${address}/console/${path}`)) }
}
