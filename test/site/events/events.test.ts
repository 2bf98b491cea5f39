import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Event, FeedCursor } from '../../../src/contract/event.ts'
import { unwrap } from '../../../src/gateway/site-client.ts'
import type { Initiator } from '../../../src/site/context.ts'
import { migrate } from '../../../src/site/database/schema.ts'
import {
  eventsOf,
  type FeedQuery,
  feedPage,
  lastEvent,
  recordEvent,
} from '../../../src/site/events/events.ts'
import type { NewEvent } from '../../../src/site/events/rows.ts'
import {
  contextOf,
  createAll,
  createIn,
  creation,
  inNewSite,
  MERCHANT,
  NETWORK,
  ORIGIN,
  rowsReadBy,
} from '../../support/site.ts'

const by: Initiator = { actor: 'merchant', keyId: 'key' }
const record = (
  sql: SqlStorage,
  at: number,
  { by: who = by, ...more }: Partial<NewEvent> & { by?: Initiator } = {},
) => recordEvent(contextOf(sql, at, who), { type: 'qrCode.cancelled', ...more })
/** A page of the feed; undefined for a cursor of another feed. */
const feed = (sql: SqlStorage, query: FeedQuery) => {
  const page = feedPage(sql, query)
  return page.ok ? page.value : undefined
}
const numbersOf = (events: readonly Event[]) => events.map(({ number }) => number)
const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1)

/** Reads the feed to its end. */
function readAll(sql: SqlStorage, limit: number, after?: FeedCursor): { events: Event[]; next: FeedCursor } {
  const page = feed(sql, { after, limit })
  if (!page) throw new Error('the cursor is gone')
  if (page.events.length === 0) return page
  const rest = readAll(sql, limit, page.next)
  return { events: [...page.events, ...rest.events], next: rest.next }
}

describe('the feed', () => {
  it('has every committed event once and in order, numbered without gaps, whatever was rolled back', async () => {
    await inNewSite((storage) => {
      const { sql } = storage
      migrate(storage)
      const step = fc.record({ events: fc.integer({ min: 1, max: 3 }), isRolledBack: fc.boolean() })
      fc.assert(
        fc.property(fc.array(step, { maxLength: 20 }), fc.integer({ min: 1, max: 5 }), (steps, limit) => {
          sql.exec('DELETE FROM events')
          const committed: number[] = []
          for (const [at, { events, isRolledBack }] of steps.entries()) {
            try {
              storage.transactionSync(() => {
                for (let i = 0; i < events; i++) record(sql, at)
                if (isRolledBack) throw new Error('rolled back')
              })
              committed.push(...Array.from({ length: events }, () => at))
            } catch {}
          }
          const { events, next } = readAll(sql, limit)
          expect(numbersOf(events)).toEqual(upTo(committed.length))
          expect(events.map(({ at }) => at)).toEqual(committed)
          expect(next.number).toBe(lastEvent(sql))
        }),
        { numRuns: 60 },
      )
    })
  })

  it('goes on where its cursor is, after new events too', async () => {
    await inNewSite((storage) => {
      const { sql } = storage
      migrate(storage)
      for (let at = 1; at <= 5; at++) record(sql, at)
      const first = feed(sql, { limit: 3 })
      expect(numbersOf(first?.events ?? [])).toEqual([1, 2, 3])
      const second = feed(sql, { after: first?.next, limit: 3 })
      expect(numbersOf(second?.events ?? [])).toEqual([4, 5])
      expect(feed(sql, { after: second?.next, limit: 3 })).toEqual({ events: [], next: second?.next })
      record(sql, 6)
      expect(numbersOf(feed(sql, { after: second?.next, limit: 3 })?.events ?? [])).toEqual([6])
    })
  })

  it('has another epoch in each site, and refuses the cursors of others', async () => {
    const epochs = await Promise.all(
      [1, 2].map(() =>
        inNewSite((storage) => {
          const { sql } = storage
          migrate(storage)
          record(sql, 1)
          const { epoch } = feed(sql, { limit: 1 })?.next ?? { epoch: '' }
          expect(epoch).toMatch(/^[0-9a-f]{16}$/)
          expect(feed(sql, { after: { epoch: 'f'.repeat(16), number: 0 }, limit: 1 })).toBeUndefined()
          expect(feed(sql, { after: { epoch, number: 1 }, limit: 1 })?.events).toEqual([])
          // A number that the feed does not have yet: the database is older than the cursor.
          expect(feed(sql, { after: { epoch, number: 2 }, limit: 1 })).toBeUndefined()
          return epoch
        }),
      ),
    )
    expect(new Set(epochs).size).toBe(2)
  })

  it('begins before the first event of the site with a cursor that has no epoch, and loses nothing', async () => {
    const site = env.SITES.getByName(crypto.randomUUID())
    const before = unwrap(await site.feed(MERCHANT, { limit: 10 })).value
    expect(before).toEqual({ events: [], next: { epoch: '', number: 0 } })
    await createAll(site, [creation('a'), creation('b')])
    const after = unwrap(await site.feed(MERCHANT, { after: before.next, limit: 10 })).value
    expect(numbersOf(after.events)).toEqual([1, 2])
    expect(after.next.epoch).not.toBe('')
  })

  it('reads the rows of its page alone, deep in it too, and so do the events of a QR code', async () => {
    await inNewSite((storage) => {
      const { sql } = storage
      migrate(storage)
      for (const uid of ['a', 'b']) unwrap(createIn(contextOf(sql, 1000), creation(uid)))
      for (let at = 3; at <= 2000; at++) {
        record(sql, at, { by: { actor: 'merchant', keyId: `${at % 7}` }, qrCode: at % 500 === 0 ? 1 : 2 })
      }
      const { epoch } = feed(sql, { limit: 1 })?.next ?? { epoch: '' }
      const [first, deep] = [0, 1900].map((number) =>
        rowsReadBy(sql, (counted) => feed(counted, { after: { epoch, number }, limit: 5 })),
      )
      expect(deep?.value?.events).toHaveLength(5)
      // With the names of five keys.
      expect(first?.rowsRead).toBeLessThanOrEqual(30)
      expect(deep?.rowsRead).toBeLessThanOrEqual(30)
      const rare = rowsReadBy(sql, (counted) => eventsOf(counted, 1, { limit: 100 }))
      expect(numbersOf(rare.value.events)).toEqual([1, 500, 1000, 1500, 2000])
      // With what the row of the QR code names.
      expect(rare.rowsRead).toBeLessThanOrEqual(40)
    })
  })

  it('says what became of the QR code, by whom, and with which payment', async () => {
    const site = env.SITES.getByName(crypto.randomUUID())
    unwrap(await site.create(creation('a')))
    const report = {
      paymentUid: 'p',
      status: 'DECLINED',
      amount: { minorUnits: 500, currency: 'RUB' },
      at: 1_700_000_000,
    } as const
    unwrap(await site.report(NETWORK, { qrCodeUid: 'a' }, report, ORIGIN))
    unwrap(await site.cancel({ ...MERCHANT, keyId: 'other' }, { qrCodeUid: 'a' }))
    const { events } = unwrap(await site.feed(MERCHANT, { limit: 10 })).value
    const common = { at: expect.any(Number), qrCodeUid: 'a' }
    expect(events).toEqual([
      {
        ...common,
        number: 1,
        type: 'qrCode.created',
        actor: 'merchant',
        keyId: 'test',
        status: 'CREATED',
        payment: undefined,
      },
      {
        ...common,
        number: 2,
        type: 'payment.declined',
        actor: 'network',
        keyId: 'network',
        status: 'DECLINED',
        payment: { paymentUid: 'p', status: 'DECLINED', amount: report.amount, applied: true },
      },
      {
        ...common,
        number: 3,
        type: 'qrCode.cancelled',
        actor: 'merchant',
        keyId: 'other',
        status: 'CANCELLED',
        payment: undefined,
      },
    ])
  })
})

