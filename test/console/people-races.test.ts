// Acts of people that meet: an act is checked when it is done, and one that is sent twice is done once.
import { runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SiteStub } from '../../src/gateway/context.ts'
import { browserOf } from '../support/console.ts'
import {
  byOwner,
  codeOf,
  type Guest,
  invited,
  join,
  optionsIn,
  PASSKEY_ORIGIN,
  signInBy,
} from '../support/guests.ts'
import { questionIn } from '../support/passkey-pages.ts'
import { answerTo, confirmed } from '../support/person-browser.ts'
import { connected, refundingSite } from '../support/refunds.ts'
import { CONNECTOR, serviceWith } from '../support/service.ts'

afterEach(() => void vi.restoreAllMocks())

type Fetch = typeof connected

/** The deployed Worker, whatever else a test has. */
const deployed: Fetch = (request) => exports.default.fetch(request)

const rowsOf = (siteId: string, query: string) =>
  runInDurableObject(env.SITES.getByName(siteId), (_, { storage }) => storage.sql.exec(query).toArray())

/** A person of a site, who is signed in. @param through what the browser's requests reach */
async function person(siteId: string, id: string, role: string, through: Fetch = deployed) {
  const code = await invited(siteId, { id, name: `Name of ${id}`, role })
  return join(code, { browser: browserOf(through, PASSKEY_ORIGIN) })
}

/** A service that does something around each call of one method of the object. */
const around = (method: keyof SiteStub, work: (call: () => Promise<unknown>) => Promise<unknown>): Fetch =>
  serviceWith({
    settings: CONNECTOR,
    sleep: async (milliseconds) => {
      if (milliseconds > 1000) await new Promise(() => {})
    },
    site: (siteId) =>
      new Proxy(env.SITES.getByName(siteId), {
        get: (target, name) =>
          name === method
            ? (...given: unknown[]) =>
                work(() => Reflect.apply(Reflect.get(env.SITES.getByName(siteId), name), undefined, given))
            : Reflect.get(target, name),
      }),
  })

/** A service that holds the calls of a method until they are let go. */
function holding(method: keyof SiteStub) {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const fetch = around(method, async (call) => {
    arrived.resolve()
    await released.promise
    return call()
  })
  return { fetch, arrived: arrived.promise, release: () => released.resolve() }
}

/** A service that does what it is asked, and loses the first answer: the Worker repeats the call, or the user the request. */
function losing(method: keyof SiteStub, isRepeated: boolean): Fetch {
  let isLost = true
  return around(method, async (call) => {
    const outcome = await call()
    // Without a confirmation nothing is done.
    if (!isLost || (outcome instanceof Object && 'ok' in outcome && !outcome.ok)) return outcome
    isLost = false
    throw isRepeated ? Object.assign(new Error('lost'), { retryable: true }) : new Error('SQLITE_FULL')
  })
}

/** Sends forms of people at once, after each is asked for a confirmation. */
async function atOnce(...forms: [Guest, string, Record<string, string>?][]): Promise<Response[]> {
  const answers = await Promise.all(
    forms.map(async ([{ browser, authenticator }, path, fields]) => {
      const answer = await answerTo(await questionIn(await browser.post(path, fields)), authenticator)
      return () => browser.post(path, answer)
    }),
  )
  return Promise.all(answers.map((send) => send()))
}

it('of two owners who remove each other at once, one stays', async () => {
  for (let i = 0; i < 5; i++) {
    const { siteId } = refundingSite()
    const [anna, boris] = [await person(siteId, 'anna', 'owner'), await person(siteId, 'boris', 'owner')]
    const answers = await atOnce([anna, '/people/boris/remove'], [boris, '/people/anna/remove'])
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.map(({ status }) => status).toSorted()[1]).toBeGreaterThan(400)
    expect(await rowsOf(siteId, 'SELECT count(*) AS n FROM people WHERE removed_at IS NULL')).toEqual([
      { n: 1 },
    ])
  }
})

