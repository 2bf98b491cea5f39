// Which rows of each table lose their personal data, wherever the windows of a pass begin and end.
import type { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { openMemory } from '../../connector/disk/database.ts'
import { PayerData } from '../../connector/disk/payer-data.ts'

type Row = Record<string, string | number>

interface Table {
  /** The column by which a row is old. */
  time: string
  /** What a row has that can be erased, and what is then left. */
  full: Row
  erased: Row
  /** What a row has that still waits for something; undefined where none waits. */
  waits?: Row
  /** Whether it is known of which site a row is. */
  hasSite: boolean
}

const BEFORE = 1_000

const TABLES: Record<string, Table> = {
  reports: {
    time: 'created_at',
    full: {
      ...{ state: 'ACCEPTED', answer: '200 {"payer":"Ivan"}' },
      body: '{"status":"DECLINED","payer":{"phone":"+7"},"reason":"Ivan"}',
    },
    erased: { state: 'ACCEPTED', answer: '200', body: '{"status":"DECLINED"}' },
    waits: { state: 'PENDING' },
    hasSite: true,
  },
  webhooks: {
    time: 'received_at',
    full: { state: 'GIVEN_UP', note: 'Ivan', content: '{"payment":{"key":"A","payer":{"phone":"+7"}}}' },
    erased: { state: 'GIVEN_UP', note: '', content: '{"payment":{"key":"A"}}' },
    hasSite: false,
  },
  refunds: {
    time: 'created_at',
    full: { state: 'DECLINED', reason: 'Ivan' },
    erased: { state: 'DECLINED', reason: '' },
    waits: { state: 'HELD' },
    hasSite: true,
  },
  charges: {
    time: 'created_at',
    full: { state: 'COMPLETED', purpose: 'For Ivan', reason: 'Ivan' },
    erased: { state: 'COMPLETED', purpose: '', reason: '' },
    waits: { state: 'PENDING' },
    hasSite: true,
  },
  decisions: {
    time: 'decided_at',
    full: { reason: 'Ivan' },
    erased: { reason: '' },
    hasSite: true,
  },
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

it.each(Object.keys(TABLES))('of %s each row that is over is erased, and no other', (name) => {
  const table = TABLES[name]
  if (!table) throw new Error(name)
  const { time, full, erased, waits, hasSite } = table
  const old = { site: 'other', [time]: BEFORE - 1 }
  const kinds: [Row, Row][] = [
    [{ ...full, ...old }, erased],
    [{ ...full, site: 'other', [time]: BEFORE }, full],
    [{ ...full, site: 'gone', [time]: BEFORE }, hasSite ? erased : full],
    ...(waits
      ? [
          [
            { ...full, ...waits, ...old },
            { ...full, ...waits },
          ] satisfies [Row, Row],
        ]
      : []),
  ]
  // Each kind comes to each place.
  for (const shift of kinds.keys()) {
    const database = openMemory(0)
    const payerData = new PayerData(database)
    payerData.siteDeleted('gone', false)
    const expected = NUMBERS.map((rowid) => {
      const [row, left] = kinds[(rowid + shift) % kinds.length] ?? []
      insert(
        database,
        name,
        Object.fromEntries(
          Object.entries({ ...row, rowid }).filter(([column]) => hasSite || column !== 'site'),
        ),
      )
      return left
    })
    for (let from: number | undefined = 0; from !== undefined; )
      from = payerData.eraseBehind(from, BEFORE).next
    const rows = database.prepare(`SELECT ${Object.keys(full).join()} FROM ${name} ORDER BY rowid`).all()
    expect(rows.map((row) => ({ ...row }))).toEqual(expected)
    database.close()
  }
})
