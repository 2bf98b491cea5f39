// People at the console: an invitation makes one passkey, a passkey signs in its person, and nothing else does.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FLAGS, type Spoiled, softAuthenticator } from '../support/authenticator.ts'
import { browserOf } from '../support/console.ts'
import {
  byOwner,
  codeOf,
  invited,
  join,
  optionsIn,
  PASSKEY_ORIGIN,
  signInBy,
  signInOptions,
} from '../support/guests.ts'

const newSite = () => `people-${crypto.randomUUID()}`
const OWNER = { id: 'anna', name: 'Анна', role: 'owner' }
const HOUR = 3_600_000

afterEach(() => void vi.useRealTimers())

const rowsOf = (siteId: string, query: string) =>
  runInDurableObject(env.SITES.getByName(siteId), (_, { storage }) => storage.sql.exec(query).toArray())

const owner = async (siteId: string) => join(await invited(siteId, OWNER))

describe('an invitation', () => {
  it('makes a passkey and begins a session', async () => {
    const siteId = newSite()
    const { browser, response } = await owner(siteId)
    expect(response.status).toBe(303)
    const page = await browser.get('/me')
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Анна')])
  })

  it('changes nothing when its page is opened', async () => {
    const siteId = newSite()
    const code = await invited(siteId, OWNER)
    const before = await rowsOf(siteId, 'SELECT * FROM people')
    const page = await browserOf(undefined, PASSKEY_ORIGIN).get(`/join?code=${code}`)
    expect([page.status, await rowsOf(siteId, 'SELECT * FROM people')]).toEqual([200, before])
  })

  it('makes one passkey, however often it is used at once', async () => {
    const siteId = newSite()
    const code = await invited(siteId, OWNER)
    const statuses = (await Promise.all(Array.from({ length: 25 }, () => join(code)))).map(
      ({ response }) => response.status,
    )
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(24)
    expect(await rowsOf(siteId, 'SELECT count(*) AS n FROM passkeys')).toEqual([{ n: 1 }])
  })

  it.each<[string, (siteId: string, code: string) => Promise<unknown>]>([
    ['that was used', (_, code) => join(code)],
    ['that was replaced', (siteId) => byOwner(siteId, '/anna/invitations', { method: 'POST' })],
    ['of a person who was removed', (siteId) => byOwner(siteId, '/anna', { method: 'DELETE' })],
    [
      'that has expired',
      async () => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 73 * HOUR }),
    ],
  ])('%s shows one page, 401', async (_, spoil) => {
    const siteId = newSite()
    const code = await invited(siteId, OWNER)
    await spoil(siteId, code)
    const page = await browserOf(undefined, PASSKEY_ORIGIN).get(`/join?code=${code}`)
    expect([page.status, await page.text()]).toEqual([
      401,
      expect.stringContaining('Это приглашение не действует'),
    ])
  })

  it('that is replaced is refused also to the page that was opened before', async () => {
    const siteId = newSite()
    const code = await invited(siteId, OWNER)
    const browser = browserOf(undefined, PASSKEY_ORIGIN)
    const authenticator = await softAuthenticator()

    const options = optionsIn(await (await browser.get(`/join?code=${code}`)).text())
    const next = codeOf(await (await byOwner(siteId, '/anna/invitations', { method: 'POST' })).json())
    const response = await authenticator.create(options, PASSKEY_ORIGIN)
    expect((await browser.post('/join', { code, response })).status).toBe(401)
    // The challenge is of the earlier invitation.
    expect((await browser.post('/join', { code: next, response })).status).toBe(401)
    expect(await rowsOf(siteId, 'SELECT id FROM passkeys')).toEqual([])
  })

  it('gives the role of its person, whatever the form says', async () => {
    const siteId = newSite()
    await owner(siteId)
    const code = await invited(siteId, { id: 'ivan', name: 'Иван', role: 'accountant' })
    const browser = browserOf(undefined, PASSKEY_ORIGIN)

    const options = optionsIn(await (await browser.get(`/join?code=${code}`)).text())
    const response = await (await softAuthenticator()).create(options, PASSKEY_ORIGIN)
    await browser.post('/join', { code, response, role: 'owner', scope: 'merchant:admin' })
    expect([(await browser.get('/payments')).status, (await browser.get('/keys')).status]).toEqual([200, 403])
  })

  it.each<[string, Spoiled]>([
    ['of another origin', { client: { origin: 'http://evil.example' } }],
    ['of a subdomain', { client: { origin: 'http://a.localhost' } }],
    ['for another host', { rpId: 'evil.example' }],
    ['without user verification', { flags: FLAGS.present | FLAGS.attested }],
    ['in a frame of another site', { client: { crossOrigin: true } }],
  ])('takes no passkey %s', async (_, spoiled) => {
    const siteId = newSite()
    const { response } = await join(await invited(siteId, OWNER), { spoiled })
    expect(response.status).toBe(401)
    expect(await rowsOf(siteId, 'SELECT id FROM passkeys')).toEqual([])
  })
})

