// The events of one QR code (contract, sections 7 and 11).

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EventsAnswer, FeedAnswer } from '../../src/contract/event.ts'
import { eventsOf } from '../../src/site/events/events.ts'
import { findQrCode } from '../../src/site/qr-codes/rows.ts'
import { cancel, expire, type Fresh, fresh, report } from '../support/qr-codes.ts'
import { call, errorOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

afterEach(() => vi.useRealTimers())

/** Reports declined attempts as the network does, but many at a time. */
const decline = ({ uid, linkId }: Pick<Fresh, 'uid' | 'linkId'>, times: number) =>
  runInDurableObject(env.SITES.getByName('demo'), async (site) => {
    const by = { actor: 'network', keyId: 'test', scopes: ['network'] } as const
    const amount = { minorUnits: 500, currency: 'RUB' }
    const outcomes = Array.from({ length: times }, (_, n) => {
      const attempt = { paymentUid: `${uid}-${n}`, status: 'DECLINED', amount } as const
      const origin = { network: 'external', currencies: ['RUB'] } as const
      return site.report(by, { linkId }, attempt, origin)
    })
    for (const outcome of await Promise.all(outcomes)) expect(outcome.ok).toBe(true)
  })

describe('the events of a QR code', () => {
  async function page({ path }: Pick<Fresh, 'path'>, query: Record<string, string>) {
    const response = await call(`${path}/events?${new URLSearchParams(query)}`)
    return strict(EventsAnswer).parse(await response.json())
  }

  /** All events, with so many of them a page, and how many each page had. */
  async function all(qrCode: Pick<Fresh, 'path'>, limit: number, order: Record<string, string> = {}) {
    const pages: EventsAnswer['events'][] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { events, nextCursor } = await page(qrCode, {
        limit: `${limit}`,
        ...(cursor && { cursor }),
        ...order,
      })
      pages.push(events)
      cursor = nextCursor
    }
    return { events: pages.flat(), lengths: pages.map(({ length }) => length) }
  }

  it('come oldest first, 100 a page unless said otherwise, and none twice', async () => {
    const [qrCode, other] = [await fresh(), await fresh()]
    await decline(qrCode, 60)
    await decline(other, 5)
    await decline({ ...qrCode, uid: `${qrCode.uid}-more` }, 60)
    await cancel(qrCode)
    const first = await page(qrCode, {})
    expect(first.events).toHaveLength(100)
    const { events } = await all(qrCode, 100)
    expect(events.slice(0, 100)).toEqual(first.events)
    const uids = events.map(({ payment }) => payment?.paymentUid)
    expect(uids).toEqual([
      undefined,
      ...Array.from({ length: 60 }, (_, n) => `${qrCode.uid}-${n}`),
      ...Array.from({ length: 60 }, (_, n) => `${qrCode.uid}-more-${n}`),
      undefined,
    ])
    expect(events.map(({ qrCodeUid }) => qrCodeUid)).toEqual(uids.map(() => qrCode.uid))
    expect([events[0]?.status, events.at(-1)?.status]).toEqual(['CREATED', 'CANCELLED'])
    for (const limit of [1, 2, 7, 61, 99]) {
      const paged = await all(qrCode, limit)
      expect(paged.events).toEqual(events)
      expect(paged.lengths.slice(0, -1).every((length) => length === limit)).toBe(true)
      const latestFirst = await all(qrCode, limit, { order: 'desc' })
      expect(latestFirst).toEqual({ events: events.toReversed(), lengths: paged.lengths })
    }
  })

  it('are those of the feed', async () => {
    const qrCode = await fresh()
    await report(qrCode, { amount: { value: 4 } })
    const { events } = await all(qrCode, 100)
    expect(events).toHaveLength(2)
    const response = await call(`/payin/v1/sites/demo/events?limit=1000`)
    expect(strict(FeedAnswer).parse(await response.json()).events).toEqual(expect.arrayContaining(events))
  })

  it.each([0, 1, 2])('after %i attempts end with an expiry that no alarm recorded yet', async (attempts) => {
    const qrCode = await fresh()
    await decline(qrCode, attempts)
    await expire(qrCode.uid)
    const expected = ['CREATED', ...Array.from({ length: attempts }, () => 'DECLINED'), 'EXPIRED']
    for (const limit of [1, 2, 3, 4, 100]) {
      const { events, lengths } = await all(qrCode, limit)
      expect(events.map(({ status }) => status)).toEqual(expected)
      expect(lengths).not.toContain(0)
    }
  })

  it('that come meanwhile are on the pages to come', async () => {
    const qrCode = await fresh()
    await decline(qrCode, 2)
    const { events, nextCursor } = await page(qrCode, { limit: '2' })
    await report(qrCode)
    const rest = await page(qrCode, { cursor: nextCursor ?? '' })
    expect([...events, ...rest.events].map(({ status }) => status)).toEqual([
      ...['CREATED', 'DECLINED', 'DECLINED', 'PAYED'],
    ])
  })

  it('of a page cost as many rows as it has, however many there are', async () => {
    const qrCode = await fresh()
    await decline(qrCode, 1000)
    await runInDurableObject(env.SITES.getByName('demo'), (_, { storage }) => {
      const row = findQrCode(storage.sql, { qrCodeUid: qrCode.uid })
      if (!row) throw new Error('no row')
      const read: (() => number)[] = []
      const sql = new Proxy(storage.sql, {
        get: (target, name) => {
          if (name !== 'exec') return Reflect.get(target, name)
          return (statement: string, ...bindings: SqlStorageValue[]) => {
            const cursor = target.exec(statement, ...bindings)
            read.push(() => cursor.rowsRead)
            return cursor
          }
        },
      })
      const { events, next } = eventsOf(sql, row.number, { limit: 10 })
      expect([events.length, typeof next]).toEqual([10, 'number'])
      eventsOf(sql, row.number, { limit: 10, cursor: (next ?? 0) + 900 })
      eventsOf(sql, row.number, { limit: 10, order: 'desc' })
      expect(read.length).toBeGreaterThanOrEqual(3)
      // An event, its caller and its QR code, and the event that says that there are more.
      for (const rowsRead of read) expect(rowsRead()).toBeLessThanOrEqual(3 * 11 + 1)
    })
  })

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', ''],
    ['cursor', ''],
    ['cursor', 'MTItMw'],
    ['after', '-0'],
    ['order', 'asc'],
  ])('are refused for %s=%s by name', async (name, value) => {
    const { path } = await fresh()
    const response = await call(`${path}/events?${new URLSearchParams({ [name]: value })}`)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [name]])
  })
})
