// A printed code with one price: thousands of equal payments in a month. What a turn and a later payment cost is counted in rows.
import { expect, it } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import type { Context } from '../../src/site/context.ts'
import { migrate } from '../../src/site/database/schema.ts'
import { reportPayment } from '../../src/site/payments/reports.ts'
import { workOnSettlements } from '../../src/site/settlements/alarm.ts'
import { EqualLines } from '../../src/site/settlements/equal-lines.ts'
import { filesOf } from '../../src/site/settlements/files.ts'
import {
  appendEntries,
  beginImport,
  completeImport,
  continueImport,
} from '../../src/site/settlements/imports.ts'
import { keyOf } from '../../src/site/settlements/keys.ts'
import { nextSettlementWork } from '../../src/site/settlements/next-work.ts'
import { stateIn } from '../../src/site/settlements/state.ts'
import { milliseconds, toMilliseconds } from '../../src/site/time.ts'
import { DAY, line, NOON, summaryOf } from '../support/settlement/imports.ts'
import { contextOf, inNewSite, NETWORK, ORIGIN, rowsReadBy } from '../support/site.ts'

const EVERY = 600

/** A payment, as the network reports it. @param at Unix seconds */
function pay(context: Context, paymentUid: string, at: number): void {
  const value = { minorUnits: 10_000, currency: 'RUB' }
  const report = { paymentUid, status: 'COMPLETED' as const, amount: value, at }
  unwrap(reportPayment({ ...context, by: NETWORK, ...ORIGIN }, { linkId: 'printed', isKept: true }, report))
  context.sql.exec("UPDATE payments SET bank = 'raiffeisen' WHERE payment_uid = ?", paymentUid)
}

/** Imports equal payments, one each ten minutes, of which every second one is ours. */
function importEqual(context: Context, count: number): { most: number; all: number } {
  const { sql } = context
  const entries = Array.from({ length: count }, (_, i) =>
    line(`${i}`, { line: i + 1, operatedAt: NOON + i * EVERY, bankIds: { qrcId: 'printed', order: 'o' } }),
  )
  for (let i = 0; i < count; i += 2) pay(context, `p${i}`, NOON + i * EVERY + 20)
  unwrap(beginImport(context, { settlementUid: 'a', bank: 'raiffeisen', format: 'registry' }, 't'))
  for (let from = 0; from < count; from += 500)
    unwrap(appendEntries(context, 't', entries.slice(from, from + 500)))
  let step = unwrap(completeImport(context, 't', { sha256: 'a', summary: summaryOf(entries) }))
  const read: number[] = []
  while (!step.isDone) {
    const isMatching = stateIn(sql).job?.phase === 'matching'
    const { value, rowsRead } = rowsReadBy(sql, (counted) =>
      unwrap(continueImport({ ...context, sql: counted }, 't')),
    )
    if (isMatching) read.push(rowsRead)
    step = value
  }
  expect(step.settlement).toMatchObject({ entries: count, matched: count / 2, unknown: count / 2 })
  return { most: Math.max(...read), all: read.reduce((sum, rows) => sum + rows, 0) }
}

/** The rows that the alarm reads for a payment of a line that had none. */
function readLater(context: Context): number {
  pay(context, 'later', NOON + 501 * EVERY + 20)
  let read = 0
  for (let now = 0; nextSettlementWork(context.sql) !== undefined; now += 20_000)
    read += rowsReadBy(context.sql, (sql) =>
      workOnSettlements({ ...context, sql }, milliseconds(Number(toMilliseconds(context.now)) + now)),
    ).rowsRead
  const found = context.sql.exec(
    `SELECT state FROM settlement_matches WHERE payment = (SELECT number FROM payments WHERE payment_uid = 'later')`,
  )
  expect(found.toArray()).toEqual([{ state: 'MATCHED' }])
  return read
}

it('of thousands of equal payments, a turn and a later payment read those of a day, however many there are', async () => {
  const measured = (count: number) =>
    inNewSite((storage) => {
      migrate(storage)
      const context = contextOf(storage.sql, NOON + 100 * DAY)
      const imported = importEqual(context, count)
      return { ...imported, later: readLater(context) }
    })
  const [few, many] = [await measured(1500), await measured(3000)]
  expect(many.most).toBeLessThan(few.most * 1.2)
  expect(many.all).toBeLessThan(few.all * 2 * 1.2)
  expect(many.later).toBeLessThan(few.later * 1.2)
  expect(many.later).toBeLessThan(15_000)
}, 60_000)

it('the lines of a day share what is looked for around them: an import of a crowd does not look as often as it has lines', () =>
  inNewSite((storage) => {
    migrate(storage)
    const { sql } = storage
    const context = contextOf(sql, NOON + 100 * DAY)
    importEqual(context, 1500)
    const { generation } = stateIn(sql)
    const files = filesOf(sql, generation)
    const [changing] = files.values()
    const value = {
      bank: 'raiffeisen',
      format: 'registry',
      of: 'payment',
      name: 'qrcId',
      value: 'printed',
    } as const
    const equal = new EqualLines(
      { sql, siteId: 'test', files, changing },
      { key: keyOf(value), amount: 10_000 },
    )
    const around = (at: number) =>
      equal.cellsAround({ ...value, key: 0, amount: 10_000, at, isUntimed: false, isOfChanging: true })
    expect(around(NOON + 3 * DAY)).not.toEqual([])
    expect(around(NOON + 3 * DAY + EVERY)).toBe(around(NOON + 3 * DAY))
    expect(around(NOON + 5 * DAY)).not.toEqual(around(NOON + 3 * DAY))
  }))
