// The ends of QR codes, tokens and sales: reads show them from their second on, and record nothing.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Outcome } from '../../src/errors.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import {
  nextEnd,
  openSaleForWrite,
  qrCodeForWrite,
  saleForWrite,
  tokenForWrite,
} from '../../src/site/clock.ts'
import { findQrCode } from '../../src/site/qr-codes/rows.ts'
import { findSale } from '../../src/site/sales/rows.ts'
import type { Site } from '../../src/site/site.ts'
import { seconds, toMilliseconds } from '../../src/site/time.ts'
import { findToken } from '../../src/site/tokens/rows.ts'
import { addToken, contextOf, createIn, creation, inNewSite, MERCHANT, NETWORK } from '../support/site.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const PAGE = { limit: 10 }
const AMOUNT = { minorUnits: 500, currency: 'RUB' }
const CODE = { qrCodeUid: 'a' }
const TOKEN = { qrCodeUid: 't' }
const COUNTER = { qrCodeUid: 'c' }
const SPAN = { times: [0, 1, 4_000_000_000], before: [0, 1], currency: 'RUB' }

/** A site with a QR code, a token and a sale, whose ends have come and are not recorded. */
const withDueEnds = (work: (site: Site, storage: DurableObjectStorage) => Promise<void>) =>
  inNewSite(async (storage, site) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    unwrap(await site.create(creation('a', { amount: AMOUNT })))
    await addToken(site, 't')
    unwrap(await site.create(creation('c', { type: 'COUNTER', ttl: undefined })))
    vi.setSystemTime(Date.now() + 86_000_000)
    unwrap(await site.armSale(MERCHANT, COUNTER, { saleUid: 's', amount: AMOUNT, ttl: 5 }))
    vi.setSystemTime(Date.now() + 900_000)
    await work(site, storage)
  })

/** From now on no write succeeds. @returns how many rows statements have written since */
function fill(storage: DurableObjectStorage): () => number {
  vi.spyOn(storage, 'transactionSync').mockImplementation(() => {
    throw new Error('the disk is full')
  })
  vi.spyOn(storage, 'setAlarm').mockRejectedValue(new Error('the disk is full'))
  const { sql } = storage
  const exec = sql.exec.bind(sql)
  const cursors: { rowsWritten: number }[] = []
  vi.spyOn(sql, 'exec').mockImplementation((query, ...bindings) => {
    const cursor = exec(query, ...bindings)
    cursors.push(cursor)
    return cursor
  })
  return () => cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)
}

const ENDED = { status: 'EXPIRED' }
const page = (name: string, ...items: object[]) => ({
  [name]: items.map((item) => expect.objectContaining(item)),
})

/** All reads of a site but those of events, and what they show of the ends. */
const READS: [string, (site: Site) => Promise<Outcome<unknown>>, unknown][] = [
  ['a QR code', (site) => site.read(MERCHANT, CODE), expect.objectContaining(ENDED)],
  [
    'the QR code of a token',
    (site) => site.read(MERCHANT, TOKEN),
    expect.objectContaining({ token: expect.objectContaining(ENDED) }),
  ],
  [
    'the payer’s page',
    (site) => site.readForPayer(CODE),
    expect.objectContaining({ qrCode: expect.objectContaining(ENDED) }),
  ],
  [
    'QR codes',
    (site) => site.list(MERCHANT, { ...PAGE, status: ['EXPIRED'] }),
    page('qrCodes', { qrCodeUid: 'a', ...ENDED }),
  ],
  [
    'QR codes that can be paid',
    (site) => site.list(MERCHANT, { ...PAGE, status: ['CREATED'] }),
    page('qrCodes', { qrCodeUid: 'c', sale: undefined }),
  ],
  ['QR codes to ask a bank about', (site) => site.networkQrCodes(NETWORK, PAGE), expect.anything()],
  ['a sale', (site) => site.sale(MERCHANT, COUNTER, 's'), expect.objectContaining(ENDED)],
  ['sales', (site) => site.sales(MERCHANT, COUNTER, PAGE), page('sales', ENDED)],
  ['tokens', (site) => site.tokens(MERCHANT, 'customer', PAGE), page('tokens', ENDED)],
  ['payments', (site) => site.listPayments(MERCHANT, PAGE), page('payments')],
  ['payments of a QR code', (site) => site.payments(MERCHANT, CODE, PAGE), page('payments')],
  ['notifications', (site) => site.notifications(MERCHANT, PAGE), page('notifications')],
  ['settings', (site) => site.settings(MERCHANT), expect.anything()],
  ['API keys', (site) => site.apiKeys(MERCHANT), expect.anything()],
  ['the figures of a day', (site) => site.dayReport(MERCHANT, SPAN), expect.anything()],
  [
    'the health of the site',
    (site) => site.health(MERCHANT),
    expect.objectContaining({ qrCodes: { EXPIRED: 1, ACCEPTED: 1, CREATED: 1 }, tokens: { EXPIRED: 1 } }),
  ],
]

