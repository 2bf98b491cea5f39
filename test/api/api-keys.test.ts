// The API keys of a site: made, listed, revoked (contract, section 12).
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiKeysAnswer, NewApiKeyAnswer } from '../../src/contract/api-key.ts'
import { parseLink } from '../../src/fps/link.ts'
import { hasTables } from '../../src/site/migrations.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { call, errorOf, qrCodeBody, serviceWith, siteThat, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

afterEach(() => vi.useRealTimers())

const TILL = { label: 'Till 3', scope: 'merchant', days: 365 }

async function make({ ask }: FreshSite, body: Record<string, unknown> = {}) {
  const response = await ask('/apiKeys', { body: { ...TILL, ...body } })
  return strict(NewApiKeyAnswer).parse(await response.json())
}
const list = async ({ ask }: FreshSite) => ApiKeysAnswer.parse(await (await ask('/apiKeys')).json()).apiKeys
const keyOf = async (site: FreshSite, id: string) => (await list(site)).find((key) => key.id === id)
const revoke = ({ ask }: FreshSite, id: string, more: Parameters<FreshSite['ask']>[1] = {}) =>
  ask(`/apiKeys/${encodeURIComponent(id)}`, { method: 'DELETE', ...more })
/** Sends a read with a token. */
const use = ({ ask }: FreshSite, token: string) => ask('/sbp/qrCodes', { token })

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

describe('an API key', () => {
  it.each([
    ['merchant', 200, 403],
    ['merchant:read', 403, 403],
    ['merchant:admin', 200, 200],
    ['merchant:read merchant', 200, 403],
  ])('with the scope %s does what the scope allows', async (scope, creating, administering) => {
    const site = freshSite()
    const { token } = await make(site, { scope })
    expect((await use(site, token)).status).toBe(200)
    expect((await site.ask('/sbp/qrCodes', { token, body: qrCodeBody() })).status).toBe(creating)
    expect((await site.ask('/apiKeys', { token })).status).toBe(administering)
  })

  it('lives for its days, to the second', async () => {
    const now = 2_000_000_000_000
    const at = (milliseconds: number) => serviceWith({ now: () => now + milliseconds })
    const site = freshSite()
    const claims = { iat: now / 1000, exp: now / 1000 + 3600 }
    const response = await site.ask('/apiKeys', { claims, body: { ...TILL, days: 2 } }, at(0))
    const { token, created, expires } = NewApiKeyAnswer.parse(await response.json())
    expect(Date.parse(`${expires}`) - Date.parse(`${created}`)).toBe(2 * 86_400_000)
    expect((await site.ask('/sbp/qrCodes', { token }, at(2 * 86_400_000 - 1))).status).toBe(200)
    expect((await site.ask('/sbp/qrCodes', { token }, at(2 * 86_400_000))).status).toBe(401)
  })

  it('is signed with the present secret during a rotation', async () => {
    const [present, previous] = ['the present secret, 32 characters or more', env.TOKEN_SECRET]
    const rotating = serviceWith({ settings: { TOKEN_SECRET: present, TOKEN_SECRET_PREVIOUS: previous } })
    const site = freshSite()
    const response = await site.ask('/apiKeys', { body: TILL }, rotating)
    const { token } = await response.json<{ token: string }>()
    const rotated = serviceWith({ settings: { TOKEN_SECRET: present } })
    expect((await site.ask('/sbp/qrCodes', { token }, rotated)).status).toBe(200)
  })

  it('is listed with its label, scope and times; its token is in no list, event or log line', async () => {
    const site = freshSite()
    const lines: string[] = []
    const logged = serviceWith({ log: (line) => lines.push(line) })
    const response = await site.ask('/apiKeys', { body: TILL }, logged)
    const { token, ...key } = NewApiKeyAnswer.parse(await response.json())
    expect(await keyOf(site, key.id)).toEqual(key)
    expect(key).toMatchObject({ label: 'Till 3', scope: 'merchant' })
    const shown = [await site.ask('/apiKeys'), await site.ask('/events')].map((answer) => answer.text())
    const texts = [...(await Promise.all(shown)), ...lines].join()
    for (const part of token.split('.').slice(1)) expect(texts).not.toContain(part)
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['without a label', { label: undefined }, 'label'],
    ['with a blank label', { label: ' ' }, 'label'],
    ['with a label of 61 characters', { label: '🫖'.repeat(61) }, 'label'],
    ['without a scope', { scope: undefined }, 'scope'],
    ['with an empty scope', { scope: '' }, 'scope'],
    ['with an unknown scope', { scope: 'merchant operator' }, 'scope'],
    ['with two spaces between scopes', { scope: 'merchant  merchant:read' }, 'scope'],
    ['with a list of scopes', { scope: ['merchant'] }, 'scope'],
    ['without days', { days: undefined }, 'days'],
    ['for 0 days', { days: 0 }, 'days'],
    ['for 3651 days', { days: 3651 }, 'days'],
    ['for half a day', { days: 0.5 }, 'days'],
    ['for days in a text', { days: '1' }, 'days'],
    ['with an unknown field', { lable: 'a' }, 'lable'],
  ])('%s is refused by name, and none is made', async (_, wrong, field) => {
    const site = freshSite()
    const response = await site.ask('/apiKeys', { body: { ...TILL, ...wrong } })
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [field]])
    expect((await list(site)).map(({ id }) => id)).toEqual(['admin'])
  })

  it.each([{ days: 1 }, { days: 3650 }, { label: '🫖'.repeat(60) }])('of %j is made', async (fields) => {
    expect(await make(freshSite(), fields)).toMatchObject({ scope: 'merchant' })
  })

  it.each(['merchant', 'merchant:read', 'network'])('is not made, listed or revoked by %s', async (scope) => {
    const { ask } = freshSite()
    const claims = { scope }
    expect((await ask('/apiKeys', { claims })).status).toBe(403)
    expect((await ask('/apiKeys', { claims, body: TILL })).status).toBe(403)
    expect((await ask('/apiKeys/x', { claims, method: 'DELETE' })).status).toBe(403)
  })
})

