// The list of a site's QR codes (contract, section 7).
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ListAnswer } from '../../src/contract/qr-code-list.ts'
import { type Call, qrCodeBody } from '../support/client.ts'
import { call, errorOf, tokenOf } from '../support/service.ts'
import { createAll } from '../support/site.ts'
import { strict } from '../support/strict.ts'

let siteId: string
let token: string
const collection = () => `/payin/v1/sites/${siteId}/sbp/qrCodes`

beforeEach(async () => {
  siteId = crypto.randomUUID()
  token = await tokenOf({ sub: siteId, exp: 4_000_000_000 })
})
afterEach(() => vi.useRealTimers())

const send = (path: string, options: Call = {}) => call(collection() + path, { token, ...options })
async function make(more: Record<string, unknown> = {}): Promise<string> {
  const body = qrCodeBody(more, { ttl: 10 })
  expect((await send('', { body })).status).toBe(200)
  return body.qrCodeUid
}
async function list(query: Record<string, string | number> = {}) {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`]))
  const response = await send(`?${parameters}`)
  expect(response.status).toBe(200)
  const { qrCodes, nextCursor } = strict(ListAnswer).parse(await response.json())
  return { uids: qrCodes.map(({ qrCodeUid }) => qrCodeUid), qrCodes, nextCursor }
}
async function listAll(query: Record<string, string | number>): Promise<string[]> {
  const all: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { uids, nextCursor } = await list({ ...query, ...(cursor && { cursor }) })
    all.push(...uids)
    cursor = nextCursor
  }
  return all
}

describe('the list', () => {
  it('is newest first, as each QR code stands, without pictures; 20 of them unless said otherwise', async () => {
    const made: string[] = []
    for (let i = 0; i < 24; i++) made.unshift(await make())
    made.unshift(await make({ qrCode: { type: 'DYNAMIC', image: {} } }))
    const { uids, qrCodes, nextCursor } = await list()
    expect(uids).toEqual(made.slice(0, 20))
    expect(nextCursor).toBeTypeOf('string')
    expect(qrCodes[0]).toEqual(await (await send(`/${made[0]}`)).json())
    expect(qrCodes[0]?.qrCode).not.toHaveProperty('image')
    expect((await list({ limit: 100 })).uids).toEqual(made)
    expect((await list({ limit: 100 })).nextCursor).toBeUndefined()
  })

  it('of a site without any is empty', async () =>
    expect(await list()).toEqual({ uids: [], qrCodes: [], nextCursor: undefined }))

  it('pages through all, whatever the limit; what is created meanwhile neither repeats nor hides another', async () => {
    const made: string[] = []
    for (let i = 0; i < 30; i++) made.unshift(await make())
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 31 }), async (limit) => {
        const seen: string[] = []
        const cursors = new Set<string>()
        for (let cursor: string | undefined = ''; cursor !== undefined; ) {
          const page = await list({ limit, ...(cursor && { cursor }) })
          seen.push(...page.uids)
          cursor = page.nextCursor
          if (cursor) cursors.add(cursor)
          made.unshift(await make())
        }
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen).toEqual(made.slice(-seen.length))
        expect(seen.at(-1)).toBe(made.at(-1))
      }),
      { numRuns: 10 },
    )
  })

  it('has only those of a status, the expired ones by the clock', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const [expired, cancelled] = [await make(), await make()]
    await send(`/${cancelled}`, { method: 'DELETE' })
    vi.setSystemTime(Date.now() + 600_000)
    const created = await make()
    expect((await list({ status: 'EXPIRED' })).uids).toEqual([expired])
    expect((await list({ status: 'CANCELLED' })).uids).toEqual([cancelled])
    expect((await list({ status: 'CREATED' })).uids).toEqual([created])
    expect((await list({ status: 'PAYED' })).uids).toEqual([])
    expect((await list({ status: 'EXPIRED,CREATED' })).uids).toEqual([created, expired])
    expect((await list({ status: 'CREATED,CANCELLED,CREATED' })).uids).toEqual([created, cancelled])
  })

  it('of several statuses is newest first over all pages, whatever the limit', async () => {
    const made: string[] = []
    for (let i = 0; i < 12; i++) {
      const uid = await make()
      if (i % 3 === 1) await send(`/${uid}`, { method: 'DELETE' })
      made.unshift(uid)
    }
    for (const limit of [1, 2, 5, 12, 13]) {
      expect(await listAll({ status: 'CANCELLED,CREATED', limit })).toEqual(made)
    }
  })

  it('has only those of a time, both ends included, whatever the offset', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const start = Date.parse('2026-11-20T17:00:00Z')
    const made: string[] = []
    for (let minute = 0; minute < 5; minute++) {
      vi.setSystemTime(start + minute * 60_000)
      made.unshift(await make())
    }
    expect((await list({ createdFrom: '2026-11-20T20:03:00+03:00' })).uids).toEqual(made.slice(0, 2))
    expect((await list({ createdTo: '2026-11-20T17:01:00Z' })).uids).toEqual(made.slice(3))
    expect(
      await listAll({ createdFrom: '2026-11-20T17:01:00Z', createdTo: '2026-11-20T17:03:00Z', limit: 1 }),
    ).toEqual(made.slice(1, 4))
  })

  it('has only those whose identifier begins with a text, in the order of the identifiers', async () => {
    const uids = ['tea-2', 'tea', 'tea-1', 'te', 'tea\u{10fffe}', 'teb', 'Tea']
    for (const qrCodeUid of uids) await make({ qrCodeUid })
    expect((await list({ q: 'tea' })).uids).toEqual(['tea', 'tea-1', 'tea-2', 'tea\u{10fffe}'])
    expect(await list({ q: 'tea', limit: 2 })).toMatchObject({
      uids: ['tea', 'tea-1'],
      nextCursor: undefined,
    })
    expect((await list({ q: '%' })).uids).toEqual([])
    const { cause } = await errorOf(await send('?q=tea&status=CREATED&limit=2'))
    expect(cause).toEqual({ status: ['is an array, must be absent beside q'] })
  })

  it.each([
    ['status', 'PAID'],
    ['status', ''],
    ['status', 'CREATED,'],
    ['status', 'CREATED, PAYED'],
    ['status', 'CREATED,PAID'],
    ['createdFrom', '2026-11-20'],
    ['createdFrom', '2026-11-20T20:10:32'],
    ['createdTo', 'yesterday'],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', ''],
    ['cursor', ''],
    ['cursor', '***'],
    ['cursor', 'MTItMw'],
  ])('refuses %s=%s by name', async (name, value) => {
    const response = await send(`?${new URLSearchParams({ [name]: value })}`)
    expect(response.status).toBe(400)
    const { errorCode, cause } = await errorOf(response)
    expect([errorCode, Object.keys(cause ?? {})]).toEqual(['validation.error', [name]])
  })

  it.each([
    ['statis', 'is unknown, did you mean status'],
    ['createdfrom', 'is unknown, did you mean createdFrom'],
    ['page', 'is unknown'],
  ])('refuses the unknown parameter %s: it %s', async (name, text) => {
    const response = await send(`?${name}=1`)
    expect([response.status, (await errorOf(response)).cause]).toEqual([400, { [name]: [text] }])
  })

  it('by a rare status is whole on its page, however many others there are', async () => {
    const rare = [await make()]
    const creations = Array.from({ length: 3000 }, (_, n) => ({
      caller: { actor: 'merchant', keyId: 'test', scopes: [] } as const,
      spec: { qrCodeUid: `${n}`, type: 'DYNAMIC', ttl: 10, createToken: false } as const,
      link: { base: 'https://qr.nspk.ru', bank: '100000000000', id: `${n}` },
    }))
    await createAll(env.SITES.getByName(siteId), creations)
    rare.unshift(await make())
    for (const uid of rare) await send(`/${uid}`, { method: 'DELETE' })
    expect(await list({ status: 'CANCELLED' })).toMatchObject({ uids: rare, nextCursor: undefined })
  })

  it('survives rows that are deleted, wherever they are', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const made: string[] = []
    for (let minute = 0; minute < 9; minute++) {
      made.unshift(await make())
      vi.setSystemTime(Date.now() + 60_000)
    }
    const { qrCodes, nextCursor } = await list({ limit: 4 })
    const createdTo = qrCodes[2]?.createdOn ?? ''
    const deleted = [made[0], made[3], made[4], made[8]]
    await runInDurableObject(env.SITES.getByName(siteId), (_, { storage: { sql } }) => {
      sql.exec('PRAGMA defer_foreign_keys = ON')
      for (const uid of deleted) {
        sql.exec(
          'DELETE FROM events WHERE qr_code = (SELECT number FROM qr_codes WHERE qr_code_uid = ?)',
          uid ?? '',
        )
        sql.exec('DELETE FROM qr_codes WHERE qr_code_uid = ?', uid ?? '')
      }
    })
    const left = made.filter((uid) => !deleted.includes(uid))
    expect(await listAll({ limit: 2 })).toEqual(left)
    expect(await listAll({ cursor: nextCursor ?? '' })).toEqual(left.filter((uid) => made.indexOf(uid) > 3))
    expect(await listAll({ createdTo, limit: 2 })).toEqual(left.filter((uid) => made.indexOf(uid) >= 2))
  })
})
