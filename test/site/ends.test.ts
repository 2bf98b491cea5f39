// Ends are recorded in their second; also beside rows of a later version, as after going back to this one.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import type { Context } from '../../src/site/context.ts'
import { Due } from '../../src/site/due.ts'
import { recordEnds } from '../../src/site/ends.ts'
import { ok } from '../../src/site/outcomes.ts'
import { UnreadableRowError } from '../../src/site/rows/columns.ts'
import { integer, requiredInteger } from '../../src/site/rows/sql.ts'
import type { Site } from '../../src/site/site.ts'
import { type Milliseconds, milliseconds } from '../../src/site/time.ts'
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
  work: (alarm: () => Promise<string[]>, storage: DurableObjectStorage, site: Site) => Promise<void>,
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
    await work(alarm, storage, site)
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

const change = (query: string) => (sql: SqlStorage) => void sql.exec(query)

describe('an alarm records every other end where this version cannot read', () => {
  it.each([
    ['a QR code', "UPDATE qr_codes SET type = 'WALLET' WHERE qr_code_uid = 'a1'", 'a1'],
    ['a token', "UPDATE tokens SET network = 'another' WHERE number = 1", 't1'],
    ['the QR code of a token', "UPDATE qr_codes SET type = 'WALLET' WHERE qr_code_uid = 't1'", 't1'],
    ['a sale', "UPDATE sales SET status = 'HELD' WHERE number = 1", 'c1'],
    ['the QR code of a sale', "UPDATE qr_codes SET status = 'HELD' WHERE qr_code_uid = 'c1'", 'c1'],
  ])('%s', (_, query, uid) =>
    withDueEnds(change(query), async (alarm, { sql }) => {
      const others = (['a1', 'a2', 'c1', 'c2', 't1', 't2'] as const).filter((each) => each !== uid)
      expect(await alarm()).toEqual(endsOf(...others))
      // Nothing of the one is half done.
      expect(sql.exec('SELECT status, ended_at FROM sales WHERE number = 1').one()).toMatchObject(
        uid === 'c1' ? { ended_at: null } : { status: 'EXPIRED' },
      )
      expect(await alarm()).toEqual(endsOf(...others))
    }),
  )
})

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

/** Adds so many copies of the first row of a table, of a later version, with an earlier end. */
function addUnreadable(
  sql: SqlStorage,
  table: string,
  changesOf: (i: number) => Record<string, string | number>,
): void {
  const { at, end_at, ...row } = sql.exec(`SELECT * FROM ${table} ORDER BY number LIMIT 1`).one()
  for (let i = 0; i < 600; i++) {
    const copy = { ...row, number: 1000 + i, ...changesOf(i) }
    const names = Object.keys(copy)
    sql.exec(
      `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`,
      ...Object.values(copy),
    )
  }
}

it.each<[string, string, (sql: SqlStorage) => void]>([
  [
    'QR codes',
    'a',
    (sql) =>
      addUnreadable(sql, 'qr_codes', (i) => {
        return { qr_code_uid: `u${i}`, link_id: `u${i}`, type: 'WALLET', created_at: 1 }
      }),
  ],
  [
    'tokens',
    't',
    (sql) =>
      addUnreadable(sql, 'tokens', (i) => {
        return { binding_uid: `u${i}`, hash: `u${i}`, network: 'another', due_at: 1 }
      }),
  ],
  [
    'sales',
    'c',
    (sql) => addUnreadable(sql, 'sales', (i) => ({ sale_uid: `u${i}`, status: 'HELD', due_at: 1 })),
  ],
])(
  'ends behind 600 %s of a later version are recorded if ten pages of them reach that far',
  (_, kind, prepare) =>
    withDueEnds(prepare, async (_alarm, { sql }) => {
      const all = ['a1', 'a2', 'c1', 'c2', 't1', 't2'] as const
      const others = all.filter((uid) => !uid.startsWith(kind))
      recordEnds(contextOf(sql, Math.floor(Date.now() / 1000)), 50)
      expect(recordedIn(sql)).toEqual(endsOf(...others))
      recordEnds(contextOf(sql, Math.floor(Date.now() / 1000)), 70)
      expect(recordedIn(sql)).toEqual(endsOf(...all))
    }),
)

