// Whatever comes in whatever order, each entry matches as if all files and all payments were matched at once.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import type { Entry } from '../../src/settlement/formats/entry.ts'
import { match } from '../../src/settlement/matching.ts'
import type { Operation } from '../../src/settlement/operation.ts'
import type { SettlementBank, SettlementFormat } from '../../src/settlement/sources.ts'
import type { Context } from '../../src/site/context.ts'
import { migrate } from '../../src/site/database/schema.ts'
import { reportPayment } from '../../src/site/payments/reports.ts'
import { reportRefund } from '../../src/site/refunds/reports.ts'
import { keepLearned } from '../../src/site/rows/learned-numbers.ts'
import { workOnSettlements } from '../../src/site/settlements/alarm.ts'
import { filesOf } from '../../src/site/settlements/files.ts'
import {
  appendEntries,
  beginImport,
  completeImport,
  continueImport,
  deleteSettlement,
} from '../../src/site/settlements/imports.ts'
import { lineRows } from '../../src/site/settlements/lines.ts'
import { nextSettlementWork } from '../../src/site/settlements/next-work.ts'
import { operationOf, operationRows } from '../../src/site/settlements/operations.ts'
import { stateIn } from '../../src/site/settlements/state.ts'
import { milliseconds, toMilliseconds } from '../../src/site/time.ts'
import { DAY, NOON, summaryOf } from '../support/settlement/imports.ts'
import { contextOf, inNewSite, NETWORK, ORIGIN } from '../support/site.ts'

type Source = { bank: SettlementBank; format: SettlementFormat }
const SOURCES: readonly Source[] = [
  { bank: 'tbank', format: 'registry' },
  { bank: 'raiffeisen', format: 'statement' },
  { bank: 'raiffeisen', format: 'registry' },
  { bank: 'tochka-pay', format: 'registry' },
]
const one = <T>(...values: T[]) => fc.constantFrom(...values)
const optional = (...values: string[]) => fc.option(one(...values), { nil: undefined, freq: 1 })

type NewEntry = Omit<Entry, 'identity' | 'line'>
const KINDS = ['payment', 'payment', 'payment', 'refund', 'fee', 'correction'] as const

const bankIds = fc
  .record({
    paymentId: optional('1', '2', '3', '4'),
    order: optional('o1', 'o2'),
    qrcId: optional('c1', 'c2', 'c3'),
    refundId: optional('r1', 'r2'),
  })
  .map((ids) => ids)
const time = fc
  .tuple(one(0, 1, 2, 4, 5, 13), one(0, 60, 7200, -39_600, 36_000))
  .map(([days, seconds]) => NOON + days * DAY + seconds)
const amount = one(10_000, 20_000)

/** An entry that can be in several files: its number makes it another one. */
const entry = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    bankIds,
    amount,
    time,
    hasTime: one(true, true, false),
  })
  .map(
    ({ kind, bankIds, amount, time, hasTime }): NewEntry => ({
      ...{ kind, type: kind === 'correction' ? 'CancelRefund' : kind, currency: 'RUB' },
      ...{ gross: kind === 'refund' ? -amount : amount, operatedAt: time, hasTime },
      bankIds: JSON.parse(JSON.stringify({ ...bankIds, ...(kind !== 'refund' && { refundId: undefined }) })),
    }),
  )

/** Equal payments of one printed code: more than few, and more than 100, which are a crowd. */
const crowd = fc
  .tuple(
    one({ minLength: 25, maxLength: 60 }, { minLength: 60, maxLength: 160 }),
    one(amount, fc.constant(10_000)),
    one(fc.constant(true), fc.constant(false), one(true, true, true, false)),
  )
  .chain(([length, amount, hasTime]) => fc.array(fc.record({ amount, time, hasTime }), length))
  .map((all) =>
    all.map(
      ({ amount, time, hasTime }): NewEntry => ({
        ...{
          kind: 'payment',
          type: 'payment',
          currency: 'RUB',
          gross: amount,
          operatedAt: time,
          hasTime,
        },
        bankIds: { qrcId: 'c1' },
      }),
    ),
  )

