import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { TYPES } from '../../../src/contract/qr-code.ts'
import { type QrCodeStatus, STATUSES } from '../../../src/contract/status.ts'
import { unwrap } from '../../../src/gateway/site-client.ts'
import { migrate } from '../../../src/site/database/schema.ts'
import { listQrCodes, type QrCodeListQuery } from '../../../src/site/qr-codes/list.ts'
import { contextOf, createIn, creation, inNewSite, rowsReadBy } from '../../support/site.ts'

/** Creates a QR code of ten minutes at a time; its uid is its number. */
const createAt = (sql: SqlStorage, uid: string, time: number) =>
  unwrap(createIn(contextOf(sql, time), creation(uid)))

/** Creates many QR codes at once, numbered from 1, each at the second of its number. */
function createMany(sql: SqlStorage, count: number): void {
  createAt(sql, '1', 1)
  for (let n = 2; n <= 9; n++) sql.exec("INSERT INTO link_bases (base, bank) VALUES (?, '1')", `https://${n}`)
  sql.exec(
    `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO qr_codes (qr_code_uid, type, ttl, create_token, link_base, link_id, status, version, created_at)
     SELECT n, 'DYNAMIC', 10, 0, 1 + n % 9, n, 'CREATED', 0, n FROM numbers`,
    count,
  )
}

const setStatus = (sql: SqlStorage, status: QrCodeStatus, where: string) =>
  sql.exec(`UPDATE qr_codes SET status = ? WHERE ${where}`, status)

const uidsOf = (sql: SqlStorage, query: QrCodeListQuery, now: number) =>
  listQrCodes(contextOf(sql, now), query).qrCodes.map(({ qrCodeUid }) => qrCodeUid)

/** The uids of all pages. */
function pages(sql: SqlStorage, query: Omit<QrCodeListQuery, 'cursor'>, now: number): string[] {
  const uids: string[] = []
  let cursor: number | undefined
  do {
    const page = listQrCodes(contextOf(sql, now), { ...query, cursor })
    uids.push(...page.qrCodes.map(({ qrCodeUid }) => qrCodeUid))
    expect(page.qrCodes.length).toBeLessThanOrEqual(query.limit)
    cursor = page.next
  } while (cursor !== undefined)
  return uids
}

describe('the rows read for a page', () => {
  it('are as many deep in the list as on the first page', async () => {
    await inNewSite((storage) => {
      const { sql } = storage
      migrate(storage)
      createMany(sql, 3000)
      const page = (query: QrCodeListQuery) => rowsReadBy(sql, (counted) => uidsOf(counted, query, 5000))
      const first = page({ limit: 2 })
      const deep = page({ limit: 2, cursor: 101 })
      expect([first.value, deep.value]).toEqual([
        ['3000', '2999'],
        ['100', '99'],
      ])
      expect(first.rowsRead).toBeGreaterThan(0)
      expect(deep.rowsRead).toBeLessThanOrEqual(first.rowsRead + 2)
    })
  })

  /** Four rows of each status, some of them in two tables, four pages of the newest, and two binary searches at most. */
  const MOST = 110

  beforeAll(async () => {
    await runInDurableObject(env.SITES.getByName('paid'), (_, { storage }) => {
      migrate(storage)
      createMany(storage.sql, 20_000)
      setStatus(storage.sql, 'PAYED', 'number > 20')
      setStatus(storage.sql, 'CANCELLED', 'number <= 20')
      setStatus(storage.sql, 'DECLINED', 'number BETWEEN 10001 AND 10020')
    })
    await runInDurableObject(env.SITES.getByName('payable'), (_, { storage }) => {
      migrate(storage)
      createMany(storage.sql, 20_000)
      setStatus(storage.sql, 'EXPIRED', 'number <= 20')
    })
  })

  it.each<[Partial<QrCodeListQuery>, string[]]>([
    [{ status: ['CANCELLED'] }, ['20', '19', '18']],
    [{ status: ['CANCELLED'], cursor: 11 }, ['10', '9', '8']],
    [{ status: ['CANCELLED'], cursor: 1 }, []],
    [{ status: ['DECLINED', 'CANCELLED'] }, ['10020', '10019', '10018']],
    [{ status: ['CREATED'] }, []],
    [{ status: ['EXPIRED', 'CANCELLED'] }, ['20', '19', '18']],
    [{ status: ['CANCELLED'], createdFrom: 5, createdTo: 7 }, ['7', '6', '5']],
    [{ status: ['CANCELLED'], createdFrom: 10_000 }, []],
    [{ status: ['PAYED'], createdTo: 22 }, ['22', '21']],
  ])('are bounded, where 20 of 20,000 have the status: %j', async (query, uids) => {
    await runInDurableObject(env.SITES.getByName('paid'), (_, { storage: { sql } }) => {
      const { value, rowsRead } = rowsReadBy(sql, (counted) => uidsOf(counted, { limit: 3, ...query }, 1))
      expect(value).toEqual(uids)
      expect(rowsRead).toBeLessThanOrEqual(MOST)
    })
  })

  it.each<[QrCodeStatus, number, string[]]>([
    ['EXPIRED', 600, ['20', '19', '18']],
    ['EXPIRED', 625, ['25', '24', '23']],
    ['CREATED', 600, ['20000', '19999', '19998']],
  ])('are bounded, where 20,000 can still be paid: %s at %i', async (status, now, uids) => {
    await runInDurableObject(env.SITES.getByName('payable'), (_, { storage: { sql } }) => {
      const { value, rowsRead } = rowsReadBy(sql, (counted) =>
        uidsOf(counted, { limit: 3, status: [status] }, now),
      )
      expect(value).toEqual(uids)
      expect(rowsRead).toBeLessThanOrEqual(MOST)
    })
  })
})