it('on a full disk every read shows what has ended, and none writes', () =>
  withDueEnds(async (site, storage) => {
    const written = fill(storage)
    for (const [name, read, expected] of READS) {
      expect(await read(site), name).toEqual({ ok: true, value: expected })
    }
    expect(written()).toBe(0)
    expect(storage.transactionSync).not.toHaveBeenCalled()
    expect(storage.setAlarm).not.toHaveBeenCalled()
    await expect(site.events(MERCHANT, CODE, PAGE)).rejects.toThrow('the disk is full')
  }))

it('an end that is recorded changes nothing that a read shows', () =>
  withDueEnds(async (site) => {
    const shown = () => Promise.all([CODE, TOKEN, COUNTER].map((key) => site.read(MERCHANT, key)))
    const before = await shown()
    unwrap(await site.feed(MERCHANT, PAGE))
    expect(await shown()).toEqual(before)
    const { events } = unwrap(await site.feed(MERCHANT, { limit: 100 })).value
    expect(events.slice(-3).map(({ type }) => type)).toEqual([
      'qrCode.expired',
      'token.expired',
      'sale.expired',
    ])
  }))

it('a row for a write is as the tables have it after its end is recorded', () =>
  withDueEnds(async (_, storage) => {
    const { sql } = storage
    const code = findQrCode(sql, COUNTER)
    if (!code) throw new Error('the COUNTER code is missing')
    const sale = () => findSale(sql, code.number, 's')
    const context = contextOf(sql, Math.floor(Date.now() / 1000))
    storage.transactionSync(() => {
      const rows: [object | undefined, () => object | undefined][] = [
        [qrCodeForWrite(context, CODE), () => findQrCode(sql, CODE)],
        [tokenForWrite(context, { hash: 'hash of t' }), () => findToken(sql, { hash: 'hash of t' })],
        [saleForWrite(context, sale()), sale],
      ]
      expect(rows.map(([row]) => row)).toMatchObject([ENDED, ENDED, ENDED])
      for (const [row, read] of rows) expect(row).toEqual(read())
      expect(openSaleForWrite(context, code)).toBeUndefined()
    })
  }))

describe('10,000 QR codes that end in one second', () => {
  it('are recorded in parts of 500, and no read waits for more than one of them', () =>
    inNewSite(async (storage, site) => {
      const { sql } = storage
      const start = seconds(Math.floor(Date.now() / 1000))
      unwrap(await site.create(creation('first', { ttl: 60 })))
      storage.transactionSync(() => {
        const context = contextOf(sql, start)
        for (let i = 0; i < 10_000; i++) createIn(context, creation(`${i}`, { ttl: 1 }))
      })
      vi.useFakeTimers({ toFake: ['Date'], now: toMilliseconds(start) + 60_000 })

      const recorded = () =>
        Number(sql.exec("SELECT count(*) AS count FROM events WHERE type = 'qrCode.expired'").one().count)
      const isDue = () => (nextEnd(sql) ?? Number.MAX_SAFE_INTEGER) <= Date.now()
      const parts: number[] = []
      const transactionSync = storage.transactionSync.bind(storage)
      vi.spyOn(storage, 'transactionSync').mockImplementation((operation) => {
        const before = recorded()
        const result = transactionSync(operation)
        if (recorded() > before) parts.push(recorded() - before)
        return result
      })
      /** The ends that are recorded between a read's call and its answer. */
      const waits: number[] = []
      const measure = async (read: () => Promise<Outcome<unknown>>) => {
        const before = recorded()
        unwrap(await read())
        waits.push(recorded() - before)
      }
      const alarms = async () => {
        while (isDue()) await site.alarm()
      }
      const reads = async () => {
        while (isDue()) {
          await Promise.all([
            measure(() => site.read(MERCHANT, { qrCodeUid: '9999' })),
            measure(() => site.list(MERCHANT, { limit: 10, status: ['EXPIRED'] })),
            measure(() => site.events(MERCHANT, { qrCodeUid: '9999' }, { limit: 10 })),
            measure(() => site.feed(MERCHANT, { limit: 10 })),
            measure(() => site.feed(MERCHANT, { limit: 10, before: 'end' })),
          ])
        }
      }
      await Promise.all([alarms(), reads()])
      expect(recorded()).toBe(10_000)
      expect(Math.max(...parts)).toBeLessThanOrEqual(500)
      // One QR code more: a read of its events records its own end.
      expect(Math.max(...waits)).toBeLessThanOrEqual(501)
      expect(waits.length).toBeGreaterThan(50)
    }))
})
