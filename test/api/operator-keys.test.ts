// The keys of operators: labels, the list, revocation and what a revoked key can no longer do.

import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OperatorKeysAnswer } from '../../src/contract/operator-key.ts'
import { REGISTRY } from '../../src/contract/site-id.ts'
import { freshSite } from '../support/admin.ts'
import { browserOf } from '../support/console.ts'
import { call, errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const registry = () => exports.Registry.getByName(REGISTRY)
const keyToken = (jti: string, claims: object = {}) =>
  tokenOf({ sub: '*', scope: 'operator', jti, ...claims })
const asKey = async (jti: string, below = '/keys', more: object = {}, fetch?: Parameters<typeof call>[2]) =>
  call(`/operator/v1${below}`, { token: await keyToken(jti), ...more }, fetch)
const keys = async (by = 'anna') => strict(OperatorKeysAnswer).parse(await (await asKey(by)).json()).keys
const revoke = (id: string, by = 'anna') => asKey(by, `/keys/${encodeURIComponent(id)}`, { method: 'DELETE' })

async function expectRevoked(response: Response) {
  expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([
    401,
    'Bearer error="invalid_token"',
  ])
  expect((await errorOf(response)).description).toBe('the access token is revoked')
}

beforeEach(() =>
  runInDurableObject(registry(), async (object, { storage }) => {
    await object.operatorKeys()
    storage.sql.exec('DELETE FROM operator_keys')
  }),
)
afterEach(() => vi.useRealTimers())

describe('the list', () => {
  it('has a key after its first use, with its label, its times and the hour of its use', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-23T10:20:30+03:00') })
    const iat = Date.now() / 1000 - 60
    const token = await keyToken('k', { label: 'anna', iat, exp: iat + 86_400 })
    expect((await call('/operator/v1/sites', { token })).status).toBe(200)
    expect(await keys('other')).toContainEqual({
      id: 'k',
      label: 'anna',
      createdOn: '2026-11-23T10:19:30+03:00',
      expiresOn: '2026-11-24T10:19:30+03:00',
      lastUsedOn: '2026-11-23T10:00:00+03:00',
    })
    vi.setSystemTime(Date.now() + 3_600_000)
    await call('/operator/v1/sites', { token })
    expect((await keys('other')).find(({ id }) => id === 'k')?.lastUsedOn).toBe('2026-11-23T11:00:00+03:00')
  })

  it.each([
    ['of 61 characters', 'x'.repeat(61)],
    ['with a line break', 'a\nb'],
    ['that is empty', ''],
    ['that is a number', 1],
  ])('has no key with a label %s: its token is malformed', async (_, label) => {
    const token = await keyToken('odd', { label })
    expect((await call('/operator/v1/keys', { token })).status).toBe(401)
    expect((await keys()).map(({ id }) => id)).not.toContain('odd')
  })

  it('has no token', async () => {
    const text = await (await asKey('anna')).text()
    expect(text).not.toContain((await keyToken('anna')).split('.')[2])
  })

  it('is for operators alone: 403', async () => {
    for (const claims of [
      { sub: 'demo', scope: 'merchant:admin' },
      { sub: 'demo', scope: 'operator' },
    ])
      expect((await call('/operator/v1/keys', { token: await tokenOf(claims) })).status).toBe(403)
  })
})

