// The scope merchant:till: a cashier sells at tills, sees the own sales alone, and nothing else (contract, section 2).
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../src/contract/caller.ts'
import { parseLink } from '../../src/fps/link.ts'
import { freshSite } from '../support/admin.ts'
import { call, tokenOf } from '../support/service.ts'

const newSite = () => `till-${crypto.randomUUID()}`
const AMOUNT = { amount: { value: '350.00', currency: 'RUB' } }

/** The requests of a key with some claims. */
const by =
  (siteId: string, claims: Record<string, unknown>) =>
  async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const token = await tokenOf({ sub: siteId, ...claims })
    const response = await call(`/payin/v1/sites/${siteId}${path}`, {
      ...{ method, token, headers },
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    return { status: response.status, text, json: () => JSON.parse(text) }
  }

const cashier = (siteId: string, jti = 'cashier', more: Record<string, unknown> = {}) =>
  by(siteId, { jti, scope: 'merchant:till', ...more })
const owner = (siteId: string) => by(siteId, { jti: 'owner', scope: 'merchant:admin' })

const codes = '/sbp/qrCodes'
const till = `${codes}/till-1`
const sale = (uid: string, of = till) => `${of}/sales/${uid}`

/** A site with two tills, a STATIC and a DYNAMIC code. */
async function site(): Promise<string> {
  const siteId = newSite()
  const as = owner(siteId)
  for (const [uid, type] of [
    ['till-1', 'COUNTER'],
    ['till-2', 'COUNTER'],
    ['static', 'STATIC'],
    ['order', 'DYNAMIC'],
  ] as const) {
    const made = await as('PUT', `${codes}/${uid}`, {
      qrCode: { type },
      ...(type === 'DYNAMIC' && AMOUNT),
    })
    expect(made.status).toBe(200)
  }
  return siteId
}

describe('a cashier', () => {
  it('sets, reads, lists and cancels a sale', async () => {
    const as = cashier(await site())
    expect((await as('PUT', sale('s-1'), AMOUNT)).status).toBe(200)
    expect((await as('PUT', sale('s-1'), AMOUNT)).json()).toMatchObject({ saleUid: 's-1', status: 'ACTIVE' })
    expect((await as('GET', sale('s-1'))).status).toBe(200)
    expect((await as('GET', `${till}/sales`)).json().sales).toHaveLength(1)
    expect((await as('DELETE', sale('s-1'))).json()).toMatchObject({ status: 'CANCELLED' })
  })

  it('sees the tills alone, with their pictures', async () => {
    const as = cashier(await site())
    const { qrCodes } = (await as('GET', codes)).json()
    expect(qrCodes.map(({ qrCodeUid }: { qrCodeUid: string }) => qrCodeUid)).toEqual(['till-2', 'till-1'])
    expect((await as('GET', `${codes}?type=DYNAMIC`)).json().qrCodes).toEqual([])
    expect((await as('GET', `${codes}?qrCodeUid=order,till-1`)).json().qrCodes).toHaveLength(1)
    const statuses = await Promise.all(
      [
        till,
        `${till}/image`,
        `${codes}/order`,
        `${codes}/order/image`,
        `${codes}/static`,
        `${codes}/none`,
      ].map(async (path) => (await as('GET', path)).status),
    )
    expect(statuses).toEqual([200, 200, 404, 404, 404, 404])
  })

  it.each<[string, string, unknown?]>([
    ['POST', codes, { qrCodeUid: 'x', qrCode: { type: 'COUNTER' } }],
    ['PUT', `${codes}/x`, { qrCode: { type: 'COUNTER' } }],
    ['DELETE', till],
    ['GET', `${till}/payments`],
    ['GET', `${till}/events`],
    ['GET', '/payments'],
    ['GET', '/payments/p'],
    ['PUT', '/payments/p/refunds/r', AMOUNT],
    ['GET', '/events'],
    ['GET', '/notifications'],
    ['GET', '/settings'],
    ['GET', '/apiKeys'],
    ['POST', '/apiKeys', { label: 'mine', scope: 'merchant:admin', days: 1 }],
    ['GET', '/people'],
    ['POST', '/people', { id: 'me', name: 'Me', role: 'owner' }],
    ['GET', '/search?q=till'],
    ['GET', '/reports/day'],
  ])('may not %s %s', async (method, path, body) => {
    expect((await cashier(await site())(method, path, body)).status).toBe(403)
  })

  it('neither confirms nor drops the sale of another key with the saleUid of an own one that has ended', async () => {
    const siteId = await site()
    await cashier(siteId, 'one')('PUT', sale('same'), AMOUNT)
    const object = env.SITES.getByName(siteId)
    const other: Caller = { actor: 'merchant', keyId: 'other', scopes: ['merchant:till'] }
    const spec = { saleUid: 'same', amount: { minorUnits: 35_000, currency: 'RUB' }, ttl: 5 }
    const key = { qrCodeUid: 'till-1' }
    expect(await object.confirmSale(other, key, spec, {})).toMatchObject({ code: 'payin.resource.not.found' })
    await runInDurableObject(object, (_, { storage }) => {
      storage.sql.exec("UPDATE sales SET status = 'WAITING'")
    })
    expect(await object.confirmSale(other, key, spec, {})).toMatchObject({ code: 'payin.resource.not.found' })
    expect(await object.dropSale(other, key, 'same')).toMatchObject({ ok: true })
    const left = await runInDurableObject(object, (_, { storage }) =>
      storage.sql.exec('SELECT status FROM sales').toArray(),
    )
    expect(left).toEqual([{ status: 'WAITING' }])
  })

  it('neither sees nor cancels the sale of another key, and no answer shows it', async () => {
    const siteId = await site()
    const [one, other] = [cashier(siteId, 'one'), cashier(siteId, 'other')]
    await one('PUT', sale('secret-sale'), { ...AMOUNT, paymentPurpose: 'Cake' })
    const answers = [
      await other('GET', sale('secret-sale')),
      await other('DELETE', sale('secret-sale')),
      await other('GET', `${till}/sales`),
      await other('PUT', sale('secret-sale'), AMOUNT),
      await other('PUT', sale('own'), AMOUNT),
      await other('GET', till),
      await other('GET', codes),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 200, 409, 409, 200, 200])
    const [, , list, , busy] = answers
    expect(list?.json()).toEqual({ sales: [] })
    // The answer to a PUT quotes the saleUid of its own request alone.
    expect(busy?.text).not.toContain('secret-sale')
    for (const answer of answers) {
      expect(answer.text).not.toContain('Cake')
      expect(answer.text).not.toContain('350.00')
    }
    expect((await one('GET', sale('secret-sale'))).json()).toMatchObject({ status: 'ACTIVE' })
  })

  it('does not see the payment of a sale of another key', async () => {
    const siteId = await site()
    const [one, other] = [cashier(siteId, 'one'), cashier(siteId, 'other')]
    await one('PUT', sale('paid'), AMOUNT)
    const { payload } = (await one('GET', till)).json().qrCode
    const linkId = parseLink(payload)?.id ?? ''
    await freshSite(undefined, '', siteId).report(linkId, 'pay-1', {
      saleUid: 'paid',
      amount: { value: 350 },
    })
    expect((await one('GET', till)).json()).toHaveProperty('lastPayment')
    expect((await other('GET', till)).json()).not.toHaveProperty('lastPayment')
    const listed = (await other('GET', codes)).json().qrCodes
    expect(JSON.stringify(listed)).not.toContain('lastPayment')
    expect((await owner(siteId)('GET', till)).json()).toHaveProperty('lastPayment')
  })

  it('is seen by the shop, which cancels a sale of any cashier', async () => {
    const siteId = await site()
    await cashier(siteId)('PUT', sale('s'), AMOUNT)
    for (const scope of ['merchant:read', 'merchant:accounting merchant:till'])
      expect((await by(siteId, { jti: scope, scope })('GET', sale('s'))).status).toBe(200)
    expect((await by(siteId, { jti: 'manager', scope: 'merchant' })('DELETE', sale('s'))).status).toBe(200)
  })

  it('has no sale that nobody made: those of 0.3.0', async () => {
    const siteId = await site()
    const as = cashier(siteId)
    await as('PUT', sale('old'), AMOUNT)
    await runInDurableObject(env.SITES.getByName(siteId), (_, { storage }) => {
      storage.sql.exec('UPDATE sales SET caller = NULL')
    })
    expect((await as('GET', sale('old'))).status).toBe(404)
    expect((await owner(siteId)('GET', sale('old'))).status).toBe(200)
  })
})

