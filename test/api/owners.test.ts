// The operator invites owners (contract, section 16): the first one of a site, and one who has lost the passkey.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuditAnswer } from '../../src/contract/audit.ts'
import { OwnersAnswer } from '../../src/contract/people.ts'
import { OPERATOR_ROLES, SITE_ROLES } from '../../src/contract/role.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { byOwner, codeOf, join, signInBy } from '../support/guests.ts'
import { operator } from '../support/operator.ts'
import { call, errorOf, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

beforeEach(() => void vi.spyOn(console, 'log').mockReturnValue())
afterEach(() => void vi.restoreAllMocks())

const BORIS = { id: 'boris', name: 'Boris Smirnov' }
const post = ({ siteId }: { siteId: string }, body: unknown = BORIS) =>
  operator(`/${siteId}/owners`, { method: 'POST', body })
const again = ({ siteId }: { siteId: string }, id: string) =>
  operator(`/${siteId}/owners/${id}/invitations`, { method: 'POST' })
const list = async ({ siteId }: { siteId: string }) =>
  strict(OwnersAnswer).parse(await (await operator(`/${siteId}/owners`)).json()).owners
const invitedTo = async (answer: Promise<Response>) => codeOf(await (await answer).json())

async function auditOf({ siteId }: FreshSite) {
  const token = await tokenOf({ sub: '*', jti: 'operator', scope: 'operator' })
  const page = await call(`/operator/v1/audit?siteId=${siteId}`, { token })
  const { rows } = strict(AuditAnswer).parse(await page.json())
  return rows
    .toReversed()
    .map(({ act, result, keyId, details: { personId } }) => [act, result, keyId, personId])
}

describe('an owner whom the operator invites', () => {
  it('is the first person of a site that nobody has written to, which exists from then on', async () => {
    const site = freshSite()
    expect((await operator(`/${site.siteId}/owners`)).status).toBe(404)
    const answer = await post(site)
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ ...BORIS, role: 'owner', invitation: expect.anything() }),
    ])
    expect(await list(site)).toMatchObject([{ ...BORIS, passkeys: [], invitedUntil: expect.any(String) }])
    expect((await operator(`/${site.siteId}`)).status).toBe(200)
    expect(await site.events()).toMatchObject([{ type: 'person.invited', by: { actor: 'operator' } }])
    expect(await auditOf(site)).toEqual([
      ['owner.invite', 'STARTED', 'operator', 'boris'],
      ['owner.invite', 'DONE', 'operator', 'boris'],
    ])
  })

  it('joins by the invitation, and sets up the shop', async () => {
    const site = freshSite()
    const { browser, response } = await join(await invitedTo(post(site)))
    expect(response.status).toBe(303)
    expect((await browser.get('/settings')).status).toBe(200)
    expect((await browser.get('/operator/sites')).status).not.toBe(200)
  })

  it('is the same at the same request again, which shows no invitation; with other fields it is 409', async () => {
    const site = freshSite()
    await post(site)
    const replayed = await post(site)
    expect([replayed.status, replayed.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(await replayed.json()).not.toHaveProperty('invitation')
    const other = await post(site, { ...BORIS, name: 'Anna' })
    expect([other.status, (await errorOf(other)).errorCode]).toEqual([409, 'payin.resource.already.exists'])
    expect((await site.events()).map(({ type }) => type)).toEqual(['person.invited'])
  })

  it('is no person of another role who has the id', async () => {
    const site = freshSite()
    await byOwner(site.siteId, '', { method: 'POST', body: { ...BORIS, role: 'cashier' } })
    expect((await post(site)).status).toBe(409)
    expect((await again(site, 'boris')).status).toBe(404)
    expect(await list(site)).toEqual([])
  })

  it.each([
    ...[...SITE_ROLES, ...OPERATOR_ROLES].map((role): [string, unknown, string] => [
      `the role ${role}`,
      { ...BORIS, role },
      'role',
    ]),
    ['tills', { ...BORIS, tills: ['till-1'] }, 'tills'],
    ['an id with a slash', { ...BORIS, id: 'a/b' }, 'id'],
    ['a blank name', { ...BORIS, name: ' ' }, 'name'],
    ['no id', { name: 'Boris' }, 'id'],
  ])('with %s is 400, and makes no site', async (_, body, field) => {
    const site = freshSite()
    const answer = await post(site, body)
    expect([answer.status, Object.keys((await errorOf(answer)).cause ?? {})]).toEqual([400, [field]])
    expect((await operator(`/${site.siteId}`)).status).toBe(404)
    expect(await auditOf(site)).toEqual([])
  })

  it.each(['merchant:admin', 'merchant', 'merchant:till', 'network', 'operator:read'])(
    'is 403 by a token with the scope %s',
    async (scope) => {
      const site = freshSite()
      for (const sub of [site.siteId, '*']) {
        const token = await tokenOf({ sub, scope, jti: 'other' })
        const answer = await call(`/operator/v1/sites/${site.siteId}/owners`, {
          ...{ method: 'POST', body: BORIS, token },
        })
        expect([401, 403]).toContain(answer.status)
      }
      expect((await operator(`/${site.siteId}`)).status).toBe(404)
    },
  )

  it('is 410 on a site that was deleted for good, which stays deleted', async () => {
    const site = freshSite()
    await post(site)
    await operator(`/${site.siteId}`, { method: 'DELETE', body: { siteId: site.siteId, force: true } })
    expect((await post(site, { ...BORIS, id: 'anna' })).status).toBe(410)
  })
})

