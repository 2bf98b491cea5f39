// API keys that are revoked: what they can no longer do.
import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { keyOf, make, paid, revoke, TILL, use } from '../support/api-keys.ts'
import { qrCodeBody } from '../support/client.ts'
import { call, errorOf, sandbox, serviceWith, siteThat, tokenOf } from '../support/service.ts'

afterEach(() => vi.useRealTimers())

async function expectRevoked(response: Response) {
  expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([
    401,
    'Bearer error="invalid_token"',
  ])
  expect(await errorOf(response)).toMatchObject({
    errorCode: 'auth.unauthorized',
    description: 'the access token is revoked',
  })
}

describe('a revoked key', () => {
  it('is refused from the next request on, and no other key is', async () => {
    const site = freshSite()
    const [{ id, token }, other] = [await make(site), await make(site)]
    expect((await use(site, token)).status).toBe(200)
    const answer = await revoke(site, id)
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    await expectRevoked(await use(site, token))
    expect((await use(site, other.token)).status).toBe(200)
    expect(await keyOf(site, id)).toMatchObject({ label: 'Till 3', revoked: expect.any(String) })
    expect(await keyOf(site, other.id)).not.toHaveProperty('revoked')
  })

  it('can be one of the command line that was never used', async () => {
    const site = freshSite()
    expect((await revoke(site, 'ключ/1')).status).toBe(204)
    await expectRevoked(await use(site, await tokenOf({ sub: site.siteId, jti: 'ключ/1' })))
    expect(await keyOf(site, 'ключ/1')).toEqual({
      id: 'ключ/1',
      label: '',
      scope: '',
      revoked: expect.any(String),
    })
  })

  it('stays revoked after the object’s restart, and is not used by being refused', async () => {
    const site = freshSite()
    const { id, token } = await make(site)
    await revoke(site, id)
    await abortAllDurableObjects()
    await expectRevoked(await use(site, token))
    expect(await keyOf(site, id)).not.toHaveProperty('lastUsed')
  })

  it('is revoked once: a second request changes nothing', async () => {
    const site = freshSite()
    const { id, label } = await make(site)
    await revoke(site, id)
    const key = await keyOf(site, id)
    expect((await revoke(site, id)).status).toBe(204)
    expect(await keyOf(site, id)).toEqual(key)
    expect((await site.events()).map(({ type, by, apiKey }) => [type, by, apiKey])).toEqual([
      ['apiKey.created', { actor: 'merchant', keyId: 'admin' }, { id, label }],
      ['apiKey.revoked', { actor: 'merchant', keyId: 'admin' }, { id, label }],
    ])
  })

  it('has its label beside what it did', async () => {
    const site = freshSite()
    const { id, label, token } = await make(site, { scope: 'merchant:admin' })
    const other = await make(site, { label: 'Till 4' })
    await revoke(site, other.id, { token })
    await revoke(site, id)
    expect((await site.events()).slice(2)).toMatchObject([
      { by: { actor: 'merchant', keyId: id, name: label }, apiKey: { id: other.id, label: 'Till 4' } },
      { by: { actor: 'merchant', keyId: 'admin' }, apiKey: { id, label } },
    ])
  })

  it('can be the caller’s own', async () => {
    const site = freshSite()
    const { id, token } = await make(site, { scope: 'merchant:admin' })
    expect((await revoke(site, id, { token })).status).toBe(204)
    await expectRevoked(await revoke(site, id, { token }))
  })

  it('of one site is good on another', async () => {
    const [site, other] = [freshSite(), freshSite()]
    await revoke(site, 'shared')
    expect((await use(other, await tokenOf({ sub: other.siteId, jti: 'shared' }))).status).toBe(200)
  })

  it('is not revocable with an id that no token has: 400', async () => {
    const { ask } = freshSite()
    for (const id of ['x'.repeat(129), '%00', '%ff', '%0a']) {
      const response = await ask(`/apiKeys/${id}`, { method: 'DELETE' })
      expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, ['keyId']])
    }
  })

  const QR_CODE = '/sbp/qrCodes/a'
  it.each<[string, string, Parameters<FreshSite['ask']>[1]]>([
    ['create', '/sbp/qrCodes', { body: qrCodeBody() }],
    ['create by PUT', '/sbp/qrCodes/b', { method: 'PUT', body: { qrCode: { type: 'DYNAMIC' } } }],
    ['replay a create', '/sbp/qrCodes', { body: { qrCodeUid: 'a', qrCode: { type: 'DYNAMIC' } } }],
    ['read', QR_CODE, {}],
    ['read what does not exist', '/sbp/qrCodes/nothing', {}],
    ['wait', QR_CODE, { headers: { Prefer: 'wait=5' } }],
    ['read the picture', `${QR_CODE}/image`, {}],
    ['read the events of a QR code', `${QR_CODE}/events`, {}],
    ['read the payments of a QR code', `${QR_CODE}/payments`, {}],
    ['read a payment', '/payments/nothing', {}],
    ['list', '/sbp/qrCodes', {}],
    ['read the feed', '/events', {}],
    ['wait for the feed', '/events?after=-0', { headers: { Prefer: 'wait=5' } }],
    ['cancel', QR_CODE, { method: 'DELETE' }],
    ['read the settings', '/settings', {}],
    ['replace the settings', '/settings', { method: 'PUT', body: {} }],
    ['list notification keys', '/settings/notificationKeys', {}],
    ['make a notification key', '/settings/notificationKeys', { method: 'POST' }],
    ['activate a notification key', '/settings/notificationKeys/x/activate', { method: 'POST' }],
    ['list API keys', '/apiKeys', {}],
    ['make an API key', '/apiKeys', { body: TILL }],
    ['revoke an API key', '/apiKeys/x', { method: 'DELETE' }],
  ])('can not %s, and nothing happens', async (_, path, request) => {
    const site = freshSite()
    await site.ask('/sbp/qrCodes', { body: { qrCodeUid: 'a', qrCode: { type: 'DYNAMIC' } } })
    await revoke(site, 'leaked')
    const token = await tokenOf({ sub: site.siteId, jti: 'leaked', scope: 'merchant:admin' })
    const feed = async () => (await site.ask('/events')).text()
    const before = await feed()
    await expectRevoked(await site.ask(path, { ...request, token }))
    expect(await feed()).toBe(before)
  })

  it('can not pay in the sandbox', async () => {
    const site = freshSite()
    await site.ask('/sbp/qrCodes', { body: { qrCodeUid: 'a', qrCode: { type: 'DYNAMIC' } } })
    await revoke(site, 'leaked')
    const token = await tokenOf({ sub: site.siteId, jti: 'leaked' })
    const path = `/sandbox/v1/sites/${site.siteId}/qrCodes/a/payments`
    for (const body of [{}, { amount: { value: 1 } }]) {
      await expectRevoked(await call(path, { token, body }, sandbox))
    }
  })

  it('fails alone among creates at once: each is judged by its own key', async () => {
    const site = freshSite()
    await revoke(site, 'leaked')
    const [leaked, good] = await Promise.all(
      ['leaked', 'good'].map((jti) => tokenOf({ sub: site.siteId, jti })),
    )
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        site.ask('/sbp/qrCodes', { body: qrCodeBody(), token: (n % 4 === 1 ? leaked : good) ?? '' }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(
      Array.from({ length: 40 }, (_, n) => (n % 4 === 1 ? 401 : 200)),
    )
  })

  it('hears nothing in an open long poll: 401 at the next change', async () => {
    const site = freshSite()
    const token = await tokenOf({ sub: site.siteId, jti: 'leaked', scope: 'merchant:read' })
    await site.ask('/sbp/qrCodes', { body: { qrCodeUid: 'a', qrCode: { type: 'DYNAMIC' } } })
    const headers = { Prefer: 'wait=20' }
    const polls = [
      site.ask('/sbp/qrCodes/a', { token, headers }),
      site.ask(`/events?after=${await lastCursor(site)}`, { token, headers }),
    ]
    // The revocation is an event itself: the feed's listener ends with it, the QR code's with the cancellation.
    await vi.waitFor(async () => expect(await keyOf(site, 'leaked')).toBeDefined(), 20_000)
    await revoke(site, 'leaked')
    await site.ask('/sbp/qrCodes/a', { method: 'DELETE' })
    for (const poll of polls) await expectRevoked(await poll)
  })
})

