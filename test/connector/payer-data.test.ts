// Which rows of each table lose their personal data, wherever the windows of a pass begin and end.
import type { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { openMemory } from '../../connector/disk/database.ts'
import { PayerData, WINDOW } from '../../connector/disk/payer-data.ts'

type Row = Record<string, string | number>

interface Table {
  name: string
  /** The column by which a row is old. */
  time: string
  /** What rows can have, and what is left of it. */
  data: [has: Row, left: Row][]
  /** The states of rows that are over; empty in a table without states. */
  over: string[]
  /** The states of rows that wait for something: these are kept. A webhook that waits is erased all the same. */
  waiting: string[]
  /** Whether a row says of which site it is. */
  hasSite: boolean
}

const BEFORE = 1_000
const PAYER = { phone: '+79991234567' }

const report = (body: object, answer: string) => ({ body: JSON.stringify(body), answer })
const webhook = (payment: object, note: string) => {
  return { note, content: JSON.stringify({ payment: { key: 'A', ...payment } }) }
}
const receipt = (row: Row): Row => ({ data: '', request: '', reason: '', ...row })
const charge = (purpose: string, reason: string) => ({ purpose, reason })

const TABLES: Table[] = [
  {
    name: 'reports',
    time: 'created_at',
    data: [
      [report({ status: 'DECLINED', payer: PAYER }, '200'), report({ status: 'DECLINED' }, '200')],
      [report({ status: 'DECLINED', reason: 'Ivan' }, '200'), report({ status: 'DECLINED' }, '200')],
      [report({ status: 'DECLINED' }, '404 Ivan'), report({ status: 'DECLINED' }, '404')],
      [report({ fiscal: { fd: '1', url: 'Ivan' } }, '200'), report({ fiscal: { fd: '1' } }, '200')],
    ],
    over: ['ACCEPTED', 'GONE', 'UNKNOWN'],
    waiting: ['PENDING'],
    hasSite: true,
  },
  {
    name: 'webhooks',
    time: 'received_at',
    data: [[webhook({ payer: PAYER }, 'the connector’s own'), webhook({}, 'the connector’s own')]],
    over: ['NEW', 'DONE', 'FOREIGN'],
    waiting: [],
    hasSite: false,
  },
  {
    name: 'webhooks',
    time: 'received_at',
    data: [
      [webhook({ payer: PAYER }, ''), webhook({}, '')],
      [webhook({}, 'Ivan'), webhook({}, '')],
    ],
    over: ['GIVEN_UP'],
    waiting: [],
    hasSite: false,
  },
  {
    name: 'refunds',
    time: 'created_at',
    data: [[{ reason: 'Ivan' }, { reason: '' }]],
    over: ['COMPLETED', 'DECLINED'],
    waiting: ['QUEUED', 'SENDING', 'PENDING', 'HELD'],
    hasSite: true,
  },
  {
    name: 'charges',
    time: 'created_at',
    data: [
      [charge('For Ivan', ''), charge('', '')],
      [charge('', 'Ivan'), charge('', '')],
    ],
    over: ['COMPLETED', 'DECLINED'],
    waiting: ['QUEUED', 'SENDING', 'PENDING', 'HELD'],
    hasSite: true,
  },
  // What waits is held from then on: nothing of it is sent any more.
  {
    name: 'receipts',
    time: 'created_at',
    data: [
      [receipt({ data: 'Ivan' }), receipt({})],
      [receipt({ request: 'Ivan' }), receipt({})],
    ],
    over: ['QUEUED', 'SENDING', 'PENDING', 'HELD'],
    waiting: [],
    hasSite: true,
  },
  {
    name: 'receipts',
    time: 'created_at',
    data: [
      [receipt({ reason: 'Ivan' }), receipt({})],
      [receipt({ fiscal: '{"fd":"1","url":"Ivan"}' }), receipt({ fiscal: '{"fd":"1"}' })],
    ],
    over: ['REGISTERED', 'FAILED', 'OVER'],
    waiting: [],
    hasSite: true,
  },
  {
    name: 'decisions',
    time: 'decided_at',
    data: [[{ reason: 'Ivan' }, { reason: '' }]],
    over: [],
    waiting: [],
    hasSite: true,
  },
  {
    name: 'amount_differences',
    time: 'closed_at',
    data: [[{ closed_reason: 'Ivan' }, { closed_reason: '' }]],
    over: [],
    waiting: [],
    hasSite: true,
  },
]

/** Each kind of row, and what is left of it. */
function kindsOf({ time, data, over, waiting, hasSite }: Table): { row: Row; left: Row }[] {
  const of = (site: string, at: number): Row => ({ ...(hasSite && { site }), [time]: at })
  const ended: Row[] = over.length > 0 ? over.map((state) => ({ state })) : [{}]
  return data.flatMap(([has, left]) => [
    ...ended.flatMap((state) => [
      { row: { ...state, ...has, ...of('open', BEFORE - 1) }, left },
      { row: { ...state, ...has, ...of('open', BEFORE) }, left: has },
      ...(hasSite ? [{ row: { ...state, ...has, ...of('deleted', BEFORE) }, left }] : []),
    ]),
    ...waiting.map((state) => ({ row: { state, ...has, ...of('deleted', BEFORE - 1) }, left: has })),
  ])
}

/** Adds a row; columns that must have a value and are not given get one of their own. */
function insert(database: DatabaseSync, table: string, given: Row): void {
  const columns = database.prepare(`SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?)`)
  const row = { ...given }
  for (const { name, type, notnull, dflt_value: defaultValue } of columns.all(table))
    if (notnull === 1 && defaultValue === null)
      row[String(name)] ??= type === 'TEXT' ? `x${given.rowid}` : Number(given.rowid)
  const names = Object.keys(row)
  const values = names.map(() => '?').join()
  database.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${values})`).run(...Object.values(row))
}

/** The first rows, and the rows around the ends of the first two windows. */
const NUMBERS = [1, WINDOW - 4, 2 * WINDOW - 4].flatMap((first) =>
  Array.from({ length: 8 }, (_, i) => first + i),
)

it.each(TABLES)(
  '$name $over: personal data are erased in each row that is over, and in no other',
  (table) => {
    const kinds = kindsOf(table)
    // Each kind comes to each place.
    for (const shift of kinds.keys()) {
      const database = openMemory(0)
      const payerData = new PayerData(database)
      payerData.siteDeleted('deleted', false)
      const lefts = NUMBERS.map((rowid) => {
        const { row, left = {} } = kinds[(rowid + shift) % kinds.length] ?? {}
        insert(database, table.name, { ...row, rowid })
        return left
      })
      for (let from: number | undefined = 0; from !== undefined; )
        from = payerData.eraseBehind(from, BEFORE).next
      const rows = database.prepare(`SELECT * FROM ${table.name} ORDER BY rowid`).all()
      expect(rows).toEqual(lefts.map((left) => expect.objectContaining(left)))
      database.close()
    }
  },
)