it('the rows read for a page of a type are bounded, where nearly all codes are STATIC', async () => {
  await inNewSite((storage) => {
    const { sql } = storage
    migrate(storage)
    createMany(sql, 20_000)
    sql.exec(`UPDATE qr_codes SET type = 'STATIC', ttl = NULL WHERE number > 20`)
    setStatus(sql, 'PAYED', 'number <= 5')
    const query = { type: ['DYNAMIC' as const], limit: 3 }
    for (const [more, now, uids] of [
      [{}, 1, ['20', '19', '18']],
      [{ cursor: 18 }, 1, ['17', '16', '15']],
      [{ cursor: 7 }, 610, ['6', '5', '4']],
      [{ status: ['CREATED' as const] }, 617, ['20', '19', '18']],
      [{ status: ['EXPIRED' as const] }, 617, ['17', '16', '15']],
    ] as const) {
      const { value, rowsRead } = rowsReadBy(sql, (counted) => uidsOf(counted, { ...query, ...more }, now))
      expect(value).toEqual(uids)
      expect(rowsRead).toBeLessThanOrEqual(300)
    }
    const ofStatic = rowsReadBy(sql, (counted) => uidsOf(counted, { type: ['STATIC'], limit: 3 }, 617))
    expect(ofStatic.value).toEqual(['20000', '19999', '19998'])
    expect(ofStatic.rowsRead).toBeLessThanOrEqual(300)
    // Where many can be paid, the page is not made by sorting all of them.
    sql.exec("UPDATE qr_codes SET type = 'DYNAMIC', ttl = 10")
    setStatus(sql, 'CREATED', 'TRUE')
    const many = rowsReadBy(sql, (counted) => uidsOf(counted, query, 1))
    expect(many.value).toEqual(['20000', '19999', '19998'])
    expect(many.rowsRead).toBeLessThanOrEqual(FEW_AND_PAGES)
  })
})
/** The rows that are counted, and the pages of each status. */
const FEW_AND_PAGES = 2_100

describe('the rows read for a page of CREATED codes, which no index by status has, are bounded', () => {
  const MANY = 20_000
  /** Pages of three: of the codes that some SQL makes of 20,000 that can be paid. */
  const read = (make: string, queries: [Partial<QrCodeListQuery>, string[], number][]) =>
    inNewSite((storage) => {
      const { sql } = storage
      migrate(storage)
      createMany(sql, MANY)
      sql.exec(make)
      for (const [more, uids, most] of queries) {
        const query = { status: ['CREATED' as const], limit: 3, ...more }
        const { value, rowsRead } = rowsReadBy(sql, (counted) => uidsOf(counted, query, 1))
        expect([more, value]).toEqual([more, uids])
        expect(rowsRead, JSON.stringify(more)).toBeLessThanOrEqual(most)
      }
    })

  it('where many STATIC codes lie below as many paid ones', () =>
    read(
      `UPDATE qr_codes SET type = 'STATIC', ttl = NULL WHERE number <= 5000;
       UPDATE qr_codes SET status = 'PAYED' WHERE number > 5000`,
      [
        [{}, ['5000', '4999', '4998'], 100],
        [{ cursor: 1000 }, ['999', '998', '997'], 100],
        [{ createdFrom: 300, createdTo: 301 }, ['301', '300'], 100],
        [{ type: ['DYNAMIC'] }, [], 100],
        [{ type: ['STATIC'] }, ['5000', '4999', '4998'], 100],
      ],
    ))

  it('where they are dense, or one in fifty of the newest', () =>
    read("UPDATE qr_codes SET status = 'PAYED' WHERE number BETWEEN 10001 AND 20000 AND number % 50 <> 0", [
      [{}, ['20000', '19950', '19900'], FEW_AND_PAGES + 200],
      [{ cursor: 9000 }, ['8999', '8998', '8997'], 30],
      [{ cursor: 9000, type: ['DYNAMIC'] }, ['8999', '8998', '8997'], 30],
    ]))

  it('where all of those that can end lie below as many paid ones: by their number, and not by that of all', () =>
    read("UPDATE qr_codes SET status = 'PAYED' WHERE number > 3000", [
      [{}, ['3000', '2999', '2998'], 2 * FEW_AND_PAGES + 3000],
      [{ type: ['DYNAMIC'] }, ['3000', '2999', '2998'], 2 * FEW_AND_PAGES + 3000],
    ]))
})

