// The history of a QR code, a page at a time (contract, section 7).
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { EventsAnswer } from '../../src/contract/event.ts'
import { eventsOf } from '../../src/site/events.ts'
import { findQrCode } from '../../src/site/qr-codes.ts'
import { cancel, type Fresh, fresh, report } from '../support/life.ts'
import { call, errorOf } from '../support/service.ts'

const demo = env.SITES.getByName('demo')

async function page({ path }: Pick<Fresh, 'path'>, query: Record<string, string>) {
  const response = await call(`${path}/events?${new URLSearchParams(query)}`)
  return EventsAnswer.strict().parse(await response.json())
}

/** All events, with so many of them a page, and how many each page had. */
async function all(qrCode: Pick<Fresh, 'path'>, limit: number) {
  const pages: EventsAnswer['events'][] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { events, nextCursor } = await page(qrCode, { limit: `${limit}`, ...(cursor && { cursor }) })
    pages.push(events)
    cursor = nextCursor
  }
  return { events: pages.flat(), lengths: pages.map(({ length }) => length) }
}

/** Writes declined attempts as the network would report them. */
const decline = ({ uid }: Fresh, times: number) =>
  runInDurableObject(demo, (_, { storage: { sql } }) => {
    const row = findQrCode(sql, { qrCodeUid: uid })
    for (let n = 0; n < times; n++) {
      sql.exec('INSERT INTO payments VALUES (?, ?, ?, 500, ?)', `${uid}-${n}`, row?.number, 'DECLINED', 'RUB')
      sql.exec(
        'INSERT INTO events (qr_code, status, at, by, payment_uid) VALUES (?, ?, 1, ?, ?)',
        ...[row?.number, 'DECLINED', 'network', `${uid}-${n}`],
      )
    }
  })

describe('events', () => {
  it('come oldest first, 100 a page unless said otherwise, and none twice', async () => {
    const [qrCode, other] = [await fresh(), await fresh()]
    await decline(qrCode, 120)
    await decline(other, 5)
    await cancel(qrCode)
    const first = await page(qrCode, {})
    expect(first.events).toHaveLength(100)
    const { events } = await all(qrCode, 100)
    expect(events.slice(0, 100)).toEqual(first.events)
    const uids = events.map(({ payment }) => payment?.paymentUid)
    expect(uids).toEqual([
      undefined,
      ...Array.from({ length: 120 }, (_, n) => `${qrCode.uid}-${n}`),
      undefined,
    ])
    expect([events[0]?.status, events.at(-1)?.status]).toEqual(['CREATED', 'CANCELLED'])
    for (const limit of [1, 2, 7, 61, 99]) {
      const paged = await all(qrCode, limit)
      expect(paged.events).toEqual(events)
      expect(paged.lengths.slice(0, -1).every((length) => length === limit)).toBe(true)
    }
  })

  it.each([0, 1, 2])('after %i attempts end with an expiry that is not recorded yet', async (attempts) => {
    const qrCode = await fresh()
    await decline(qrCode, attempts)
    await runInDurableObject(demo, (_, { storage }) => {
      storage.sql.exec('UPDATE qr_codes SET created_at = 1 WHERE qr_code_uid = ?', qrCode.uid)
    })
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
    await decline(qrCode, 3000)
    await runInDurableObject(demo, (_, { storage }) => {
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
      const { events, next } = eventsOf(sql, row, { limit: 10 }, 2)
      expect([events.length, typeof next]).toEqual([10, 'number'])
      eventsOf(sql, row, { limit: 10, after: (next ?? 0) + 2900 }, 2)
      for (const rowsRead of read) expect(rowsRead()).toBeLessThanOrEqual(30)
    })
  })

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', ''],
    ['cursor', ''],
    ['cursor', 'MTItMw'],
  ])('are refused for %s=%s by name', async (name, value) => {
    const { path } = await fresh()
    const response = await call(`${path}/events?${new URLSearchParams({ [name]: value })}`)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [name]])
  })
})