describe('tills', () => {
  const BOUND = { tills: ['till-1'] }

  it('are the only codes that exist', async () => {
    const siteId = await site()
    const as = cashier(siteId, 'bound', BOUND)
    const { qrCodes } = (await as('GET', codes)).json()
    expect(qrCodes.map(({ qrCodeUid }: { qrCodeUid: string }) => qrCodeUid)).toEqual(['till-1'])
    const other = `${codes}/till-2`
    const statuses = [
      (await as('PUT', sale('s'), AMOUNT)).status,
      (await as('PUT', sale('s', other), AMOUNT)).status,
      (await as('GET', other)).status,
      (await as('GET', `${other}/image`)).status,
      (await as('GET', `${other}/sales`)).status,
      (await as('GET', `${codes}?qrCodeUid=till-2`)).json().qrCodes,
    ]
    expect(statuses).toEqual([200, 404, 404, 404, 404, []])
  })

  it('bind a key that the API makes, and are in the list of keys', async () => {
    const siteId = await site()
    const as = owner(siteId)
    const made = (
      await as('POST', '/apiKeys', { label: 'Till', scope: 'merchant:till', days: 1, ...BOUND })
    ).json()
    expect(made).toMatchObject(BOUND)
    expect((await as('GET', '/apiKeys')).json().apiKeys).toContainEqual(expect.objectContaining(BOUND))
    const get = async (path: string) =>
      (await call(`/payin/v1/sites/${siteId}${path}`, { token: made.token })).status
    expect([await get(till), await get(`${codes}/till-2`)]).toEqual([200, 404])
  })

  it.each<[string, Record<string, unknown>]>([
    ['an empty list', { scope: 'merchant:till', tills: [] }],
    ['21 codes', { scope: 'merchant:till', tills: Array.from({ length: 21 }, (_, i) => `t-${i}`) }],
    ['a text', { scope: 'merchant:till', tills: 'till-1' }],
    ['a number in the list', { scope: 'merchant:till', tills: [1] }],
    ['beside merchant', { scope: 'merchant', tills: ['till-1'] }],
    ['beside another scope', { scope: 'merchant:till merchant:read', tills: ['till-1'] }],
    ['without a scope', { scope: undefined, tills: ['till-1'] }],
  ])('as %s: 401 in a token, 400 in a request', async (_, claims) => {
    const siteId = await site()
    expect((await by(siteId, { jti: 'bad', ...claims })('GET', till)).status).toBe(401)
    const { scope = 'merchant', tills } = claims
    const made = await owner(siteId)('POST', '/apiKeys', { label: 'x', days: 1, scope, tills })
    expect(made.status).toBe(400)
  })
})
