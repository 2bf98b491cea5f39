// Names as long as the API takes them: no page of the console is wider than its window.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { OPERATOR } from '../../src/contract/access-token.ts'
import { MAX_PURPOSE } from '../../src/contract/text.ts'
import { signToken } from '../../src/http/access-tokens.ts'
import { launch, visit } from '../support/browser.ts'

const { address, secret } = inject('sandbox')
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

/** Of the widest letter; what no other test has is at its end. */
const long = (letter: string, length: number) =>
  `${letter.repeat(length)}${crypto.randomUUID().replaceAll('-', '')}`.slice(-length)
const siteId = long('W', 64)
const code = long('W', 200)

const now = Math.floor(Date.now() / 1000)
const tokenOf = (sub: string, scope: string) => {
  const key = { keyId: long('W', 128), label: 'Щ'.repeat(60), issuedAt: now, expiresAt: now + 3600 }
  return signToken(secret, { siteId: sub, scope, ...key })
}

async function send(token: string, method: string, path: string, body?: object): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const answer = await fetch(address + path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** An order, and an act of each kind that an operator can do here. */
async function furnish(merchant: string, operator: string): Promise<void> {
  await send(merchant, 'POST', `/payin/v1/sites/${siteId}/sbp/qrCodes`, {
    ...{ qrCodeUid: code, qrCode: { type: 'DYNAMIC' }, amount: { value: 99_999_999.99 } },
    paymentPurpose: 'Щ'.repeat(MAX_PURPOSE),
  })
  const site = `/operator/v1/sites/${siteId}`
  const most = { value: '99999999.99' }
  await send(operator, 'PUT', `${site}/limits`, { maxPayment: most, maxRefundsPerDay: most })
  await send(operator, 'DELETE', `/operator/v1/keys/${long('W', 128)}`)
  await send(operator, 'GET', `${site}/export`)
  await send(operator, 'DELETE', site, { siteId, force: true })
  await send(operator, 'POST', `${site}/restore`)
}

it('no page is wider than its window, with the longest names of everything', async () => {
  const [merchant, operator] = [await tokenOf(siteId, 'merchant:admin'), await tokenOf(OPERATOR, 'operator')]
  await furnish(merchant, operator)
  const pages = {
    [operator]: ['audit', 'sites', `sites/${siteId}`, 'keys', 'stuck'].map((path) => `operator/${path}`),
    [merchant]: ['', 'qr', `qr/${code}`, `search?q=${code.slice(-20)}`, 'keys', 'events', 'settings', 'new'],
  }
  const wide: string[] = []
  for (const width of [390, 1024, 1280])
    for (const [token, paths] of Object.entries(pages)) {
      const { page } = await visit(browser, `${address}/console/sign-in`, {
        viewport: { width, height: 800 },
      })
      await page.locator('[name=token]').fill(token)
      await page.getByRole('button', { name: 'Войти' }).click()
      await page.getByRole('button', { name: 'Выйти' }).waitFor()
      for (const path of paths) {
        await page.goto(`${address}/console/${path}`)
        // An act takes more than a second on a busy machine: then its row has two times.
        await page.evaluate(`for (const each of document.querySelectorAll('.when:has(time > span)'))
          if (!each.querySelector('small')) each.insertAdjacentHTML('beforeend', '<small>Начало: ' + each.innerHTML + '</small>')`)
        const shown = await page.evaluate<number>('document.documentElement.scrollWidth')
        if (shown > width) wide.push(`${path} at ${width}: ${shown}`)
      }
      await page.context().close()
    }
  expect(wide).toEqual([])
})