describe('another invitation of an owner by the operator', () => {
  it('replaces the passkeys and sessions of this owner when it is used, and not before', async () => {
    const site = freshSite()
    const lost = await join(await invitedTo(post(site)))
    const code = await invitedTo(again(site, 'boris'))
    expect((await lost.browser.get('/settings')).status).toBe(200)
    const found = await join(code)
    expect(found.response.status).toBe(303)
    expect((await lost.browser.get('/settings')).status).toBe(303)
    expect((await signInBy(lost.authenticator)).response.status).toBe(401)
    expect((await found.browser.get('/settings')).status).toBe(200)
    expect((await list(site)).map(({ passkeys }) => passkeys.length)).toEqual([1])
    expect((await site.events()).map(({ type, by }) => [type, by.actor])).toEqual([
      ['person.invited', 'operator'],
      ['person.joined', 'merchant'],
      ['person.invited', 'operator'],
      ['person.joined', 'merchant'],
    ])
    expect((await auditOf(site)).map(([act]) => act)).toEqual(Array(4).fill('owner.invite'))
  })

  it('ends the earlier one of an owner who has not joined', async () => {
    const site = freshSite()
    const first = await invitedTo(post(site))
    const second = await invitedTo(again(site, 'boris'))
    expect((await join(second)).response.status).toBe(303)
    const late = await join(first).catch(() => undefined)
    expect(late?.response.status ?? 401).toBe(401)
  })

  it('leaves the passkeys of other owners', async () => {
    const site = freshSite()
    const boris = await join(await invitedTo(post(site)))
    const anna = await join(await invitedTo(post(site, { id: 'anna', name: 'Anna' })))
    await join(await invitedTo(again(site, 'boris')))
    expect((await anna.browser.get('/settings')).status).toBe(200)
    expect((await signInBy(anna.authenticator)).response.status).toBe(303)
    expect((await signInBy(boris.authenticator)).response.status).toBe(401)
  })

  it('is 404 for an unknown owner, for one who was removed, and on a site that nobody wrote to, and makes none', async () => {
    const site = freshSite()
    expect((await again(site, 'boris')).status).toBe(404)
    expect((await operator(`/${site.siteId}`)).status).toBe(404)
    await post(site)
    expect((await again(site, 'anna')).status).toBe(404)
    await byOwner(site.siteId, '/boris', { method: 'DELETE' })
    expect((await again(site, 'boris')).status).toBe(404)
    expect((await auditOf(site)).at(-1)?.[1]).toBe('REFUSED')
  })

  it('that the owners make afterwards replaces nothing', async () => {
    const site = freshSite()
    const first = await join(await invitedTo(post(site)))
    await again(site, 'boris')
    await join(await invitedTo(byOwner(site.siteId, '/boris/invitations', { method: 'POST' })))
    expect((await first.browser.get('/settings')).status).toBe(200)
  })
})