it('payments that cannot be applied to a QR code of a later version undo no end, and stop neither a deletion nor the feed', () =>
  withDueEnds(
    (sql) => {
      sql.exec("UPDATE qr_codes SET type = 'WALLET', status = 'PAYED' WHERE qr_code_uid = 'a1'")
      sql.exec(`UPDATE site SET unapplied_payments = '{"1":"RUB"}', retention_days = 1`)
    },
    async (alarm, { sql }, site) => {
      vi.setSystemTime(Date.now() + 2 * 86_400_000)
      expect(await alarm()).toEqual(endsOf('c1', 'c2', 't1', 't2'))
      expect(sql.exec('SELECT qr_code_uid FROM deleted_qr_codes').toArray()).toEqual([{ qr_code_uid: 'a2' }])
      expect(await site.feed(MERCHANT, { limit: 10 })).toMatchObject({ ok: true })
    },
  ))

it('a failure is logged that has nothing to do with the ends that cannot be read', () =>
  withDueEnds(
    (sql) => {
      sql.exec("UPDATE qr_codes SET type = 'WALLET' WHERE qr_code_uid = 'a1'")
      sql.exec('UPDATE site SET retention_days = 1')
      sql.exec(
        `CREATE TRIGGER broken BEFORE INSERT ON deleted_qr_codes BEGIN SELECT raise(ABORT, 'the disk is odd'); END`,
      )
    },
    async (alarm) => {
      await alarm()
      vi.setSystemTime(Date.now() + 2 * 86_400_000)
      const log = vi.spyOn(console, 'log').mockReset().mockReturnValue()
      await alarm()
      // Others are of the sites of other tests.
      expect(log.mock.calls.flat().map(String)).toContainEqual(
        expect.stringMatching(/"an alarm failed".*the disk is odd/),
      )
    },
  ))

it('a read of events records what has become due since, and does not try again the ends that the alarm could not read', () =>
  withDueEnds(
    (sql) => {
      sql.exec("UPDATE qr_codes SET type = 'WALLET' WHERE qr_code_uid = 'a1'")
      sql.exec("UPDATE qr_codes SET ttl = 4320 WHERE qr_code_uid = 'a2'")
    },
    async (_, { sql }) => {
      const context = () => contextOf(sql, Math.floor(Date.now() / 1000))
      const write = vi.fn(async (operation: (context: Context, now: Milliseconds) => void) =>
        ok(operation(context(), milliseconds(Date.now()))),
      )
      const due = new Due({ read: (operation) => operation(context()), write })
      await due.record(true)
      await expect(due.record(true)).rejects.toThrow(UnreadableRowError)
      write.mockClear()
      await due.recordEnds()
      expect(write).not.toHaveBeenCalled()
      expect(recordedIn(sql)).toEqual(endsOf('c1', 'c2', 't1', 't2'))
      vi.setSystemTime(Date.now() + 2 * 86_400_000)
      await due.recordEnds()
      expect(recordedIn(sql)).toEqual(endsOf('a2', 'c1', 'c2', 't1', 't2'))
    },
  ))

it('a type of notification of a later version is left out of the settings, and undoes no end', () =>
  withDueEnds(
    (sql) => {
      const settings = { callbackUrl: 'https://shop.example/', notificationTypes: ['WALLET', 'QR_CODE'] }
      sql.exec(
        "INSERT INTO settings (number, settings, revision, replaced) VALUES (1, ?, 'r', 'q')",
        JSON.stringify(settings),
      )
    },
    async (alarm, { sql }, site) => {
      expect(await alarm()).toEqual(endsOf('a1', 'a2', 'c1', 'c2', 't1', 't2'))
      expect(integer(sql, "SELECT count(*) FROM outbox WHERE content ->> 'type' = 'QR_CODE'")).toBe(2)
      const { settings } = unwrap(await site.settings(MERCHANT))
      expect(settings.notificationTypes).toEqual(['QR_CODE'])
    },
  ))
