// A disk of 0.3.0 is taken over at the first start: rows of each kind and state keep their place.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../connector/disk/database.ts'
import { Disk } from '../../connector/disk/disk.ts'
import { RELEASED, RELEASED_VERSION } from '../../connector/disk/released-schema.ts'

type Value = string | number | null

/** A directory with a disk as 0.3.0 leaves it. */
function diskOf030(rows: [table: string, row: Record<string, Value>][]): string {
  const directory = mkdtempSync(join(tmpdir(), 'upgrade-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const database = new DatabaseSync(join(directory, 'connector.sqlite'))
  database.exec(RELEASED)
  database.exec(`PRAGMA user_version = ${RELEASED_VERSION}; INSERT INTO meta VALUES ('createdAt', '1')`)
  for (const [table, row] of rows) {
    const names = Object.keys(row)
    const marks = names.map(() => '?').join(', ')
    database
      .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`)
      .run(...Object.values(row))
  }
  database.close()
  return directory
}

const NEVER_REFUND = 8_640_000_000_000_000
const NEVER_WEBHOOK = Number.MAX_SAFE_INTEGER
const HELD = 'held, because it is not known whether the money has gone; the bank is asked again: x'
const UNSENT = 'not sent yet, it is tried again: x'
const SENT = 'sent to the bank, which has not stated the result yet'

const refund = (uid: string, state: string, nextAt: number, note = ''): [string, Record<string, Value>] => [
  'refunds',
  {
    ...{
      site: 'tea',
      payment_uid: 'p',
      refund_uid: uid,
      bank: 'main',
      qrc_id: 'q',
      reference: 'r',
      amount: 1,
    },
    ...{ given_at: 1, state, note, reason: '', created_at: 1, next_at: nextAt },
  },
]
const told = (uid: string, body: object, createdAt: number): [string, Record<string, Value>] => [
  'reports',
  {
    ...{ path: `/network/v1/sites/tea/payments/p/refunds/${uid}`, site: 'tea', body: JSON.stringify(body) },
    ...{ state: 'PENDING', created_at: createdAt, next_at: createdAt + 7 },
  },
]
const charge = (uid: string, state: string): [string, Record<string, Value>] => [
  'charges',
  {
    ...{
      site: 'tea',
      payment_uid: uid,
      qrc_id: 'q',
      binding_uid: 'b',
      bank: 'main',
      request: 'r',
      bank_order: uid,
    },
    ...{ amount: 1, purpose: 'x', given_at: 1, expires_at: 9, state, created_at: 1, next_at: 40 },
  },
]
const webhook = (
  id: string,
  state: string,
  note: string,
  nextAt: number,
): [string, Record<string, Value>] => [
  'webhooks',
  { bank: 'main', id, content: '{}', state, note, received_at: 2, attempts: 3, next_at: nextAt },
]
const code = (id: string, state: string, askAt: number | null): [string, Record<string, Value>] => [
  'codes',
  {
    ...{ id, site: 'tea', bank: 'main', type: 'DYNAMIC', state, qrc_id: id, reference: 'main:r' },
    ...{ created_at: 1, asked_at: 5, ask_at: askAt },
  },
]

it('the tables that are taken over are those of 0.3.0', () => {
  const schemaOf = (sql: string) => {
    const database = new DatabaseSync(':memory:')
    database.exec(sql)
    const rows = database.prepare(`SELECT type, name, sql FROM sqlite_master ORDER BY type, name`).all()
    return rows.map(({ type, name, sql }) => [type, name, String(sql).replace(/\s+/g, ' ')])
  }
  expect(schemaOf(RELEASED)).toEqual(
    schemaOf(readFileSync('test/fixtures/releases/0.3.0/connector.sql', 'utf8')),
  )
})

it.each([
  ['an earlier version than 0.3.0', 8, 'start version 0.3.0 on it once'],
  ['a later version', 99, 'a later version of the connector has used this disk: run that version'],
])('a disk of %s is refused, and not changed', (_, version, text) => {
  const directory = diskOf030([])
  const file = join(directory, 'connector.sqlite')
  const versionNow = (sql = '') => {
    const database = new DatabaseSync(file)
    database.exec(sql)
    const row = database.prepare('PRAGMA user_version').get()
    database.close()
    return row?.user_version
  }
  versionNow(`PRAGMA user_version = ${version}`)
  expect(() => openDatabase(directory, 1)).toThrow(text)
  expect(versionNow()).toBe(version)
})

it('each paid sale has one of the webhooks of its amount that are done, and an old webhook that is repeated is known', () => {
  const payment = (key: string, createdAt: number, amount = 500): [string, Record<string, Value>] => [
    'payments',
    {
      ...{ identity: 'tochka:1', key, number: key, site: 'tea', qrc_id: 'q', payment_uid: key },
      ...{ status: 'COMPLETED', amount, created_at: createdAt },
    },
  ]
  const told = (number: string, state = 'DONE', amount = 500): [string, Record<string, Value>] => {
    const content = JSON.stringify({ qrcId: 'q', payment: { status: 'COMPLETED', number, amount } })
    const [table, row] = webhook(number, state, '', 60)
    return [table, { ...row, content }]
  }
  const directory = diskOf030([
    [
      'sales',
      {
        ...{ site: 'tea', qrc_id: 'q', sale_uid: 's', bank: 'main', amount: 500, state: 'PAID' },
        ...{ created_at: 1, expires_at: 9, asked_at: 5 },
      },
    ],
    ...[payment('a1', 1), payment('a2', 2), payment('a3', 3), payment('other', 4, 700)],
    ...[told('w1'), told('w2'), told('waits', 'NEW'), told('w3', 'DONE', 900)],
  ])
  const database = openDatabase(directory, 99)
  const { payments } = new Disk(database)
  expect(payments.untold('tea', 'q', 0).map(({ key }) => key)).toEqual(['a3', 'other'])
  expect(['w1', 'w2'].map((number) => payments.ofWebhook('tea', 'q', number)?.key).sort()).toEqual([
    'a1',
    'a2',
  ])
  expect(database.prepare('SELECT id FROM webhooks ORDER BY rowid').all()).toEqual(
    ['w1:500', 'w2:500', 'waits:500', 'w3:900'].map((id) => ({ id })),
  )
  database.close()
})

it('a decision about money stays one, and documents have their table', () => {
  const decision = { number: 1, site: 'tea', payment_uid: 'p', result: 'DECLINED', amount: 1, reason: 'x' }
  const directory = diskOf030([['decisions', { ...decision, decided_by: 'anna', decided_at: 1 }]])
  const disk = new Disk(openDatabase(directory, 99))
  expect(disk.decisions.notLogged()).toMatchObject([{ paymentUid: 'p', receiptUid: null, by: 'anna' }])
  expect(disk.receipts.open()).toEqual({ oldest: null, count: 0 })
  disk.close()
})

it('each row has its place in the queue, and what a text said is in a column', () => {
  const directory = diskOf030([
    ...(['CALLING', 'PAID', 'ENDED'] as const).map((state) => code(state, state, null)),
    ...(['OPEN', 'CANCELLED'] as const).map((state) => code(state, state, 300)),
    ...(['OPEN', 'PAID'] as const).map((state): [string, Record<string, Value>] => [
      'sales',
      {
        ...{ site: 'tea', qrc_id: 'q', sale_uid: state, bank: 'main', reference: 'main:r', amount: 1, state },
        ...{ created_at: 1, expires_at: 9, asked_at: 5, ask_at: state === 'OPEN' ? 200 : null },
      },
    ]),
    ...(['WAITING', 'CREATED', 'REJECTED', 'DELETED'] as const).map(
      (state): [string, Record<string, Value>] => [
        'bindings',
        {
          ...{ site: 'tea', binding_uid: state, bank: 'main', request: state, qrc_id: 'q', state },
          ...{ created_at: 1, asked_at: 5, ask_at: state === 'DELETED' ? null : 100 },
        },
      ],
    ),
    refund('queued', 'QUEUED', 20),
    refund('pending', 'PENDING', 20, 'CONFIRMED? 1700000000000'),
    refund('asked', 'HELD', 20, 'PARTIAL_REFUNDED'),
    refund('held', 'HELD', NEVER_REFUND),
    refund('done', 'COMPLETED', 20, 'cd5e1c7a-0000-4000-8000-000000000000'),
    told('queued', { status: 'WAITING', reason: UNSENT }, 11),
    told('pending', { status: 'WAITING', reason: SENT }, 12),
    told('held', { status: 'WAITING', reason: HELD }, 13),
    told('done', { status: 'COMPLETED', amount: { value: '0.01', currency: 'RUB' } }, 14),
    ...['QUEUED', 'SENDING', 'PENDING', 'HELD', 'COMPLETED', 'DECLINED'].map((state) => charge(state, state)),
    webhook('waits', 'NEW', '503', 60),
    webhook('rests', 'NEW', 'no site has this code', NEVER_WEBHOOK),
    webhook('no sale', 'NEW', 'the bank tells of no paid sale of this code', 60),
    webhook('no payment', 'NEW', 'the bank tells of no payment of that time', 60),
    webhook('done', 'DONE', '', 60),
    ['cancellations', { site: 'tea', qrc_id: 'q', reference: 'main:a:b', since: 3, next_at: 80 }],
  ])
  const database = openDatabase(directory, 99)
  const all = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row))
  expect(all('SELECT state, rests, due_at, stepped_at FROM codes ORDER BY rowid')).toEqual([
    ['CALLING', 1, null, 5],
    ['PAID', 1, null, 5],
    ['ENDED', 1, null, 5],
    ['OPEN', 0, 300, 5],
    ['CANCELLED', 0, 300, 5],
  ])
  expect(all('SELECT state, rests, due_at FROM sales ORDER BY rowid')).toEqual([
    ['OPEN', 0, 200],
    ['PAID', 1, null],
  ])
  expect(all('SELECT state, rests, due_at FROM bindings ORDER BY rowid')).toEqual([
    ['WAITING', 0, 100],
    ['CREATED', 0, 100],
    ['REJECTED', 0, 100],
    ['DELETED', 1, null],
  ])
  expect(all('SELECT refund_uid, rests, due_at, told, told_at, note FROM refunds ORDER BY rowid')).toEqual([
    ['queued', 0, 20, 'UNSENT', 11, ''],
    ['pending', 0, 20, 'SENT', 12, '{"before":"CONFIRMED","isInDoubt":true,"failedAt":1700000000000}'],
    ['asked', 0, 20, null, null, '{"before":"PARTIAL_REFUNDED","isInDoubt":false}'],
    ['held', 1, 1, 'HELD', 13, ''],
    ['done', 0, 20, null, null, 'cd5e1c7a-0000-4000-8000-000000000000'],
  ])
  expect(all('SELECT DISTINCT rests, due_at, stepped_at, wakes FROM charges')).toEqual([[0, 40, 1, 0]])
  expect(all('SELECT id, rests, due_at, attempts, problem FROM webhooks ORDER BY rowid')).toEqual([
    ['waits', 0, 60, 3, null],
    ['rests', 1, 2, 3, 'NO_SITE'],
    ['no sale', 0, 60, 3, 'NO_SALE'],
    ['no payment', 0, 60, 3, 'NO_PAYMENT'],
    ['done', 0, 60, 3, null],
  ])
  expect(all('SELECT bank, rests, due_at FROM cancellations')).toEqual([['main', 0, 80]])
  const disk = new Disk(database)
  const { bindings, cancellations, charges, codes, refunds, reports, sales, webhooks } = disk
  const dueOf = (queue: { due(lane: string, now: number, limit: number): unknown[] }, lane = 'main') =>
    queue.due(lane, 1_000, 100).length
  // Two refunds have something to do: they are of one payment, and run one after the other.
  expect(
    [codes, sales, bindings, refunds, charges, webhooks, cancellations].map(({ queue }) => dueOf(queue)),
  ).toEqual([...[2, 1, 3, 1, 4, 3, 1]])
  expect(dueOf(reports.queue, 'tea')).toBe(4)
  disk.close()
})