async function lastCursor({ ask }: FreshSite): Promise<string> {
  const { nextCursor } = await (await ask('/events')).json<{ nextCursor: string }>()
  return nextCursor
}

describe('a key that was revoked before its first use, and has network beside other scopes', () => {
  // An eviction takes a second, in which nothing is done: they take the same one.
  it.concurrent.each([
    'merchant network',
    'network merchant',
    'merchant:read network',
    'merchant:admin network',
  ])(
    '%s: is refused from the next request on, as merchant and as network, after a restart too',
    async (scope) => {
      const site = freshSite()
      expect((await revoke(site, 'both')).status).toBe(204)
      const refused = async () => {
        await expectRevoked(await site.ask('/sbp/qrCodes', { claims: { jti: 'both', scope } }))
        await expectRevoked(await paid(site, 'both', '1', scope))
      }
      await refused()
      await evictDurableObject(site.stub)
      await refused()
      expect(await keyOf(site, 'both')).toHaveProperty('revoked')
      expect(await keyOf(site, 'both')).not.toHaveProperty('lastUsed')
      expect((await revoke(site, 'both')).status).toBe(204)
    },
  )

  it('a key that was used with network is not the merchant’s to revoke: 403', async () => {
    const site = freshSite()
    expect((await paid(site, 'both', '1', 'merchant network')).status).toBe(200)
    expect((await revoke(site, 'both')).status).toBe(403)
    expect((await paid(site, 'both', '2', 'merchant network')).status).toBe(200)
  })

  it('a key that an earlier version admitted after its revocation is refused, and listed as revoked', async () => {
    const site = freshSite()
    await revoke(site, 'both')
    await runInDurableObject(site.stub, (_, { storage }) => {
      storage.sql.exec("UPDATE api_keys SET scope = 'merchant network', last_used_at = 1 WHERE id = 'both'")
    })
    await expectRevoked(await paid(site, 'both', '1', 'merchant network'))
    expect(await keyOf(site, 'both')).toHaveProperty('revoked')
    expect((await revoke(site, 'both')).status).toBe(204)
  })
})

describe('REVOKED_KEYS', () => {
  it.each(['merchant', 'merchant:admin', 'network'])(
    'refuses a key with the scope %s in the Worker, without a call',
    async (scope) => {
      const site = () => siteThat(() => Promise.reject(new Error('a site was called')))
      const revoking = serviceWith({ settings: { REVOKED_KEYS: 'other, leaked' }, site })
      const { ask, siteId } = freshSite()
      const claims = { jti: 'leaked', scope }
      await expectRevoked(await ask('/sbp/qrCodes', { claims }, revoking))
      const token = await tokenOf({ sub: siteId, ...claims })
      const path = `/network/v1/sites/${siteId}/qrCodes/x/payments/1`
      await expectRevoked(await call(path, { method: 'PUT', body: {}, token }, revoking))
    },
  )

  it('leaves the other keys alone', async () => {
    const revoking = serviceWith({ settings: { REVOKED_KEYS: 'leaked' } })
    for (const jti of ['leake', 'leaked ', 'LEAKED']) {
      expect((await freshSite().ask('/sbp/qrCodes', { claims: { jti } }, revoking)).status).toBe(200)
    }
  })
})