describe('a revoked key of an operator', () => {
  it('is refused from the next request on, by every operation, and no other key is', async () => {
    // The list is in the order of the tokens' seconds: all are of one.
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = freshSite()
    await site.make()
    expect((await asKey('boris')).status).toBe(200)
    const answer = await revoke('boris')
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    for (const [below, method] of [
      ['/sites', 'GET'],
      [`/sites/${site.siteId}`, 'GET'],
      [`/sites/${site.siteId}/export`, 'GET'],
      [`/sites/${site.siteId}/resume`, 'POST'],
      ['/keys', 'GET'],
      ['/keys/anna', 'DELETE'],
    ])
      await expectRevoked(await asKey('boris', below, { method }))
    expect((await keys()).map(({ id, revokedOn }) => [id, revokedOn !== undefined])).toEqual([
      ['anna', false],
      ['boris', true],
    ])
  })

  it('can be one that was never used', async () => {
    expect((await revoke('ключ/1')).status).toBe(204)
    await expectRevoked(await asKey('ключ/1'))
    expect((await keys()).find(({ id }) => id === 'ключ/1')).toEqual({
      id: 'ключ/1',
      revokedOn: expect.any(String),
    })
  })

  it('stays revoked after a restart of the registry, and is revoked once', async () => {
    await revoke('boris')
    const before = await keys()
    await abortAllDurableObjects()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 })
    expect((await revoke('boris')).status).toBe(204)
    expect(await keys()).toEqual(before)
    await expectRevoked(await asKey('boris'))
  })

  it('has no session of the console any more, and begins none', async () => {
    const browser = browserOf()
    await browser.signIn({ sub: '*', scope: 'operator', jti: 'boris' })
    expect((await browser.get('/operator/sites')).status).toBe(200)
    await revoke('boris')
    expect((await browser.get('/operator/sites')).headers.get('Location')).toContain('sign-in')
    expect((await browser.signIn({ sub: '*', scope: 'operator', jti: 'boris' })).status).toBe(401)
  })

  it('is refused where the registry is away: no operation runs unchecked', async () => {
    const fetch = serviceWith({
      registry: () => {
        throw Object.assign(new Error('away'), { overloaded: true })
      },
    })
    const site = freshSite()
    const { siteId } = site
    await site.make()
    const answer = await asKey(
      'anna',
      `/sites/${siteId}`,
      { method: 'DELETE', body: { siteId, force: true } },
      fetch,
    )
    expect([answer.status, (await errorOf(answer)).errorCode]).toEqual([503, 'service.unavailable'])
    expect((await site.ask('/sbp/qrCodes')).status).toBe(200)
  })
})

describe('the last key that is left', () => {
  const refusedSelf = async (by: string) => {
    const answer = await revoke(by, by)
    expect([answer.status, (await errorOf(answer)).errorCode]).toEqual([
      409,
      'payin.incorrect-method-invocation',
    ])
    expect((await asKey(by)).status).toBe(200)
  }

  it('does not revoke itself', () => refusedSelf('anna'))

  it('revokes itself once another one was used', async () => {
    await asKey('boris')
    expect((await revoke('anna', 'anna')).status).toBe(204)
    await expectRevoked(await asKey('anna'))
    await refusedSelf('boris')
  })

  it('is the last one where the others are revoked, expired or in REVOKED_KEYS', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await call('/operator/v1/keys', {
      token: await keyToken('short', { exp: Math.floor(Date.now() / 1000) + 5 }),
    })
    vi.setSystemTime(Date.now() + 6000)
    await asKey('leaked')
    await revoke('boris')
    const fetch = serviceWith({ settings: { REVOKED_KEYS: 'leaked' } })
    const answer = await asKey('anna', '/keys/anna', { method: 'DELETE' }, fetch)
    expect(answer.status).toBe(409)
  })
})

describe('in the console', () => {
  it('an operator sees the keys, and revokes one', async () => {
    await call('/operator/v1/keys', { token: await keyToken('k-1', { label: '<b>boris</b>' }) })
    const browser = browserOf()
    await browser.signIn({ sub: '*', scope: 'operator', jti: 'anna' })
    const page = await (await browser.get('/operator/keys')).text()
    expect(page).toContain('&lt;b&gt;boris&lt;/b&gt;')
    expect(page).toContain('href="../operator/keys/k-1/revoke"')
    const done = await browser.post('/operator/keys/k-1/revoke')
    expect([done.status, done.headers.get('Location')]).toEqual([303, '../../../operator/keys?done=revoked'])
    await expectRevoked(await asKey('k-1'))
    const refused = await browser.post('/operator/keys/anna/revoke')
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('REVOKED_KEYS')])
  })
})

it('a label of a site’s token is in the list of its keys, and one without it takes none away', async () => {
  const site = freshSite()
  const labelled = { sub: site.siteId, jti: 'till', scope: 'merchant:admin', label: 'Till 3' }
  const list = async () =>
    (await (await site.ask('/apiKeys')).json<{ apiKeys: { id: string; label: string }[] }>()).apiKeys.find(
      ({ id }) => id === 'till',
    )?.label
  await site.make()
  await site.ask('/sbp/qrCodes', { token: await tokenOf(labelled) })
  expect(await list()).toBe('Till 3')
  await site.ask('/sbp/qrCodes', { token: await tokenOf({ ...labelled, label: undefined }) })
  expect(await list()).toBe('Till 3')
})