it('two owners who make each other accountants at once leave one owner', async () => {
  const { siteId } = refundingSite()
  const [anna, boris] = [await person(siteId, 'anna', 'owner'), await person(siteId, 'boris', 'owner')]
  const answers = await atOnce(
    [anna, '/people/boris', { name: 'Борис', role: 'accountant' }],
    [boris, '/people/anna', { name: 'Анна', role: 'accountant' }],
  )
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  expect(await rowsOf(siteId, "SELECT count(*) AS n FROM people WHERE role = 'owner'")).toEqual([{ n: 1 }])
})

it('of two last owners whom a key removes at once, one stays', async () => {
  const { siteId } = refundingSite()
  for (const id of ['anna', 'boris']) await person(siteId, id, 'owner')
  const answers = await Promise.all(
    ['/anna', '/boris'].map((path) => byOwner(siteId, path, { method: 'DELETE' })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409])
})

describe('a refund on its way to the object', () => {
  it.each<[string, (siteId: string, passkey: string) => Promise<Response>, number]>([
    ['whose person is removed', (siteId) => byOwner(siteId, '/ivan', { method: 'DELETE' }), 401],
    [
      'whose person becomes a cashier',
      (siteId) => byOwner(siteId, '/ivan', { method: 'PATCH', body: { role: 'cashier' } }),
      403,
    ],
    [
      'whose person becomes an owner',
      (siteId) => byOwner(siteId, '/ivan', { method: 'PATCH', body: { role: 'owner' } }),
      403,
    ],
    ['whose person is signed out', (siteId) => byOwner(siteId, '/ivan/sessions', { method: 'DELETE' }), 401],
    [
      'whose passkey is removed',
      (siteId, passkey) => byOwner(siteId, `/ivan/passkeys/${passkey}`, { method: 'DELETE' }),
      401,
    ],
  ])('%s is refused', async (_, change, status) => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await person(site.siteId, 'anna', 'owner')
    const held = holding('refund')
    const { browser, authenticator } = await person(site.siteId, 'ivan', 'manager', held.fetch)
    const sent = browser.post(`/payments/${paymentUid}/refund`, {
      ...{ amount: '1', refundId: 'r', confirmed: 'yes' },
    })
    await held.arrived
    expect((await change(site.siteId, authenticator.id)).ok).toBe(true)
    held.release()
    expect((await sent).status).toBe(status)
    expect(await site.refundsOf(paymentUid)).toEqual([])
  })

  it('sent at once with the removal of its person comes before it, or is refused', async () => {
    for (let i = 0; i < 10; i++) {
      const site = refundingSite()
      const { paymentUid } = await site.paid()
      await person(site.siteId, 'anna', 'owner')
      const { browser } = await person(site.siteId, 'ivan', 'manager', connected)
      const form = { amount: '1', refundId: 'r', confirmed: 'yes' }
      const [refunded] = await Promise.all([
        browser.post(`/payments/${paymentUid}/refund`, form),
        byOwner(site.siteId, '/ivan', { method: 'DELETE' }),
      ])
      const types = (await site.events()).map(({ type }) => type)
      const all = (await site.feed()).map(({ type }) => type)
      const isMade = all.includes('refund.waiting')
      expect(isMade).toBe(refunded.status === 303)
      if (isMade) expect(all.indexOf('refund.waiting')).toBeLessThan(all.indexOf('person.removed'))
      expect(types).toContain('person.removed')
    }
  })
})

