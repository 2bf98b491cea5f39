// Which rows of each table lose their personal data, wherever the windows of a pass begin and end.
import type { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { openMemory } from '../../connector/disk/database.ts'
import { PayerData } from '../../connector/disk/payer-data.ts'

type Row = Record<string, string | number>

interface Table {
  name: string
  /** The column by which a row is old. */
  time: string
  /** What rows have, and what is left of it once they are over. */
  data: [has: Row, left: Row][]
  /** What rows have that wait for something; undefined where none waits. */
  waiting?: Row
  /** Whether a row says of which site it is. */
  hasSite: boolean
}

const BEFORE = 1_000
const PAYER = { phone: '+79991234567' }

const report = (body: object, answer: string) => ({ state: 'ACCEPTED', body: JSON.stringify(body), answer })
const webhook = (state: string, payment: object, note: string) => ({
  ...{ state, note },
  content: JSON.stringify({ payment: { key: 'A', ...payment } }),
})
const charge = (purpose: string, reason: string) => ({ state: 'COMPLETED', purpose, reason })

const TABLES: Table[] = [
  {
    name: 'reports',
    time: 'created_at',
    data: [
      [report({ status: 'DECLINED', payer: PAYER }, '200'), report({ status: 'DECLINED' }, '200')],
      [report({ status: 'DECLINED', reason: 'Ivan' }, '200'), report({ status: 'DECLINED' }, '200')],
      [report({ status: 'DECLINED' }, '404 Ivan'), report({ status: 'DECLINED' }, '404')],
    ],
    waiting: { state: 'PENDING' },
    hasSite: true,
  },
  {
    name: 'webhooks',
    time: 'received_at',
    data: [
      [webhook('DONE', { payer: PAYER }, 'a note of ours'), webhook('DONE', {}, 'a note of ours')],
      [webhook('GIVEN_UP', { payer: PAYER }, ''), webhook('GIVEN_UP', {}, '')],
      [webhook('GIVEN_UP', {}, 'Ivan'), webhook('GIVEN_UP', {}, '')],
    ],
    hasSite: false,
  },
  {
    name: 'refunds',
    time: 'created_at',
    data: [
      [
        { state: 'COMPLETED', reason: 'Ivan' },
        { state: 'COMPLETED', reason: '' },
      ],
      [
        { state: 'DECLINED', reason: 'Ivan' },
        { state: 'DECLINED', reason: '' },
      ],
    ],
    waiting: { state: 'HELD' },
    hasSite: true,
  },
  {
    name: 'charges',
    time: 'created_at',
    data: [
      [charge('For Ivan', ''), charge('', '')],
      [charge('', 'Ivan'), charge('', '')],
    ],
    waiting: { state: 'PENDING' },
    hasSite: true,
  },
  {
    name: 'decisions',
    time: 'decided_at',
    data: [[{ reason: 'Ivan' }, { reason: '' }]],
    hasSite: true,
  },
]

/** Each kind of row, and what is left of it. */
function kindsOf({ time, data, waiting, hasSite }: Table): [Row, Row][] {
  const of = (site: string, at: number): Row => ({ ...(hasSite && { site }), [time]: at })
  return data.flatMap(([has, left]) => {
    const kinds: [Row, Row][] = [
      [{ ...has, ...of('open', BEFORE - 1) }, left],
      [{ ...has, ...of('open', BEFORE) }, has],
      [{ ...has, ...of('deleted', BEFORE) }, hasSite ? left : has],
    ]
    if (waiting)
      kinds.push([
        { ...has, ...waiting, ...of('deleted', BEFORE - 1) },
        { ...has, ...waiting },
      ])
    return kinds
  })
}

/** Adds a row; columns that must have a value and are not given get one of their own. */
function insert(database: DatabaseSync, table: string, given: Row): void {
  const columns = database.prepare(`SELECT name, type, "notnull", dflt_value FROM pragma_table_info(?)`)
  const row = { ...given }
  for (const { name, type, notnull, dflt_value: usual } of columns.all(table))
    if (notnull === 1 && usual === null)
      row[String(name)] ??= type === 'TEXT' ? `x${given.rowid}` : Number(given.rowid)
  const names = Object.keys(row)
  const values = names.map(() => '?').join()
  database.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${values})`).run(...Object.values(row))
}

/** The rows around the first two ends of windows. */
const NUMBERS = [1, 1996, 3996].flatMap((first) => Array.from({ length: 8 }, (_, i) => first + i))

it.each(TABLES)('of $name each row that is over is erased, and no other', (table) => {
  const kinds = kindsOf(table)
  // Each kind comes to each place.
  for (const shift of kinds.keys()) {
    const database = openMemory(0)
    const payerData = new PayerData(database)
    payerData.siteDeleted('deleted', false)
    const lefts = NUMBERS.map((rowid) => {
      const [row, left = {}] = kinds[(rowid + shift) % kinds.length] ?? []
      insert(database, table.name, { ...row, rowid })
      return left
    })
    for (let from: number | undefined = 0; from !== undefined; )
      from = payerData.eraseBehind(from, BEFORE).next
    const rows = database.prepare(`SELECT * FROM ${table.name} ORDER BY rowid`).all()
    expect(rows).toEqual(lefts.map((left) => expect.objectContaining(left)))
    database.close()
  }
})
