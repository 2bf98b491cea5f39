// Signing in to the console, and out.
import { expect, it } from 'vitest'
import { browserOf } from '../support/console.ts'

it('a token begins a session, and the page at the start shows whose it is', async () => {
  const browser = browserOf()
  const signedIn = await browser.signIn({ sub: 'shop-1' })
  expect([signedIn.status, signedIn.headers.get('Location')]).toEqual([303, './'])
  const page = await browser.get('/')
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('shop-1')])
})
