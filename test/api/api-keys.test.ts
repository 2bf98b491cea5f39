// The API keys of a site: made, listed, revoked (contract, section 12).
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiKeysAnswer, NewApiKeyAnswer } from '../../src/contract/api-key.ts'
import { hasTables } from '../../src/site/database/schema.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { keyOf, list, make, paid, revoke, TILL, use } from '../support/api-keys.ts'
import { qrCodeBody } from '../support/client.ts'
import { errorOf, serviceWith, tokenOf } from '../support/service.ts'

afterEach(() => vi.useRealTimers())

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
    ['with a scope of 260 characters', { scope: Array(29).fill('merchant').join(' ') }, 'scope'],
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
    const claims = { jti: 'cli', scope: 'merchant:read', iat: 1_900_000_000, exp: 2_000_000_000 }
    expect(await keyOf(site, 'cli')).toBeUndefined()
    await use(site, await tokenOf({ sub: site.siteId, ...claims }))
    const key = await keyOf(site, 'cli')
    expect(key).toMatchObject({ label: '', scope: 'merchant:read' })
    expect([key?.created, key?.expires].map((date) => Date.parse(`${date}`) / 1000)).toEqual([
      1_900_000_000, 2_000_000_000,
    ])
    expect(key?.lastUsed).toMatch(/:00:00\+03:00$/)
  })

  it('is listed even with an end that no date has', async () => {
    const site = freshSite()
    await use(site, await tokenOf({ sub: site.siteId, jti: 'cli', exp: 2 ** 53 - 1 }))
    expect(await keyOf(site, 'cli')).toMatchObject({ expires: expect.stringMatching(/^9999-01-01T/) })
  })
})

describe('a key with the scope network', () => {
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
    // A use is written a second after the answer.
    const isWritten = (id: string, hour: number) =>
      vi.waitFor(async () => {
        const rows = await runInDurableObject(site.stub, (_, { storage: { sql } }) =>
          sql.exec('SELECT last_used_at AS at FROM api_keys WHERE id = ?', id).toArray(),
        )
        expect(rows).toEqual([{ at: (start + hour) / 1000 }])
      }, 30_000)
    await isWritten('admin', 0)
    await countWrites(site)

    at(5)
    await Promise.all(Array.from({ length: 20 }, () => ask('a')))
    await site.ask('/sbp/qrCodes', { claims: { jti: 'a', ...claims }, body: qrCodeBody() })
    await ask('b')
    expect(await used('a')).toBe(0)
    await isWritten('a', 0)
    await isWritten('b', 0)
    at(59)
    await evictDurableObject(site.stub)
    await ask('a')
    expect(await used('a')).toBe(0)
    expect((await writes(site)).toSorted()).toEqual(['a', 'b'])

    at(61)
    await ask('a')
    await ask('a')
    expect([await used('a'), await used('b')]).toEqual([3_600_000, 0])
    await isWritten('a', 3_600_000)
    await isWritten('admin', 3_600_000)
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
