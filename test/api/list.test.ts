// The list of a site's QR codes (contract, section 7).
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ListAnswer } from '../../src/contract/qr-code-list.ts'
import { type Call, call, errorOf, qrCodeBody, tokenOf } from '../support/service.ts'

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
  const body = qrCodeBody(more, { ttl: 10, image: {} })
  expect((await send('', { body })).status).toBe(200)
  return body.qrCodeUid
}
async function list(query: Record<string, string | number> = {}) {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`]))
  const response = await send(`?${parameters}`)
  expect(response.status).toBe(200)
  const { qrCodes, nextCursor } = ListAnswer.strict().parse(await response.json())
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
    for (let i = 0; i < 25; i++) made.unshift(await make())
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

  it.each([
    ['status', 'PAID'],
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

  it('looks at 5,000 rows for a page and no more: a rare status comes in more and shorter pages', async () => {
    const site = env.SITES.getByName(siteId)
    const rare = await make()
    await send(`/${rare}`, { method: 'DELETE' })
    const creations = Array.from({ length: 5100 }, (_, n) => ({
      order: { qrCodeUid: `${n}`, type: 'DYNAMIC', ttl: 10, createToken: false } as const,
      payload: `https://qr.nspk.ru/${`${n}`.padStart(32, '0')}?`,
    }))
    expect(await site.create(creations)).toHaveLength(5100)
    const first = await list({ status: 'CANCELLED' })
    expect([first.uids, typeof first.nextCursor]).toEqual([[], 'string'])
    expect(await listAll({ status: 'CANCELLED' })).toEqual([rare])
  })
})
