// A site with a million payments of one day, each of a QR code of its own.
import { DatabaseSync } from 'node:sqlite'
import { SECRET } from '../test/support/secret.ts'
import { linkIdIn, siteAt } from '../test/support/site-at.ts'
import { serve } from '../test/support/workers.ts'
import { siteFile } from './site-file.ts'

export const PAYMENTS = 1_000_000
/** The day of the payments: yesterday, by the offset of the service. */
export const DAY = new Date(Date.now() + (3 - 24) * 3_600_000).toISOString().slice(0, 10)

/** Makes the site `demo` on a disk. @returns the sum of its payments of the day, in kopecks */
export async function millionPayments(ours: string, disk: string): Promise<bigint> {
  const first = await serve(ours, disk)
  const site = siteAt(() => `http://127.0.0.1:${first.port}`, SECRET, 'demo')
  const created = await site.create('order-0', { paymentPurpose: 'Заказ 1001, чай' })
  await site.report(linkIdIn(created), 'A000000000', { payer: { bankMemberId: '100000000111' } })
  await first.stop()
  return multiply(siteFile(disk))
}

/** Makes the paid QR code a million of them, each with its own identifiers and amount. @returns the sum in kopecks */
function multiply(file: string): bigint {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN')
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PAYMENTS - 1})`
  // Evenly over the day.
  const at = `${Date.parse(`${DAY}T00:00:00+03:00`) / 1000} + n.i * 86400 / ${PAYMENTS}`
  const amount = '(500 + n.i % 9973)'
  const own: Record<string, Record<string, string>> = {
    qr_codes: {
      number: 'n.i + 1',
      qr_code_uid: "printf('order-%d', n.i)",
      link_id: "printf('%s%08d', substr(link_id, 1, 24), n.i)",
      minor_units: amount,
      payment: 'n.i + 1',
    },
    payments: {
      number: 'n.i + 1',
      payment_uid: "printf('A%09d', n.i)",
      qr_code: 'n.i + 1',
      link_id: "printf('%s%08d', substr(link_id, 1, 24), n.i)",
      minor_units: amount,
    },
    events: {
      number: 'n.i * 2 + row.number',
      qr_code: 'n.i + 1',
      at,
      payment: `json_set(payment, '$.paymentUid', printf('A%09d', n.i), '$.amount.minorUnits', ${amount})`,
    },
  }
  for (const [name, values] of Object.entries(own)) {
    const columns = database
      .prepare(`PRAGMA table_info(${name})`)
      .all()
      .map(({ name }) => String(name))
    database.exec(`${numbers} INSERT INTO ${name} (${columns}) SELECT ${columns.map((column) => values[column] ?? `row.${column}`)}
      FROM n CROSS JOIN (SELECT * FROM ${name} WHERE number <= 2) AS row ORDER BY n.i, row.number`)
  }
  // The first is of today: it is none of the report.
  const row = database.prepare('SELECT sum(minor_units) AS sum FROM payments WHERE number > 1').get()
  database.exec('COMMIT; PRAGMA journal_mode = WAL')
  database.close()
  return BigInt(Number(row?.sum))
}
