// The connector's database: what its statements cost on a disk that has run for years.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../connector/disk/database.ts'
import { Disk } from '../../connector/disk/disk.ts'
import { migrate } from '../../connector/disk/schema.ts'
import type { WebhookRow, Webhooks } from '../../connector/inbox/rows.ts'

/** Keeps the text of each statement that is prepared. */
class Recording extends DatabaseSync {
  readonly statements: string[] = []

  override prepare(sql: string) {
    this.statements.push(sql)
    return super.prepare(sql)
  }

  planOf(sql: string): string[] {
    const plan = super.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    return plan.all().map(({ detail }) => String(detail))
  }
}

const migrated = <T extends DatabaseSync>(database: T): T => {
  migrate(database)
  return database
}

it('no statement reads a whole table, but those of commands', () => {
  const database = migrated(new Recording(':memory:'))
  new Disk(database)
  const scans = database.statements.filter((sql) =>
    // A virtual table is a list that the statement is given.
    database.planOf(sql).some((line) => /^SCAN (?!lanes|.* USING |.* VIRTUAL TABLE )/.test(line)),
  )
  expect(scans.map((sql) => sql.replace(/\s+/g, ' '))).toEqual([
    // check
    expect.stringMatching(/ FROM cancellations ORDER BY since, /),
    // after the clock went back by more than a minute: all of them are open
    expect.stringMatching(/^UPDATE cancellations SET due_at = :now, /),
    // reconcile: of the operator's decisions alone, which are few
    expect.stringMatching(/ FROM charges .* FROM decisions CROSS JOIN charges /),
    // reconcile
    expect.stringMatching(/ FROM codes WHERE created_at < \? /),
    // replay
    expect.stringMatching(/ FROM reports WHERE created_at >= \? /),
    // reconcile
    expect.stringMatching(/ FROM sales WHERE reference IS NOT NULL AND min\(created_at, expires_at\) >= \? /),
    // after the clock went back by more than a minute
    ...['codes', 'sales', 'bindings'].map((table) =>
      expect.stringMatching(new RegExp(`^UPDATE ${table} .* WHERE rests = 1 AND stepped_at > :now `)),
    ),
  ])
  for (const decided of scans.filter((sql) => sql.includes('FROM decisions')))
    expect(database.planOf(decided).filter((line) => line.startsWith('SCAN'))).toEqual(['SCAN decisions'])
  // A till has many payments: its webhooks read those that none has told of, and their own.
  const ofWebhooks = database.statements.filter((sql) => /^SELECT .*webhook_number/s.test(sql))
  expect(ofWebhooks.flatMap((sql) => database.planOf(sql))).toEqual([
    expect.stringContaining('INDEX payments_by_webhook (site=? AND qrc_id=? AND webhook_number=?)'),
    expect.stringContaining('INDEX payments_untold (site=? AND qrc_id=? AND created_at>?)'),
  ])
  // What is done, rests, or is of another lane is not read.
  for (const [table, lane] of [
    ['bindings', 'bank'],
    ['codes', 'bank'],
    ['sales', 'bank'],
    ['webhooks', 'bank'],
    ['charges', 'bank'],
    ['refunds', 'bank'],
    ['reports', 'site'],
    ['cancellations', 'bank'],
  ] as const) {
    const due = database.statements.filter(
      (sql) => sql.includes(`FROM ${table}`) && sql.includes('rests = 0 AND due_at <= ?'),
    )
    const searches = due.map((sql) => database.planOf(sql).filter((line) => line.includes('due_at<?')))
    const search = expect.stringMatching(
      new RegExp(
        `^SEARCH ${table} (EXISTS )?USING .*INDEX ${table}_open \\(${lane}=\\? AND rests=\\? AND due_at<\\?\\)$`,
      ),
    )
    expect(searches.flat()).toEqual(searches.flat().map(() => search))
    expect(searches).toHaveLength(table === 'webhooks' || table === 'reports' ? 3 : 2)
    const inOrder = due.filter((sql) => !sql.includes('lanes')).flatMap((sql) => database.planOf(sql))
    expect(inOrder.filter((line) => line.includes('TEMP B-TREE'))).toEqual([])
  }
})

/** Has a database to itself for a moment, as one that is opened after a kill, or closed, does. */
const HOLDER = `
  const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
  database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  console.log('held')
  setTimeout(() => database.close(), 1_000)`

it('is opened when another process that has it to itself lets it go', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'connector-disk-'))
  openDatabase(directory, 0).close()
  const holder = spawn(process.execPath, ['-e', HOLDER, join(directory, 'connector.sqlite')])
  const ended = once(holder, 'exit')
  await once(holder.stdout, 'data')
  const database = openDatabase(directory, 0)
  expect(database.prepare('SELECT count(*) AS count FROM codes').get()).toEqual({ count: 0 })
  database.close()
  await ended
  rmSync(directory, { recursive: true })
})

it('a report that is made again counts from then on: a replay sends the latest of each address', () => {
  const { reports } = new Disk(migrated(new DatabaseSync(':memory:')))
  const report = { site: 'tea', path: 'a' }
  reports.put({ ...report, body: { status: 'DECLINED' } }, 1)
  reports.put({ ...report, body: { status: 'COMPLETED' } }, 5)
  expect(reports.since(5).map(({ body }) => body)).toEqual(['{"status":"COMPLETED"}'])
})