describe.each([
  ['the Worker repeats', true],
  ['the user repeats', false],
])('an act whose answer is lost, which %s,', (_, isRepeated) => {
  /** Does it until it is not 503. */
  const again = async (send: () => Promise<Response>): Promise<number> => {
    const first = await send()
    expect(first.status === 503).toBe(!isRepeated)
    return first.status === 503 ? (await send()).status : first.status
  }

  it('invites one person', async () => {
    const { siteId } = refundingSite()
    const anna = await person(siteId, 'anna', 'owner', losing('addPerson', isRepeated))
    const form = { id: 'ivan', name: 'Иван', role: 'manager' }
    expect(await again(() => confirmed(anna, '/people', form))).toBe(200)
    expect(await rowsOf(siteId, "SELECT count(*) AS n FROM people WHERE id = 'ivan'")).toEqual([{ n: 1 }])
    expect(
      await rowsOf(
        siteId,
        "SELECT subject ->> '$.person.id' AS id FROM events WHERE type = 'person.invited'",
      ),
    ).toEqual([{ id: 'anna' }, { id: 'ivan' }])
  })

  it('removes a person once', async () => {
    const { siteId } = refundingSite()
    const anna = await person(siteId, 'anna', 'owner', losing('removePerson', isRepeated))
    await person(siteId, 'ivan', 'manager')
    expect(await again(() => confirmed(anna, '/people/ivan/remove'))).toBe(303)
    expect(await rowsOf(siteId, "SELECT type FROM events WHERE type = 'person.removed'")).toHaveLength(1)
    expect((await byOwner(siteId, '/ivan', { method: 'DELETE' })).status).toBe(204)
  })

  it('invites a person again by an invitation that can be used', async () => {
    const { siteId } = refundingSite()
    const anna = await person(siteId, 'anna', 'owner', losing('invite', isRepeated))
    await person(siteId, 'ivan', 'manager')
    const pages: string[] = []
    const send = async () => {
      const response = await confirmed(anna, '/people/ivan/invite')
      pages.push(await response.clone().text())
      return response
    }
    expect(await again(send)).toBe(200)
    const [, code = ''] = /join\?code=([^"<]+)/.exec(pages.at(-1) ?? '') ?? []
    expect((await join(code)).response.status).toBe(303)
  })

  it('refunds once', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    const { browser } = await person(site.siteId, 'anna', 'owner', losing('refund', isRepeated))
    const form = { amount: '1', refundId: 'r', confirmed: 'yes' }
    expect(await again(() => browser.post(`/payments/${paymentUid}/refund`, form))).toBe(303)
    expect(await site.refundsOf(paymentUid)).toHaveLength(1)
  })
})

it('a sign-in whose answer the object loses begins one session', async () => {
  const { siteId } = refundingSite()
  const { authenticator } = await person(siteId, 'anna', 'owner')
  const { response, browser } = await signInBy(
    authenticator,
    browserOf(losing('signIn', true), PASSKEY_ORIGIN),
  )
  expect([response.status, (await browser.get('/me')).status]).toEqual([303, 200])
  expect(await rowsOf(siteId, 'SELECT count(*) AS n FROM person_sessions')).toEqual([{ n: 2 }])
})

it('a joining whose answer the object loses stores one passkey', async () => {
  const { siteId } = refundingSite()
  const { response, browser } = await person(siteId, 'anna', 'owner', losing('join', true))
  expect([response.status, (await browser.get('/me')).status]).toEqual([303, 200])
  expect(await rowsOf(siteId, 'SELECT count(*) AS n FROM passkeys')).toEqual([{ n: 1 }])
  expect(await rowsOf(siteId, "SELECT type FROM events WHERE type = 'person.joined'")).toHaveLength(1)
})

it('the same sign-in form that is sent twice at once begins one session', async () => {
  const { siteId } = refundingSite()
  const { authenticator } = await person(siteId, 'anna', 'owner')
  const browser = browserOf(deployed, PASSKEY_ORIGIN)
  const options = optionsIn(await (await browser.get('/sign-in')).text())
  const form = { response: await authenticator.get(options, PASSKEY_ORIGIN), next: '' }
  const answers = await Promise.all(Array.from({ length: 5 }, () => browser.post('/sign-in/passkey', form)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 401, 401, 401, 401])
  expect(await rowsOf(siteId, 'SELECT count(*) AS n FROM person_sessions')).toEqual([{ n: 2 }])
})

it('two invitations of a person that are made at once leave one that can be used', async () => {
  const { siteId } = refundingSite()
  await person(siteId, 'anna', 'owner')
  await invited(siteId, { id: 'ivan', name: 'Иван', role: 'manager' })
  const made = await Promise.all(
    Array.from({ length: 3 }, () => byOwner(siteId, '/ivan/invitations', { method: 'POST' })),
  )
  const codes = await Promise.all(made.map(async (each) => codeOf(await each.json())))
  const browser = browserOf(deployed, PASSKEY_ORIGIN)
  const pages = await Promise.all(codes.map((code) => browser.get(`/join?code=${code}`)))
  expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
})