describe('a key of the command line', () => {
  it('is listed from its first use on, with the times of its claims', async () => {
    const site = freshSite()
    const claims = { jti: 'cli', scope: 'merchant:read', iat: 1_900_000_000.7, exp: 2_000_000_000 }
    expect(await keyOf(site, 'cli')).toBeUndefined()
    await use(site, await tokenOf({ sub: site.siteId, ...claims }))
    const key = await keyOf(site, 'cli')
    expect(key).toMatchObject({ label: '', scope: 'merchant:read' })
    expect([key?.created, key?.expires].map((date) => Date.parse(`${date}`) / 1000)).toEqual([
      1_900_000_000, 2_000_000_000,
    ])
    expect(key?.lastUsed).toMatch(/:00:00\+03:00$/)
  })

  it('is listed even with times that no date has', async () => {
    const site = freshSite()
    await use(site, await tokenOf({ sub: site.siteId, jti: 'cli', iat: -1, exp: 1e300 }))
    expect(await keyOf(site, 'cli')).toMatchObject({ expires: expect.stringMatching(/^9999-01-01T/) })
  })
})

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
    await evictDurableObject(site.stub)
    await expectRevoked(await use(site, token))
    expect(await keyOf(site, id)).not.toHaveProperty('lastUsed')
  })

  it('is revoked once: a second request changes nothing', async () => {
    const site = freshSite()
    const { id } = await make(site)
    await revoke(site, id)
    const key = await keyOf(site, id)
    expect((await revoke(site, id)).status).toBe(204)
    expect(await keyOf(site, id)).toEqual(key)
    expect((await site.events()).map(({ type, by }) => [type, by])).toEqual([
      ['apiKey.created', { actor: 'merchant', keyId: 'admin' }],
      ['apiKey.revoked', { actor: 'merchant', keyId: 'admin' }],
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
    const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })
    const path = `/sandbox/v1/sites/${site.siteId}/qrCodes/a/payments`
    for (const body of [{}, { amount: { value: 1 } }]) {
      await expectRevoked(await call(path, { token, body }, sandbox))
    }
  })

  it('fails alone in a batch of creates: each is judged by its own key', async () => {
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

    const creation = (jti: string) => ({
      caller: { actor: 'merchant', keyId: jti, scopes: ['merchant'] } as const,
      spec: { qrCodeUid: jti, type: 'DYNAMIC', ttl: 10, createToken: false } as const,
      link: { base: 'https://qr.example', bank: '100000000000', id: `id of ${jti}` },
    })
    const outcome = await site.stub.create(['first', 'leaked', 'last'].map(creation))
    expect(outcome).toMatchObject({
      value: [{ ok: true }, { ok: false, code: 'auth.unauthorized' }, { ok: true }],
    })
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

describe('a key with the scope network', () => {
  const paid = async (site: FreshSite, jti: string, uid: string) => {
    const answer = await site.ask('/sbp/qrCodes', { body: qrCodeBody() })
    const { qrCode } = await answer.json<{ qrCode: { payload: string } }>()
    const path = `/network/v1/sites/${site.siteId}/qrCodes/${parseLink(qrCode.payload)?.id}/payments/${uid}`
    return call(path, {
      method: 'PUT',
      token: await tokenOf({ sub: site.siteId, jti, scope: 'network' }),
      body: { status: 'COMPLETED', amount: { value: 5 } },
    })
  }

  it.each(['network', 'merchant network'])('is not made by the merchant: %s, 403', async (scope) => {
    const site = freshSite()
    const response = await site.ask('/apiKeys', { body: { ...TILL, scope } })
    expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope"',
    ])
    expect((await list(site)).map(({ id }) => id)).toEqual(['admin'])
  })

  it('is not revoked by the merchant: 403, and it reports on', async () => {
    const site = freshSite()
    expect((await paid(site, 'bank', '1')).status).toBe(200)
    const response = await revoke(site, 'bank')
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([403, 'auth.forbidden'])
    expect((await paid(site, 'bank', '2')).status).toBe(200)
    expect(await site.events()).toEqual([])
  })

  it('is not revoked before its first use either', async () => {
    const site = freshSite()
    await revoke(site, 'bank')
    expect((await paid(site, 'bank', '1')).status).toBe(200)
    expect(await keyOf(site, 'bank')).toMatchObject({ scope: 'network' })
    expect(await keyOf(site, 'bank')).not.toHaveProperty('revoked')
    await evictDurableObject(site.stub)
    expect((await paid(site, 'bank', '2')).status).toBe(200)
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

describe('lastUsed', () => {
  /** Counts what is written to the table of API keys. */
  const countWrites = ({ stub }: FreshSite) =>
    runInDurableObject(stub, (_, { storage: { sql } }) => {
      sql.exec('CREATE TABLE writes (id TEXT)')
      for (const change of ['INSERT', 'UPDATE']) {
        sql.exec(
          `CREATE TRIGGER on_${change} AFTER ${change} ON api_keys BEGIN INSERT INTO writes VALUES (new.id); END`,
        )
      }
    })
  const writes = ({ stub }: FreshSite) =>
    runInDurableObject(stub, (_, { storage: { sql } }) =>
      sql
        .exec<{ id: string }>('SELECT id FROM writes')
        .toArray()
        .map(({ id }) => id),
    )

  it('is the hour of the latest use, and is written once an hour and key, for reads and writes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const start = Math.ceil(Date.now() / 3_600_000) * 3_600_000
    const at = (minutes: number) => vi.setSystemTime(start + minutes * 60_000)
    at(0)
    const site = freshSite()
    const claims = { exp: start / 1000 + 100_000 }
    const ask = (jti: string) => site.ask('/sbp/qrCodes', { claims: { jti, ...claims } })
    await site.ask('/sbp/qrCodes', { claims, body: qrCodeBody() })
    const used = async (id: string) => {
      const answer = await site.ask('/apiKeys', { claims })
      const { apiKeys } = ApiKeysAnswer.parse(await answer.json())
      return Date.parse(`${apiKeys.find((key) => key.id === id)?.lastUsed}`) - start
    }
    await used('admin')
    await countWrites(site)

    at(5)
    await Promise.all(Array.from({ length: 20 }, () => ask('a')))
    await site.ask('/sbp/qrCodes', { claims: { jti: 'a', ...claims }, body: qrCodeBody() })
    await ask('b')
    expect(await used('a')).toBe(0)
    at(59)
    await evictDurableObject(site.stub)
    await ask('a')
    expect(await used('a')).toBe(0)
    expect((await writes(site)).toSorted()).toEqual(['a', 'b'])

    at(61)
    await ask('a')
    await ask('a')
    expect([await used('a'), await used('b')]).toEqual([3_600_000, 0])
    expect((await writes(site)).toSorted()).toEqual(['a', 'a', 'admin', 'b'])
  })

  it('is written after the answer, by itself', async () => {
    const site = freshSite()
    await site.ask('/sbp/qrCodes', { body: qrCodeBody() })
    await use(site, await tokenOf({ sub: site.siteId, jti: 'reader' }))
    await vi.waitFor(async () => {
      const rows = await runInDurableObject(site.stub, (_, { storage: { sql } }) =>
        sql.exec("SELECT id FROM api_keys WHERE id = 'reader'").toArray(),
      )
      expect(rows).toHaveLength(1)
    }, 20_000)
  })

  it('makes no tables: a site that is only read leaves nothing behind', async () => {
    const site = freshSite()
    await site.ask('/sbp/qrCodes')
    await site.ask('/events')
    await scheduler.wait(20)
    expect(await runInDurableObject(site.stub, (_, { storage }) => hasTables(storage))).toBe(false)
  })
})