it('reports that were never tried are sent first, of their site and of all sites', () => {
  const { reports } = new Disk(migrated(new DatabaseSync(':memory:')))
  for (const path of ['old', 'new']) reports.put({ site: 'tea', path, body: {} }, 1)
  reports.put({ site: 'bar', path: 'old', body: {} }, 1)
  for (const site of ['bar', 'tea'])
    for (const report of reports.queue.due(site, 1, 1)) reports.delay(report, '503', { now: 1, dueAt: 2 })
  expect(reports.queue.due('tea', 2, 2).map(({ path }) => path.split('/').at(-1))).toEqual(['new', 'old'])
  expect(reports.queue.lanes(2)).toEqual(['tea', 'bar'])
})

describe('a webhook that the bank repeats', () => {
  const first = '{"payment":{"amount":1}}'
  /** Its repeats: one that tells of the same payment, and one that tells of none. */
  const known = '{"payment":{"amount":1},"again":1}'
  const news = '{}'
  const ended = (state: string) => () => ({ state, attempts: 0, content: first })
  const again = (content: string) => ({ state: 'NEW', attempts: 0, content })

  it.each<[string, (webhooks: Webhooks, row: WebhookRow) => void, typeof again, typeof again]>([
    ['was never tried', () => {}, again, again],
    ['waits', (webhooks, row) => webhooks.delay(row, { note: '503' }, { now: 2, dueAt: 9 }), again, again],
    [
      'rests',
      (webhooks, row) => webhooks.delay(row, { problem: 'NO_SITE' }, { now: 2, dueAt: 'REST' }),
      again,
      again,
    ],
    ['was given up', (webhooks, row) => webhooks.finish(row, 'GIVEN_UP', ''), again, again],
    ['is done', (webhooks, row) => webhooks.finish(row, 'DONE', ''), ended('DONE'), again],
    [
      'is foreign',
      (webhooks, row) => webhooks.finish(row, 'FOREIGN', ''),
      ended('FOREIGN'),
      ended('FOREIGN'),
    ],
  ])('and that %s: what becomes of it, and no other is changed', (_, before, ofKnown, ofNews) => {
    for (const [content, after] of [
      [known, ofKnown(known)],
      [news, ofNews(news)],
    ] as const) {
      const database = migrated(new DatabaseSync(':memory:'))
      const { webhooks } = new Disk(database)
      const rows = [
        ['bank', 'a'],
        ['bank', 'b'],
        ['other', 'a'],
      ] as const
      for (const [bank, id] of rows) webhooks.insert({ bank, id, content: first }, 1)
      for (const row of webhooks.waiting()) before(webhooks, row)
      const read = () =>
        database
          .prepare('SELECT state, attempts, content FROM webhooks ORDER BY rowid')
          .all()
          .map((row) => ({ ...row }))
      const [, ...others] = read()
      webhooks.again({ bank: 'bank', id: 'a', content }, 5)
      expect(read()).toEqual([after, ...others])
    }
  })
})

it('a refund that cannot be stored is an error, and not taken for one that is on disk', () => {
  const { refunds } = new Disk(migrated(new DatabaseSync(':memory:')))
  const refund = {
    ...{ site: 'tea', paymentUid: 'p', refundUid: 'r', bank: 'bank', qrcId: 'q', reference: '1' },
    ...{
      networkUid: null,
      receipt: '',
      bankUid: null,
      amount: 1,
      createdAt: 1,
      state: 'QUEUED' as const,
      reason: '',
    },
  }
  expect(() => refunds.insert({ ...refund, givenAt: Date.parse('yesterday') })).toThrow(/NOT NULL/)
  refunds.insert({ ...refund, givenAt: 1 })
  refunds.insert({ ...refund, givenAt: 2 })
  expect(refunds.open().count).toBe(1)
})

it('the counts of the metrics are those of the lists', () => {
  const { reports, webhooks, refunds } = new Disk(migrated(new DatabaseSync(':memory:')))
  for (const path of ['a', 'b', 'c', 'd']) reports.put({ site: 'tea', path, body: {} }, 1)
  const [accepted, gone, failed] = reports.queue.due('tea', 1, 3)
  if (!accepted || !gone || !failed) throw new Error('four are due')
  reports.finish(accepted, 'ACCEPTED', '200')
  reports.finish(gone, 'GONE', '410')
  reports.delay(failed, '500', { now: 1, dueAt: 9 })
  expect([reports.countNotAccepted(), reports.notAccepted().length]).toEqual([3, 3])
  for (const id of ['a', 'b']) webhooks.insert({ bank: 'bank', id, content: '{}' }, 1)
  for (const webhook of webhooks.queue.due('bank', 1, 1)) webhooks.finish(webhook, 'DONE', '')
  expect([webhooks.countWaiting(), webhooks.waiting().length]).toEqual([1, 1])
  for (const state of ['QUEUED', 'HELD', 'COMPLETED', 'DECLINED'] as const) {
    refunds.insert({
      ...{ site: 'tea', paymentUid: 'p', refundUid: state, bank: 'bank', qrcId: 'q', reference: '1' },
      ...{
        networkUid: null,
        receipt: '',
        bankUid: null,
        amount: 1,
        givenAt: 1,
        createdAt: 1,
        state,
        reason: '',
      },
    })
  }
  expect([refunds.countHeld(), refunds.held().map(({ state }) => state)]).toEqual([1, ['HELD']])
})
