// Sites with a million payments and more, each of a QR code of its own.
import { DatabaseSync } from 'node:sqlite'
import { SECRET } from '../test/support/secret.ts'
import { linkIdIn, siteAt } from '../test/support/site-at.ts'
import { serve } from '../test/support/workers.ts'
import { siteFile } from './site-file.ts'

export const MILLION = 1_000_000
/** The day of the payments: yesterday, by the offset of the service. */
export const DAY = new Date(Date.now() + (3 - 24) * 3_600_000).toISOString().slice(0, 10)

/** Makes the site `demo` on a disk. @returns the sum of its payments of the day, in kopecks */
export async function manyPayments(ours: string, disk: string, count: number): Promise<bigint> {
  const first = await serve(ours, disk)
  await firstPayment(`http://127.0.0.1:${first.port}`)
  await first.stop()
  return multiply(siteFile(disk), { count, days: 1 })
}

/** Creates the QR code of the site `demo` that is multiplied, and reports its payment. */
export async function firstPayment(address: string): Promise<void> {
  const site = siteAt(() => address, SECRET, 'demo')
  const created = await site.create('order-0', { paymentPurpose: 'Заказ 1001, чай' })
  await site.report(linkIdIn(created), 'A000000000', { payer: { bankMemberId: '100000000111' } })
}

interface Multiplied {
  /** So many QR codes. */
  count: number
  /** The days over which they are spread evenly; DAY is the last. */
  days: number
  /** One of so many is not paid, and EXPIRED; by default none. */
  expiredOf?: number
}

/**
 * Makes the paid QR code many, each with its own identifiers, amount and time.
 * @returns the sum of the payments but the first, in kopecks
 */
export function multiply(file: string, { count, days, expiredOf = 0 }: Multiplied): bigint {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN')
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`
  const begin = Date.parse(`${DAY}T00:00:00+03:00`) / 1000 - (days - 1) * 86_400
  const at = `${begin} + n.i * ${days * 86_400} / ${count}`
  const amount = '(500 + n.i % 9973)'
  const linkId = "printf('%s%08d', substr(link_id, 1, 24), n.i)"
  const isExpired = expiredOf > 0 ? `n.i % ${expiredOf} = 0` : 'false'
  const isEnd = `${isExpired} AND row.number = 2`
  const own: Record<string, Record<string, string>> = {
    qr_codes: {
      number: 'n.i + 1',
      qr_code_uid: "printf('order-%d', n.i)",
      link_id: linkId,
      minor_units: amount,
      status: `iif(${isExpired}, 'EXPIRED', row.status)`,
      payment: `iif(${isExpired}, NULL, n.i + 1)`,
      created_event: 'n.i * 2 + 1',
      ended_event: 'n.i * 2 + 2',
      created_at: at,
    },
    payments: {
      number: 'n.i + 1',
      payment_uid: "printf('A%09d', n.i)",
      qr_code: 'n.i + 1',
      link_id: linkId,
      minor_units: amount,
      created_at: at,
      changed_at: at,
    },
    events: {
      number: 'n.i * 2 + row.number',
      qr_code: 'n.i + 1',
      at: `${at} + iif(${isEnd}, (SELECT ttl * 60 FROM qr_codes WHERE number = 1), 0)`,
      type: `iif(${isEnd}, 'qrCode.expired', row.type)`,
      status: `iif(${isEnd}, 'EXPIRED', row.status)`,
      payment: `iif(${isEnd}, NULL, json_set(payment, '$.paymentUid', printf('A%09d', n.i), '$.amount.minorUnits', ${amount}))`,
    },
  }
  // The first is of the day before: it is none of the report, and the numbers keep the order of the times.
  for (const column of ['qr_codes.created_at', 'payments.created_at', 'payments.changed_at', 'events.at'])
    database.exec(`UPDATE ${column.replace('.', ' SET ')} = ${begin - 1}`)
  // Made of all rows at once, an index takes a fraction of the time.
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .all()
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`)
  for (const [name, values] of Object.entries(own)) {
    const columns = database
      .prepare(`PRAGMA table_info(${name})`)
      .all()
      .map(({ name }) => String(name))
    const paidOnly = name === 'payments' ? `WHERE NOT (${isExpired})` : ''
    // From a table of its own: SQLite would first collect all rows that are inserted into the table that they come from.
    database.exec(
      `DROP TABLE IF EXISTS temp.row; CREATE TEMP TABLE row AS SELECT * FROM ${name} WHERE number <= 2`,
    )
    database.exec(`${numbers} INSERT INTO ${name} (${columns}) SELECT ${columns.map((column) => values[column] ?? `row.${column}`)}
      FROM n CROSS JOIN temp.row ${paidOnly}`)
  }
  for (const { sql } of indexes) database.exec(String(sql))
  // The figures that triggers of later changes of a row add up.
  database.exec(`DELETE FROM created_codes; INSERT INTO created_codes
    SELECT created_at - created_at % 900, count(*), 0 FROM qr_codes WHERE status = 'PAYED' GROUP BY 1`)
  const row = database.prepare('SELECT sum(minor_units) AS sum FROM payments WHERE number > 1').get()
  database.exec('COMMIT; PRAGMA journal_mode = WAL')
  database.close()
  return BigInt(Number(row?.sum))
}