describe('a passkey', () => {
  it('signs in its person, in another browser', async () => {
    const siteId = newSite()
    const { authenticator } = await owner(siteId)
    const { browser, response } = await signInBy(authenticator)
    expect([response.status, (await browser.get('/me')).status]).toEqual([303, 200])
  })

  it('signs in at its own site alone', async () => {
    const [one, other] = [newSite(), newSite()]
    const [first, second] = [await owner(one), await owner(other)]
    // The passkey of one site, with the user handle of the other one.
    const browser = browserOf(undefined, PASSKEY_ORIGIN)
    const options = await signInOptions(browser)
    const own = JSON.parse(await first.authenticator.get(options, PASSKEY_ORIGIN))
    const foreign = JSON.parse(await second.authenticator.get(options, PASSKEY_ORIGIN))
    const mixed = { ...own, response: { ...own.response, userHandle: foreign.response.userHandle } }
    const refused = await browser.post('/sign-in/passkey', { response: JSON.stringify(mixed) })
    expect(refused.status).toBe(401)
  })

  it.each<[string, Spoiled]>([
    ['of another origin', { client: { origin: 'http://evil.example' } }],
    ['of a subdomain', { client: { origin: 'http://a.localhost' } }],
    ['for another host', { rpId: 'evil.example' }],
    ['without user verification', { flags: FLAGS.present }],
    ['with an unknown user handle', { response: { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' } }],
    ['without a user handle', { response: { userHandle: undefined } }],
    [
      'with another signature',
      { signature: (bytes) => bytes.map((byte, i) => (i === 20 ? byte ^ 1 : byte)) },
    ],
  ])('%s signs nobody in', async (_, spoiled) => {
    const siteId = newSite()
    const { authenticator } = await owner(siteId)
    const { response } = await signInBy(authenticator, undefined, spoiled)
    expect(response.status).toBe(401)
    expect(await rowsOf(siteId, 'SELECT count(*) AS n FROM person_sessions')).toEqual([{ n: 1 }])
  })

  it('answers a challenge once', async () => {
    const { authenticator } = await owner(newSite())
    const { browser, sent, response } = await signInBy(authenticator)
    const cookies = new Map(browser.cookies)
    expect(response.status).toBe(303)
    expect((await browser.post('/sign-in/passkey', sent)).status).toBe(401)
    expect(cookies.size).toBeGreaterThan(0)
  })

  it('does not answer the challenge of another browser', async () => {
    const { authenticator } = await owner(newSite())
    const options = await signInOptions(browserOf(undefined, PASSKEY_ORIGIN))
    const other = browserOf(undefined, PASSKEY_ORIGIN)
    await signInOptions(other)
    const response = await authenticator.get(options, PASSKEY_ORIGIN)
    expect((await other.post('/sign-in/passkey', { response })).status).toBe(401)
  })

  it('answers the challenge of the first of two pages that a browser has open', async () => {
    const { authenticator } = await owner(newSite())
    const browser = browserOf(undefined, PASSKEY_ORIGIN)
    const options = await signInOptions(browser)
    await signInOptions(browser)
    const response = await authenticator.get(options, PASSKEY_ORIGIN)
    expect((await browser.post('/sign-in/passkey', { response })).status).toBe(303)
  })

  it('does not answer a challenge after five minutes', async () => {
    const { authenticator } = await owner(newSite())
    const browser = browserOf(undefined, PASSKEY_ORIGIN)
    const options = await signInOptions(browser)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 })
    const response = await authenticator.get(options, PASSKEY_ORIGIN)
    expect((await browser.post('/sign-in/passkey', { response })).status).toBe(401)
  })

  it('whose counter does not grow is refused, with an event', async () => {
    const siteId = newSite()
    const code = await invited(siteId, OWNER)
    const { authenticator } = await join(code, { authenticator: await softAuthenticator({ counts: true }) })
    expect((await signInBy(authenticator, undefined, { counter: 9 })).response.status).toBe(303)
    expect((await signInBy(authenticator, undefined, { counter: 9 })).response.status).toBe(401)
    expect(await rowsOf(siteId, "SELECT type FROM events WHERE type = 'passkey.refused'")).toHaveLength(1)
  })

  it('of a person who was removed signs nobody in, and the session ends at once', async () => {
    const siteId = newSite()
    await owner(siteId)
    const { browser, authenticator } = await join(
      await invited(siteId, { id: 'ivan', name: 'Иван', role: 'manager' }),
    )
    expect((await browser.get('/payments')).status).toBe(200)
    await byOwner(siteId, '/ivan', { method: 'DELETE' })
    expect((await browser.get('/payments')).headers.get('Location')).toContain('sign-in')
    expect((await signInBy(authenticator)).response.status).toBe(401)
  })

  it('that was removed ends its sessions', async () => {
    const siteId = newSite()
    await owner(siteId)
    const { browser, authenticator } = await join(
      await invited(siteId, { id: 'ivan', name: 'Иван', role: 'manager' }),
    )
    await byOwner(siteId, `/ivan/passkeys/${authenticator.id}`, { method: 'DELETE' })
    expect((await browser.get('/payments')).headers.get('Location')).toContain('sign-in')
  })
})

it('no page, log line or event has a public key, a challenge or the code of an invitation that it was not asked for', async () => {
  const siteId = newSite()
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  const code = await invited(siteId, OWNER)
  const { authenticator, browser } = await join(code)
  await signInBy(authenticator)
  const events = await rowsOf(siteId, 'SELECT * FROM events')
  const shown = [await (await browser.get('/me')).text(), await (await browser.get('/people/anna')).text()]
  const said = `${lines.join('\n')}${JSON.stringify(events)}`
  for (const secret of [code, authenticator.publicKey]) expect(said).not.toContain(secret)
  for (const page of shown) expect(page).not.toContain(authenticator.publicKey)
  vi.restoreAllMocks()
})