it('a caller is stored once, however many events it causes', async () => {
  await inNewSite((storage) => {
    const { sql } = storage
    migrate(storage)
    const callers: Initiator[] = [
      by,
      { actor: 'network', keyId: 'key' },
      { actor: 'payer' },
      { actor: 'clock' },
    ]
    for (let i = 0; i < 12; i++) record(sql, i, { by: callers[i % callers.length] ?? by })
    expect(sql.exec('SELECT count(*) AS count FROM callers').one()).toEqual({ count: 4 })
    expect(
      readAll(sql, 5)
        .events.slice(8)
        .map(({ actor, keyId }) => [actor, keyId]),
    ).toEqual([
      ['merchant', 'key'],
      ['network', 'key'],
      ['payer', undefined],
      ['clock', undefined],
    ])
  })
})

it('the pages of a QR code have its own events alone; the last one names no next', async () => {
  await inNewSite((storage) => {
    const { sql } = storage
    migrate(storage)
    for (const uid of ['a', 'b']) unwrap(createIn(contextOf(sql, 1000), creation(uid)))
    for (let i = 0; i < 6; i++) record(sql, i, { qrCode: 1 + (i % 2) })
    // The events 1, 3, 5 and 7 are of the first QR code.
    expect(eventsOf(sql, 1, { limit: 4 })).toMatchObject({ events: [{ number: 1 }, {}, {}, { number: 7 }] })
    expect(eventsOf(sql, 1, { limit: 4 }).next).toBeUndefined()
    const first = eventsOf(sql, 1, { limit: 3 })
    expect([numbersOf(first.events), first.next]).toEqual([[1, 3, 5], 5])
    const last = eventsOf(sql, 1, { cursor: first.next, limit: 3 })
    expect([numbersOf(last.events), last.next]).toEqual([[7], undefined])
  })
})
