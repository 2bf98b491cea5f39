// The script that asks a browser for passkeys, on a page with the policy of the console's pages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { DEVICES, launch } from '../support/browser.ts'
import { virtualAuthenticator } from '../support/virtual-authenticator.ts'

const browser = await launch()
afterAll(() => browser.close())

const ORIGIN = 'http://localhost:8787'
const CHALLENGE = Buffer.alloc(52, 7).toString('base64url')
const HANDLE = Buffer.alloc(16, 1).toString('base64url')
const OPTIONS = {
  create: {
    rp: { id: 'localhost', name: 'Café "Tea" <b>' },
    user: { id: HANDLE, name: 'Anna', displayName: 'Anna' },
    challenge: CHALLENGE,
    pubKeyCredParams: [-7, -257, -8].map((alg) => ({ type: 'public-key', alg })),
    timeout: 300_000,
    excludeCredentials: [] as { type: string; id: string }[],
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  },
  get: {
    rpId: 'localhost',
    challenge: CHALLENGE,
    timeout: 300_000,
    allowCredentials: [] as { type: string; id: string }[],
    userVerification: 'required',
  },
}
const EXPECTED = { expectedChallenge: CHALLENGE, expectedOrigin: ORIGIN, expectedRPID: 'localhost' }

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
const formOf = (method: 'create' | 'get', options: object) => `<!doctype html><title>x</title>
  <script src="/console.js" type="module"></script><script src="/passkeys.js" type="module"></script><main>
  <form method="post" action="/answer" data-passkey="${method}" data-options="${escaped(JSON.stringify(options))}">
    <input type="hidden" name="response" data-response>
    <p role="alert" data-failed hidden>failed</p><p role="alert" data-exists hidden>exists</p>
    <p data-unsupported hidden>unsupported</p><noscript>JavaScript</noscript>
    <button hidden>go</button>
  </form></main>`

/** A page of a service that keeps what forms send. */
async function opened(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ ...DEVICES.phone, ...options })
  const page = await context.newPage()
  const answers: string[] = []
  let html = ''
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.endsWith('.js')) {
      const body = readFileSync(join(import.meta.dirname, '../../public', pathname), 'utf8')
      return route.fulfill({ body, contentType: 'text/javascript' })
    }
    if (pathname === '/answer') {
      const sent = new URLSearchParams(route.request().postData() ?? '')
      answers.push(sent.get('response') ?? '')
      return route.fulfill({ body: '<!doctype html><title>x</title><p>done', contentType: 'text/html' })
    }
    const policy =
      "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'"
    return route.fulfill({
      body: html,
      contentType: 'text/html',
      headers: { 'Content-Security-Policy': policy },
    })
  })
  return {
    page,
    answers,
    async show(method: 'create' | 'get', given: object = OPTIONS[method]) {
      html = formOf(method, given)
      await page.goto(`${ORIGIN}/`)
    },
  }
}

/** The texts and the button that can be seen. */
const seen = async (page: Page) =>
  (await page.locator('form').allInnerTexts()).join().split(/\s+/).filter(Boolean)

it('a new passkey is sent, and a use of it', async () => {
  const { page, answers, show } = await opened()
  const authenticator = await virtualAuthenticator(page)
  await show('create')
  expect(await seen(page)).toEqual(['go'])
  await page.getByRole('button').click()
  await page.getByText('done').waitFor()
  const registered = await verifyRegistrationResponse({ ...EXPECTED, response: JSON.parse(answers[0] ?? '') })
  if (!registered.verified) throw new Error('the passkey is not valid')
  const { credential } = registered.registrationInfo
  expect(await authenticator.credentials()).toEqual([
    { id: credential.id, rpId: 'localhost', handle: HANDLE, counter: expect.any(Number) },
  ])

  await show('get')
  await page.getByRole('button').click()
  await page.getByText('done').waitFor()
  const response = JSON.parse(answers[1] ?? '')
  expect(response.response.userHandle).toBe(HANDLE)
  expect(await verifyAuthenticationResponse({ ...EXPECTED, response, credential })).toMatchObject({
    verified: true,
  })
})

it('who is not recognised is told so, and can try again', async () => {
  const { page, answers, show } = await opened(DEVICES.desktop)
  const authenticator = await virtualAuthenticator(page)
  await authenticator.recognises(false)
  await show('create', { ...OPTIONS.create, timeout: 1000 })
  await page.getByRole('button').click()
  await page.getByRole('alert').waitFor()
  expect([await seen(page), answers]).toEqual([['failed', 'go'], []])
  await authenticator.recognises(true)
  await page.getByRole('button').click()
  await page.getByText('done').waitFor()
  expect(answers).toHaveLength(1)
})

it('a device that has a passkey of the person makes no second one, and a lost one has none', async () => {
  const { page, answers, show } = await opened()
  const authenticator = await virtualAuthenticator(page)
  await show('create')
  await page.getByRole('button').click()
  await page.getByText('done').waitFor()
  const [{ id = '' } = {}] = await authenticator.credentials()
  await show('create', { ...OPTIONS.create, excludeCredentials: [{ type: 'public-key', id }] })
  await page.getByRole('button').click()
  await page.getByRole('alert').waitFor()
  expect([await seen(page), answers.length]).toEqual([['exists', 'go'], 1])

  await authenticator.remove()
  await virtualAuthenticator(page)
  await show('get', { ...OPTIONS.get, allowCredentials: [{ type: 'public-key', id }] })
  await page.getByRole('button').click()
  await page.getByRole('alert').waitFor()
  expect([await seen(page), answers.length]).toEqual([['failed', 'go'], 1])
})

it.each([
  ['PublicKeyCredential', 'delete globalThis.PublicKeyCredential'],
  ['its JSON functions', 'delete PublicKeyCredential.parseCreationOptionsFromJSON'],
  ['toJSON', 'delete PublicKeyCredential.prototype.toJSON'],
])('a browser without %s says that it has no passkeys', async (_, script) => {
  const { page, show } = await opened()
  await page.addInitScript(script)
  await show('create')
  await page.getByText('unsupported').waitFor()
  expect(await seen(page)).toEqual(['unsupported'])
})

it('without JavaScript the page says that a passkey needs it', async () => {
  const { page, show } = await opened({ javaScriptEnabled: false })
  await show('get')
  expect(await seen(page)).toEqual(['JavaScript'])
})