const payment = fc.record({
  networkUid: optional('1', '2', '3', '4'),
  order: optional('o1', 'o2'),
  qrcId: one('c1', 'c2', 'c3', 'c4'),
  amount,
  time,
  status: one('COMPLETED' as const, 'COMPLETED' as const, 'DECLINED' as const),
  bank: one(null, 'tbank', 'raiffeisen', 'tochka-pay'),
  refund: fc.option(fc.record({ time, networkUid: optional('r1', 'r2') }), { nil: undefined, freq: 3 }),
})
type TestPayment = typeof payment extends fc.Arbitrary<infer T> ? T : never

const world = fc.record({
  pool: fc
    .tuple(fc.array(entry, { maxLength: 12 }), fc.option(crowd, { nil: [] }))
    .map((pools) => pools.flat()),
  files: fc.array(fc.record({ source: one(...SOURCES), has: fc.infiniteStream(fc.boolean()) }), {
    minLength: 1,
    maxLength: 3,
  }),
  payments: fc
    .tuple(
      fc.array(payment, { maxLength: 12 }),
      fc.option(
        fc.array(fc.record({ ...{ amount, time }, order: fc.constant(undefined) }), {
          minLength: 15,
          maxLength: 35,
        }),
        { nil: [] },
      ),
    )
    .map(([few, many]): TestPayment[] => [
      ...few,
      ...many.map((each) => ({
        ...{
          ...each,
          qrcId: 'c1',
          status: 'COMPLETED' as const,
          bank: 'raiffeisen',
          networkUid: undefined,
          refund: undefined,
        },
      })),
    ]),
  /** What happens, in this order: a payment, an import or a deletion of a file, the alarm, or a report that says which bank one was of. */
  steps: fc.array(fc.tuple(one('pay', 'pay', 'import', 'import', 'delete', 'alarm', 'learn'), fc.nat()), {
    maxLength: 16,
  }),
})

/** What is matched at once. */
function expected(sql: SqlStorage, siteId: string, now: Map<string, { source: Source; entries: Entry[] }>) {
  const rows = (['payment', 'refund'] as const).flatMap((kind) => operationRows(sql, kind, ''))
  return SOURCES.flatMap(({ bank, format }) => {
    const entries = new Map<string, Entry>()
    const files = [...now.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [, file] of files)
      if (file.source.bank === bank && file.source.format === format)
        for (const each of file.entries) if (!entries.has(each.identity)) entries.set(each.identity, each)
    const operations = new Map<Operation | undefined, string>()
    for (const row of rows)
      if (row.bank === null || row.bank === bank)
        operations.set(
          operationOf(row, bank, siteId),
          `${row.payment} ${row.refund_uid === null ? null : row.number}`,
        )
    const given = [...operations.keys()].flatMap((each) => each ?? [])
    return match([...entries.values()], given).map(({ entry, operation, state, differences }) =>
      JSON.stringify([
        `${bank}\n${format}\n${entry.identity}`,
        ...[state ?? null, operations.get(operation) ?? 'null null', differences],
      ]),
    )
  }).toSorted()
}

/** What the site has. */
function found(sql: SqlStorage): string[] {
  const rows = sql.exec(
    `SELECT identity, matches.state, payment, refund, differences FROM settlement_matches AS matches
       JOIN settlement_lines AS lines ON lines.entry = matches.entry AND lines.file = matches.file
     WHERE since = (SELECT max(since) FROM settlement_matches WHERE entry = matches.entry)`,
  )
  return [...rows.raw()]
    .map(([identity, state, payment, refund, differences]) =>
      JSON.stringify([identity, state, `${payment} ${refund}`, JSON.parse(String(differences ?? '[]'))]),
    )
    .toSorted()
}

/** Calls the alarm until it has nothing to do. */
function settle(context: Context) {
  for (let now = 0; nextSettlementWork(context.sql) !== undefined; now += 20_000)
    workOnSettlements(context, milliseconds(Number(toMilliseconds(context.now)) + now))
}

