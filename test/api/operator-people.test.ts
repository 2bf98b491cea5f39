// The people of the deployment (contract, section 16): added, let in, admitted to each act, removed.
import { runInDurableObject } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuditAnswer } from '../../src/contract/audit.ts'
import { PeopleAnswer } from '../../src/contract/people.ts'
import { REGISTRY } from '../../src/contract/site-id.ts'
import { freshSite } from '../support/admin.ts'
import { byOwner, codeOf, type Guest, invited, join, signInBy } from '../support/guests.ts'
import { operator } from '../support/operator.ts'
import { confirmed } from '../support/person-browser.ts'
import { call, errorOf, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const registry = () => exports.Registry.getByName(REGISTRY)
const rowsOf = (query: string) =>
  runInDurableObject(registry(), (_, { storage }) => storage.sql.exec(query).toArray())

beforeEach(async () => {
  vi.spyOn(console, 'log').mockReturnValue()
  await list()
  await runInDurableObject(registry(), (_, { storage: { sql } }) =>
    sql.exec('DELETE FROM person_sessions; DELETE FROM passkeys; DELETE FROM people; DELETE FROM handles'),
  )
})
afterEach(() => void vi.restoreAllMocks())

const OLGA = { id: 'olga', name: 'Olga', role: 'operator' }
const byKey = async (below: string, method = 'GET', body?: unknown, scope = 'operator') =>
  call(`/operator/v1${below}`, {
    token: await tokenOf({ sub: '*', jti: `key-${scope}`, scope }),
    method,
    ...(body !== undefined && { body }),
  })
const list = async () => strict(PeopleAnswer).parse(await (await byKey('/people')).json()).people

/** Somebody who was added and has joined. */
async function guest(person = OLGA): Promise<Guest & { response: Response }> {
  return join(codeOf(await (await byKey('/people', 'POST', person)).json()))
}

describe('a person of the deployment', () => {
  it('is added, joins, and signs in again, and sees the sites', async () => {
    const added = await byKey('/people', 'POST', OLGA)
    expect([added.status, await added.clone().json()]).toEqual([
      200,
      expect.objectContaining({ ...OLGA, invitation: expect.anything() }),
    ])
    const { browser, authenticator, response } = await join(codeOf(await added.json()))
    expect([response.status, (await browser.get('/operator/sites')).status]).toEqual([303, 200])
    expect(await rowsOf('SELECT site_id FROM handles')).toEqual([{ site_id: '*' }])
    const again = await signInBy(authenticator)
    expect([again.response.status, (await again.browser.get('/operator/sites')).status]).toEqual([303, 200])
    expect(await list()).toMatchObject([{ ...OLGA, passkeys: [{ label: expect.any(String) }] }])
  })

  it('is the same at the same request again; other fields are 409, and a role of a site is 400', async () => {
    await byKey('/people', 'POST', OLGA)
    const replayed = await byKey('/people', 'POST', OLGA)
    expect([replayed.headers.get('Idempotent-Replayed'), await replayed.json()]).toEqual([
      'true',
      expect.not.objectContaining({ invitation: expect.anything() }),
    ])
    const other = await byKey('/people', 'POST', { ...OLGA, role: 'support' })
    expect((await errorOf(other)).errorCode).toBe('payin.resource.already.exists')
    for (const role of ['owner', 'cashier', 'operator:read', '*']) {
      expect((await byKey('/people', 'POST', { ...OLGA, id: 'x', role })).status).toBe(400)
      expect((await byKey('/people/olga', 'PATCH', { role })).status).toBe(400)
    }
    expect((await byKey('/people', 'POST', { ...OLGA, id: 'x', tills: ['a'] })).status).toBe(400)
  })

  it('is named by the audit, in which each change is an act', async () => {
    const olga = await guest({ ...OLGA, name: 'Olga <b>' })
    const site = freshSite()
    await site.make()
    const address = `/operator/sites/${site.siteId}/limits`
    // Without the confirmation nothing is done.
    expect((await olga.browser.post(address, {})).status).toBe(403)
    expect((await confirmed(olga, address)).status).toBe(303)
    const page = await byKey(`/audit?siteId=${site.siteId}`)
    const { rows } = strict(AuditAnswer).parse(await page.json())
    expect(rows).toMatchObject([
      { act: 'site.limits', personId: 'olga', name: 'Olga <b>', result: 'DONE' },
      { act: 'site.limits', personId: 'olga', name: 'Olga <b>', result: 'STARTED' },
    ])
    expect(rows.every((row) => row.keyId === undefined)).toBe(true)
    expect(await (await olga.browser.get('/operator/audit')).text()).toContain('Olga &lt;b&gt;')
  })

  it.each<[string, () => Promise<Response>]>([
    ['removed', () => byKey('/people/olga', 'DELETE')],
    ['signed out', () => byKey('/people/olga/sessions', 'DELETE')],
    [
      'without the passkey of the session',
      async () => {
        const [{ id } = { id: 'gone' }] = await rowsOf("SELECT id FROM passkeys WHERE person = 'olga'")
        return byKey(`/people/olga/passkeys/${id}`, 'DELETE')
      },
    ],
  ])('who is %s can do nothing from the next request on', async (_, end) => {
    const { browser } = await guest()
    await guest({ ...OLGA, id: 'petr' })
    const site = freshSite()
    await site.make()
    expect((await end()).status).toBe(204)
    expect((await browser.get('/operator/sites')).status).toBe(303)
    const form = { siteId: site.siteId, force: 'yes' }
    expect((await browser.post(`/operator/sites/${site.siteId}/delete`, form)).status).toBe(401)
    expect((await operator(`/${site.siteId}`)).status).toBe(200)
    expect((await end()).status).toBe(204)
  })

  it('who becomes support reads alone', async () => {
    const { browser } = await guest()
    await guest({ ...OLGA, id: 'petr' })
    const site = freshSite()
    await site.make()
    expect((await byKey('/people/olga', 'PATCH', { role: 'support' })).status).toBe(200)
    const form = { siteId: site.siteId, force: 'yes' }
    expect((await browser.post(`/operator/sites/${site.siteId}/delete`, form)).status).toBe(403)
    expect((await operator(`/${site.siteId}`)).status).toBe(200)
  })
})

describe('the registry checks a person in the act', () => {
  const callerOf = async (id: string, scope: 'operator' | 'operator:read' = 'operator') => {
    const [row] = await rowsOf(`SELECT id FROM person_sessions WHERE person = '${id}'`)
    return { actor: 'operator' as const, scopes: [scope], person: { id, session: String(row?.id) } }
  }
  const code = (outcome: { ok: boolean; code?: string }) => (outcome.ok ? 'ok' : outcome.code)

  it('whatever the Worker believed', async () => {
    await guest()
    await guest({ ...OLGA, id: 'ivan', role: 'support' })
    const [olga, ivan] = [await callerOf('olga'), await callerOf('ivan', 'operator:read')]
    expect(code(await registry().admitOperator(olga, false))).toBe('ok')
    expect(code(await registry().admitOperator(ivan, false))).toBe('ok')
    expect(code(await registry().admitOperator({ ...ivan, scopes: ['operator'] }, false))).toBe(
      'auth.forbidden',
    )
    const another = { ...ivan, person: { ...ivan.person, id: 'olga' } }
    expect(code(await registry().admitOperator(another, false))).toBe('auth.unauthorized')
    const unknown = { ...olga, person: { id: 'olga', session: 'unknown' } }
    expect(code(await registry().admitOperator(unknown, false))).toBe('auth.unauthorized')
    // A key beside a person does not pass the person's check.
    expect(code(await registry().admitOperator({ ...unknown, keyId: 'key' }, false))).toBe(
      'auth.unauthorized',
    )
  })

  it('also at the acts on people themselves', async () => {
    await guest()
    await guest({ ...OLGA, id: 'ivan', role: 'support' })
    const [olga, ivan] = [await callerOf('olga'), await callerOf('ivan', 'operator:read')]
    expect(code(await registry().endPersonSessions(ivan, 'olga'))).toBe('payin.resource.not.found')
    expect(code(await registry().removePasskey(ivan, 'olga', 'x'))).toBe('confirmation.required')
    expect(code(await registry().personSessions(ivan, 'ivan'))).toBe('ok')
    await registry().endPersonSessions(olga, 'olga')
    expect(code(await registry().removePerson(olga, 'ivan'))).toBe('auth.unauthorized')
    expect(code(await registry().people(olga))).toBe('auth.unauthorized')
  })
})

describe('the last operator with a passkey', () => {
  it('stays: of two who remove each other at once one does', async () => {
    await guest()
    expect((await byKey('/people/olga', 'DELETE')).status).toBe(409)
    expect((await byKey('/people/olga', 'PATCH', { role: 'support' })).status).toBe(409)
    const [{ id } = { id: '' }] = await rowsOf('SELECT id FROM passkeys')
    expect((await byKey(`/people/olga/passkeys/${id}`, 'DELETE')).status).toBe(409)
    await guest({ ...OLGA, id: 'petr' })
    const statuses = await Promise.all(['olga', 'petr'].map((each) => byKey(`/people/${each}`, 'DELETE')))
    expect(statuses.map(({ status }) => status).toSorted()).toEqual([204, 409])
  })
})

describe('between a site and the deployment', () => {
  it('no person of a site is an operator, and no operator a person of a site', async () => {
    const site = freshSite()
    const owner = await join(await invited(site.siteId, { id: 'olga', name: 'Olga', role: 'owner' }))
    const { browser } = await guest()
    // No cookie of one counts at an address of the other.
    expect((await owner.browser.get('/operator/sites')).status).toBe(303)
    expect((await browser.get(`/sites/${site.siteId}/settings`)).status).toBe(303)
    expect((await browser.get(`/sites/${site.siteId}/people`)).status).toBe(303)
    await byOwner(site.siteId, '', { method: 'POST', body: { id: 'anna', name: 'Anna', role: 'owner' } })
    expect((await owner.browser.get('/settings')).status).toBe(200)
    expect((await byKey('/people/anna', 'DELETE')).status).toBe(404)
  })

  it.each(['merchant:admin', 'merchant:till', 'network'])('a token of %s gets 403', async (scope) => {
    const { siteId } = freshSite()
    const token = await tokenOf({ sub: siteId, scope })
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: OLGA } : {}
      expect((await call('/operator/v1/people', { token, method, ...body })).status).toBe(403)
    }
    expect(await list()).toEqual([])
  })

  it('a key that reads lists people, and changes none', async () => {
    await guest()
    const reads = 'operator:read'
    expect((await byKey('/people', 'GET', undefined, reads)).status).toBe(200)
    expect((await byKey('/people', 'POST', { ...OLGA, id: 'x' }, reads)).status).toBe(403)
    expect((await byKey('/people/olga', 'DELETE', undefined, reads)).status).toBe(403)
    expect((await byKey('/people/olga/invitations', 'POST', undefined, reads)).status).toBe(403)
  })
})
