// Ends are recorded in their second; no other part of an alarm that fails undoes them.
import { afterEach, expect, it, vi } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import { recordEnds } from '../../src/site/ends.ts'
import { requiredInteger } from '../../src/site/rows/sql.ts'
import type { Site } from '../../src/site/site.ts'
import { addToken, contextOf, creation, inNewSite, MERCHANT } from '../support/site.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const AMOUNT = { minorUnits: 500, currency: 'RUB' }

async function addSale(site: Site, qrCodeUid: string): Promise<void> {
  unwrap(await site.create(creation(qrCodeUid, { type: 'COUNTER', ttl: undefined })))
  unwrap(await site.armSale(MERCHANT, { qrCodeUid }, { saleUid: 's', amount: AMOUNT, ttl: 5 }))
}

const END_OF = { a: 'qrCode.expired', t: 'token.expired', c: 'sale.expired' }

/** A site with two QR codes, a1 and a2, two tokens, t1 and t2, and two sales, c1 and c2: the end of each has come after the prepared one. */
const withDueEnds = (
  prepare: (sql: SqlStorage) => void,
  work: (alarm: () => Promise<string[]>, storage: DurableObjectStorage) => Promise<void>,
) =>
  inNewSite(async (storage, site) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.spyOn(console, 'log').mockReturnValue()
    for (const uid of ['a1', 'a2']) unwrap(await site.create(creation(uid, { amount: AMOUNT })))
    for (const uid of ['t1', 't2']) await addToken(site, uid)
    for (const uid of ['c1', 'c2']) await addSale(site, uid)
    prepare(storage.sql)
    vi.setSystemTime(Date.now() + 2 * 86_400_000)
    const alarm = async () => {
      await site.alarm()
      return recordedIn(storage.sql)
    }
    await work(alarm, storage)
  })

const recordedIn = (sql: SqlStorage): string[] =>
  sql
    .exec(
      `SELECT events.type AS type, qr_code_uid FROM events JOIN qr_codes ON qr_codes.number = events.qr_code
       WHERE events.type LIKE '%.expired' ORDER BY qr_code_uid`,
    )
    .toArray()
    .map(({ type, qr_code_uid: uid }) => `${type} ${uid}`)

const endsOf = (...uids: `${keyof typeof END_OF}${1 | 2}`[]) =>
  uids.map((uid) => `${uid.startsWith('a') ? END_OF.a : uid.startsWith('t') ? END_OF.t : END_OF.c} ${uid}`)

it.each([
  ['a QR code', 'a1', "SELECT end_at FROM qr_codes WHERE qr_code_uid = 'a1'"],
  ['a token', 't1', 'SELECT due_at FROM tokens WHERE number = 1'],
  ['a sale', 'c1', 'SELECT due_at FROM sales WHERE number = 1'],
] as const)('the end of %s is recorded in its second, and not before', (_, uid, query) =>
  withDueEnds(
    () => {},
    async (_alarm, { sql }) => {
      const end = requiredInteger(sql, query)
      const [event = ''] = endsOf(uid)
      recordEnds(contextOf(sql, end - 1), 50)
      expect(recordedIn(sql)).not.toContain(event)
      recordEnds(contextOf(sql, end), 50)
      expect(recordedIn(sql)).toContain(event)
    },
  ),
)

it('the ends of all kinds that one write records are limited, the oldest first', () =>
  withDueEnds(
    () => {},
    async (_alarm, { sql }) => {
      const now = Math.floor(Date.now() / 1000)
      recordEnds(contextOf(sql, now), 3)
      expect(recordedIn(sql)).toHaveLength(3)
      recordEnds(contextOf(sql, now), 2)
      expect(recordedIn(sql)).toHaveLength(5)
      recordEnds(contextOf(sql, now), 2)
      expect(recordedIn(sql)).toEqual(endsOf('a1', 'a2', 'c1', 'c2', 't1', 't2'))
    },
  ))

it('payments that cannot be applied undo no end, and stop no deletion', () =>
  withDueEnds(
    (sql) => {
      sql.exec("UPDATE qr_codes SET type = 'WALLET', status = 'PAYED' WHERE qr_code_uid = 'a1'")
      sql.exec(`UPDATE site SET unapplied_payments = '{"1":"RUB"}', retention_days = 1`)
    },
    async (alarm, { sql }) => {
      vi.setSystemTime(Date.now() + 2 * 86_400_000)
      expect(await alarm()).toEqual(endsOf('c1', 'c2', 't1', 't2'))
      expect(sql.exec('SELECT qr_code_uid FROM deleted_qr_codes').toArray()).toEqual([{ qr_code_uid: 'a2' }])
    },
  ))

it('two parts of an alarm that fail stop no other, and the first is logged', () =>
  withDueEnds(
    (sql) => {
      sql.exec("UPDATE qr_codes SET type = 'WALLET', status = 'PAYED' WHERE qr_code_uid = 'a1'")
      sql.exec(`UPDATE site SET unapplied_payments = '{"1":"RUB"}', retention_days = 1`)
      sql.exec(
        `CREATE TRIGGER broken BEFORE INSERT ON deleted_qr_codes BEGIN SELECT raise(ABORT, 'the disk is odd'); END`,
      )
      sql.exec("INSERT INTO sessions VALUES ('s', 'k', 'merchant', NULL, 1, 2, 2, NULL, 0, 1, NULL)")
    },
    async (alarm, { sql }) => {
      vi.setSystemTime(Date.now() + 2 * 86_400_000)
      const log = vi.spyOn(console, 'log').mockReset().mockReturnValue()
      expect(await alarm()).toEqual(endsOf('a2', 'c1', 'c2', 't1', 't2'))
      expect(sql.exec('SELECT id FROM sessions').toArray()).toEqual([])
      expect(log.mock.calls.flat().map(String)).toContainEqual(
        expect.stringMatching(/"an alarm failed".*other types than its columns: type/),
      )
    },
  ))

it('a deletion that fails is logged, and undoes no end', () =>
  withDueEnds(
    (sql) => {
      sql.exec('UPDATE site SET retention_days = 1')
      sql.exec(
        `CREATE TRIGGER broken BEFORE INSERT ON deleted_qr_codes BEGIN SELECT raise(ABORT, 'the disk is odd'); END`,
      )
    },
    async (alarm) => {
      vi.setSystemTime(Date.now() + 2 * 86_400_000)
      const log = vi.spyOn(console, 'log').mockReset().mockReturnValue()
      expect(await alarm()).toEqual(endsOf('a1', 'a2', 'c1', 'c2', 't1', 't2'))
      // Others are of the sites of other tests.
      expect(log.mock.calls.flat().map(String)).toContainEqual(
        expect.stringMatching(/"an alarm failed".*the disk is odd/),
      )
    },
  ))