describe('a status', () => {
  const NOW = 10_000
  /** Every recorded status, before its expiry and after it. */
  const kept = [
    ...STATUSES.map((status) => ({ uid: `${status}-early`, status, createdAt: NOW - 600 })),
    ...STATUSES.map((status) => ({ uid: `${status}-late`, status, createdAt: NOW - 599 })),
  ]
  /** What it is at NOW: the expiry counts from its second on, though no alarm has recorded it. */
  const statusAtNow = ({ uid, status }: { uid: string; status: QrCodeStatus }) =>
    uid.endsWith('early') && (status === 'CREATED' || status === 'DECLINED') ? 'EXPIRED' : status

  it.each<[QrCodeStatus[]]>([
    ...STATUSES.map((status): [QrCodeStatus[]] => [[status]]),
    [['CREATED', 'EXPIRED']],
    [['DECLINED', 'EXPIRED', 'PAYED']],
    [[...STATUSES]],
  ])('%j lists what has it by now, though the alarm is late', async (status) => {
    await inNewSite((storage) => {
      const { sql } = storage
      migrate(storage)
      for (const { uid, status, createdAt } of kept) {
        createAt(sql, uid, createdAt)
        setStatus(sql, status, `qr_code_uid = '${uid}'`)
      }
      const expected = kept.filter((qrCode) => status.includes(statusAtNow(qrCode))).toReversed()
      expect(expected.length).toBeGreaterThan(0)
      for (const limit of [1, 3, 100]) {
        expect(pages(sql, { status, limit }, NOW)).toEqual(expected.map(({ uid }) => uid))
      }
      for (const { status: answered } of listQrCodes(contextOf(sql, NOW), { status, limit: 100 }).qrCodes) {
        expect(status).toContain(answered)
      }
    })
  })
})

it('several statuses, types, times and deleted rows: the pages have what a scan of all rows finds', async () => {
  await inNewSite((storage) => {
    const { sql } = storage
    migrate(storage)
    const time = fc.nat({ max: 60 })
    const row = fc.record({
      gap: fc.nat({ max: 4 }),
      status: fc.constantFrom(...STATUSES),
      isStatic: fc.boolean(),
      isDeleted: fc.boolean(),
    })
    const query = fc.record({
      status: fc.option(fc.uniqueArray(fc.constantFrom(...STATUSES), { minLength: 1 }), { nil: undefined }),
      type: fc.constantFrom(undefined, ['DYNAMIC' as const], ['STATIC' as const], [...TYPES]),
      createdFrom: fc.option(time, { nil: undefined }),
      createdTo: fc.option(time, { nil: undefined }),
      limit: fc.integer({ min: 1, max: 4 }),
    })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 25 }), query, fc.nat({ max: 700 }), (rows, query, now) => {
        sql.exec('DELETE FROM events')
        sql.exec('DELETE FROM qr_codes')
        let createdAt = 0
        const kept = rows.flatMap(({ gap, status, isStatic, isDeleted }, i) => {
          createdAt += gap
          createAt(sql, `${i}`, createdAt)
          setStatus(sql, status, `qr_code_uid = '${i}'`)
          if (isStatic) sql.exec(`UPDATE qr_codes SET type = 'STATIC', ttl = NULL WHERE qr_code_uid = '${i}'`)
          return isDeleted ? [] : [{ uid: `${i}`, createdAt, status, isStatic }]
        })
        sql.exec('DELETE FROM events')
        for (const [i, { isDeleted }] of rows.entries()) {
          if (isDeleted) sql.exec('DELETE FROM qr_codes WHERE qr_code_uid = ?', `${i}`)
        }
        const expected = kept.filter(({ createdAt, status, isStatic }) => {
          const isExpired =
            !isStatic && (status === 'CREATED' || status === 'DECLINED') && now >= createdAt + 600
          return (
            (query.type?.some((each) => each === (isStatic ? 'STATIC' : 'DYNAMIC')) ?? true) &&
            (query.status?.includes(isExpired ? 'EXPIRED' : status) ?? true) &&
            createdAt >= (query.createdFrom ?? 0) &&
            createdAt <= (query.createdTo ?? Number.POSITIVE_INFINITY)
          )
        })
        expect(pages(sql, query, now)).toEqual(expected.map(({ uid }) => uid).toReversed())
      }),
      { numRuns: 200 },
    )
  })
})
