// Saved accounts in the console: found by their customer, with their charges, ended (docs/console.md).
import { expect, it } from 'vitest'
import { browserOf } from '../support/console.ts'
import { connected } from '../support/refunds.ts'
import { serviceWith, tokenOf } from '../support/service.ts'
import { tokenSite } from '../support/tokens.ts'

/** Somebody who is signed in to a site, with the scope. */
async function signedIn(scope = 'merchant', fetch = connected) {
  const site = tokenSite()
  const browser = browserOf(fetch)
  await browser.post('/sign-in', { token: await tokenOf({ sub: site.siteId, scope }) })
  const page = async (path: string) =>
    (await browser.get(`${path}${path.includes('?') ? '&' : '?'}lang=en`)).text()
  return { site, browser, page }
}

/** The fields of the form that ends an account. */
const formIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="(code|last4)" value="([^"]*)">/g)].map(
      ([, name, value]) => [name, value],
    ),
  )

const seven = '/accounts?customer=customer-7'

it('a customer’s account is found, with its charges, and without its value; the end button ends it once', async () => {
  const { site, browser, page } = await signedIn()
  const { value, qrCodeUid } = await site.bound()
  await site.bound({ tokenizationAccount: 'customer-8' })
  const charged = await Promise.all([1, 2, 3].map(() => site.make({ amount: { value: 350 } })))
  for (const code of charged) await site.charge(code.qrCodeUid, value)
  expect(await page('/accounts')).toMatch(/customer-8[\s\S]*customer-7/)
  const shown = await page(seven)
  for (const text of ['Account linked', qrCodeUid, value.slice(-4), ...charged.map((code) => code.qrCodeUid)])
    expect(shown).toContain(text)
  for (const text of [value, 'customer-8']) expect(shown).not.toContain(text)
  const fields = formIn(shown)
  expect(fields).toEqual({ code: qrCodeUid, last4: value.slice(-4) })
  for (const location of ['?customer=customer-7&done=ended', '?customer=customer-7']) {
    const response = await browser.post(seven, fields)
    expect([response.status, response.headers.get('Location')]).toEqual([303, location])
  }
  const after = await page(`${seven}&done=ended`)
  expect(after).toContain('The charges of this account have ended')
  expect(after).toContain('Ended by you')
  expect(after).not.toContain('<button class="danger">')
  expect((await site.feed()).filter(({ type }) => type === 'token.deleted')).toHaveLength(1)
})

it('an account whose customer has no identifier is found, and ended', async () => {
  const { site, browser, page } = await signedIn()
  await site.bound({ tokenizationAccount: undefined })
  await site.bound()
  expect(await page('/accounts')).toContain('href="?unnamed=1"')
  const shown = await page('/accounts?unnamed=1')
  await browser.post('/accounts?unnamed=1', formIn(shown))
  expect((await site.tokens('')).map(({ status }) => status)).toEqual(['DELETED'])
  expect((await site.tokens()).map(({ status }) => status)).toEqual(['CREATED'])
})

it('a customer that no code can have finds nothing, and the page without accounts says how they come', async () => {
  const { page } = await signedIn()
  expect(await page('/accounts?customer=%00')).toContain('Nothing found')
  expect(await page('/accounts')).toContain('There are no saved accounts')
})

it('an end that the API refuses is told, and changes nothing', async () => {
  const { site, browser, page } = await signedIn('merchant', serviceWith({}))
  await site.bound()
  const refused = await browser.post(seven, formIn(await page(seven)))
  expect(refused.status).toBe(503)
  expect(await refused.text()).toContain('role="alert"')
  expect((await site.tokens())[0]?.status).toBe('CREATED')
})

it('who only reads sees no accounts', async () => {
  const { browser, page } = await signedIn('merchant:read')
  expect((await browser.get('/accounts')).status).toBe(403)
  expect(await page('/')).not.toContain('href="./accounts"')
})

it('the badge of a code whose account has ended says so', async () => {
  const { site, page } = await signedIn()
  const { qrCodeUid, value } = await site.bound()
  expect(await page(`/qr/${qrCodeUid}`)).toContain('<span class="badge good">Account linked')
  await site.deleteToken(value)
  expect(await page(`/qr/${qrCodeUid}`)).toMatch(/<span class="badge off">Ended/)
})