it(
  'an entry matches the same in any order of imports, deletions and payments',
  () =>
    fc.assert(
      fc.asyncProperty(world, ({ pool, files, payments, steps }) =>
        inNewSite(async (storage) => {
          migrate(storage)
          const { sql } = storage
          const context = contextOf(sql, NOON + 10 * DAY)
          const network = { ...context, by: NETWORK, ...ORIGIN }
          const now = new Map<string, { source: Source; entries: Entry[] }>()
          const has = files.map(({ has }) => pool.map(() => has.next().value))
          let token = 0
          let next = 0
          const pay = () => {
            const given = payments[next]
            if (!given) return
            const paymentUid = `p${next++}`
            const { networkUid, order, qrcId, amount, time, status, bank, refund } = given
            const value = { minorUnits: amount, currency: 'RUB' }
            const report = { paymentUid, status, amount: value, at: time, networkUid }
            unwrap(reportPayment(network, { linkId: qrcId, isKept: true }, report))
            sql.exec(
              'UPDATE payments SET bank = ?, bank_order = ? WHERE payment_uid = ?',
              bank,
              order ?? null,
              paymentUid,
            )
            if (!refund || status === 'DECLINED') return
            unwrap(reportRefund(network, paymentUid, `f${next}`, { status: 'COMPLETED', amount: value }))
            sql.exec(
              'UPDATE refunds SET bank_number = ?, changed_at = ? WHERE refund_uid = ?',
              refund.networkUid ?? null,
              refund.time,
              `f${next}`,
            )
          }
          const learn = (which: number) => {
            const unknown = sql
              .exec('SELECT number FROM payments WHERE bank IS NULL ORDER BY number')
              .toArray()
            const number = unknown[which % unknown.length]?.number
            if (number === undefined) return
            const bank = ['tbank', 'raiffeisen', 'tochka-pay'][which % 3] ?? null
            sql.exec('UPDATE payments SET bank = ? WHERE number = ?', bank, number)
            keepLearned(context, Number(number))
          }
          const importFile = (index: number) => {
            const file = files[index]
            const settlementUid = `file${index}`
            if (!file || now.has(settlementUid)) return
            const entries = pool.flatMap((each, i) =>
              has[index]?.[i] ? [{ ...each, identity: `e${i}`, line: i + 1 }] : [],
            )
            const name = `t${token++}`
            unwrap(beginImport(context, { settlementUid, ...file.source }, name))
            unwrap(appendEntries(context, name, entries))
            const content = { sha256: `${index}`, summary: summaryOf(entries) }
            for (let step = unwrap(completeImport(context, name, content)); !step.isDone; )
              step = unwrap(continueImport(context, name))
            now.set(settlementUid, { source: file.source, entries })
          }
          const deleteFile = (index: number) => {
            const given = { token: undefined, newToken: `t${token++}` }
            for (let step = unwrap(deleteSettlement(context, `file${index}`, given)); !step.isDone; )
              step = unwrap(deleteSettlement(context, `file${index}`, { ...given, token: step.token }))
            now.delete(`file${index}`)
          }
          importFile(0)
          for (const [what, which] of [...steps, ['alarm', 0] as const]) {
            if (what === 'pay') for (let i = 0; i < 1 + (which % 8); i++) pay()
            else if (what === 'import') importFile(which % files.length)
            else if (what === 'delete') deleteFile(which % files.length)
            else if (what === 'learn') learn(which)
            else {
              settle(context)
              expect(found(sql)).toEqual(expected(sql, context.siteId, now))
            }
          }
          const entries = new Set(
            [...now.values()].flatMap(({ source, entries }) =>
              entries.map(({ identity }) => `${source.bank} ${source.format} ${identity}`),
            ),
          )
          // Nothing is left of what is not seen.
          expect([...sql.exec('SELECT count(*) FROM settlement_matches').raw()]).toEqual([[entries.size]])
          expect(filesOf(sql, stateIn(sql).generation).size).toBe(now.size)
          const counted = [
            ...sql
              .exec(
                `SELECT ifnull(sum(matched), 0), ifnull(sum(mismatched), 0), ifnull(sum(unknown), 0) FROM settlement_counts`,
              )
              .raw(),
          ]
          const states = ['MATCHED', 'MISMATCHED', 'UNKNOWN'].map(
            (state) =>
              [
                ...sql
                  .exec(
                    `SELECT count(*) FROM settlement_matches AS m JOIN settlement_lines AS l ON l.entry = m.entry WHERE state = ?`,
                    state,
                  )
                  .raw(),
              ][0]?.[0],
          )
          if (now.size > 0) expect(counted[0]).toEqual(states)
          expect(lineRows(sql, '').length).toBe(
            [...now.values()].reduce((sum, { entries }) => sum + entries.length, 0),
          )
        }),
      ),
      { numRuns: 50, endOnFailure: true },
    ),
  120_000,
)
