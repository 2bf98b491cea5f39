// What the object remembers of its tables, compared with them after every flush.

import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import type { Outcome } from '../../../src/errors.ts'
import { apiKeyRows } from '../../../src/site/access/rows.ts'
import { nextWake } from '../../../src/site/clock.ts'
import { Store } from '../../../src/site/database/store.ts'
import { lastEvent } from '../../../src/site/events/events.ts'
import { operatorSettingsIn } from '../../../src/site/operator/limits.ts'
import { setLimits } from '../../../src/site/operator/operator-settings.ts'
import { ok } from '../../../src/site/outcomes.ts'
import { applyEarlyPayments } from '../../../src/site/payments/early-payments.ts'
import { reportPayment } from '../../../src/site/payments/reports.ts'
import { createQrCode, creationTime } from '../../../src/site/qr-codes/creations.ts'
import { cancelQrCode } from '../../../src/site/qr-codes/qr-codes.ts'
import { setRetention } from '../../../src/site/qr-codes/retention.ts'
import { hasDeleted, latestQrCode } from '../../../src/site/qr-codes/rows.ts'
import { SiteName } from '../../../src/site/rows/site-id.ts'
import { createIn, creation, inNewSite, MERCHANT, NETWORK, ORIGIN } from '../../support/site.ts'

const START = 1_800_000_000_000

/** The pairs of a table, each with its number. */
const pairs = (sql: SqlStorage, query: string) =>
  sql.exec<{ number: number; a: string; b: string }>(query).toArray()

const KEYS = ['till-0', 'till-1', 'till-2']

/** Compares everything that can be remembered with the tables. */
function compare({ sql, memory, keys }: Store): void {
  expect(memory.latestQrCode).toEqual(latestQrCode(sql))
  expect(memory.hasDeleted).toBe(hasDeleted(sql))
  expect(memory.lastEvent).toBe(lastEvent(sql))
  expect(memory.nextWake).toBe(nextWake(sql))
  expect(memory.limits).toEqual(operatorSettingsIn(sql).limits)
  for (const { number, a, b } of pairs(sql, 'SELECT number, base AS a, bank AS b FROM link_bases'))
    expect(memory.linkBase({ base: a, bank: b })).toBe(number)
  for (const { number, a, b } of pairs(sql, 'SELECT number, actor AS a, key_id AS b FROM callers')) {
    const actor = a === 'merchant' ? 'merchant' : a === 'network' ? 'network' : 'clock'
    expect(memory.caller({ actor, keyId: b })).toBe(number)
  }
  const again = 'SELECT count(*) AS n FROM deleted_qr_codes JOIN qr_codes USING (qr_code_uid)'
  expect(sql.exec(again).one().n).toBe(0)
  const revoked = apiKeyRows(sql, 'WHERE revoked_at IS NOT NULL').map(({ id }) => id)
  const refused = KEYS.filter((keyId) => keys.admit({ ...MERCHANT, keyId }))
  expect(refused.toSorted()).toEqual(revoked.toSorted())
}

const uid = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('create'), uid, ttl: fc.constantFrom(1, 2, 30) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constantFrom('cancel', 'pay', 'alarm', 'fail', 'limit'), uid }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('revoke'), uid, key: fc.constantFrom(...KEYS) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('restart', 'commit'), uid }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('sweep'), uid }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('wait'), uid, seconds: fc.integer({ min: -90, max: 90 }) }),
  },
)

it('what is in memory equals the tables after every flush, though some are rolled back and the object restarts', async () => {
  let flushes = 0
  let failures = 0
  let deletions = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) =>
      inNewSite(async (storage) => {
        let now = START
        let origin = 0
        let store: Store | undefined
        const differences: unknown[] = []
        const open = async () => {
          const opened: Store = new Store(storage, {
            name: new SiteName('test', () => true),
            clock: () => now,
            log: () => {},
            afterFlush() {
              // One that was restarted still records what it has to; it is no longer the only writer.
              if (opened !== store) return
              flushes++
              if (opened.memory.hasDeleted) deletions++
              try {
                compare(opened)
              } catch (error) {
                differences.push(error)
              }
            },
            wakeAt: () => undefined,
          })
          store = opened
          await opened.open()
          return opened
        }
        let current = await open()
        const calls: Promise<unknown>[] = []
        const settle = async () => {
          for (const call of calls.splice(0)) await call
          await storage.sync()
          await scheduler.wait(0)
        }
        const run = (call: Promise<Outcome<unknown>>) => calls.push(call.catch(() => failures++))
        const fail = (): never => {
          throw new Error('it fails')
        }
        for (const { type, uid: qrCodeUid, ...more } of steps) {
          const key = { qrCodeUid }
          if (type === 'wait') now += 'seconds' in more ? more.seconds * 1000 : 0
          if (type === 'create') {
            const { link, ...rest } = creation(qrCodeUid, 'ttl' in more ? { ttl: more.ttl } : {})
            // Every third create has a base of its own, which a rollback takes back.
            const base = ++origin % 3 === 0 ? `https://${origin}` : link.base
            const write = { ...rest, link: { ...link, base } }
            run(
              current.create({ ...MERCHANT, keyId: `key-${origin % 4}` }, (context) =>
                createQrCode(context, write, creationTime(context), applyEarlyPayments),
              ),
            )
          }
          if (type === 'cancel') run(current.write(MERCHANT, (context) => cancelQrCode(context, key)))
          if (type === 'pay') {
            const amount = { minorUnits: 1, currency: 'RUB' }
            run(
              current.write(NETWORK, (context) =>
                reportPayment({ ...context, ...ORIGIN }, key, {
                  paymentUid: qrCodeUid,
                  status: 'COMPLETED',
                  amount,
                }),
              ),
            )
          }
          if (type === 'revoke') {
            const id = 'key' in more ? more.key : ''
            run(current.write(MERCHANT, (context) => current.keys.revoke(context, id)))
          }
          // Codes of one or two minutes end, and retention deletes them.
          if (type === 'sweep') {
            run(current.writeOwn(({ sql }) => setRetention(sql, 0)).then(() => ok(undefined)))
            now += 120_000
            await current.wake(async () => {})
          }
          if (type === 'limit') {
            const maxPayment = { minorUnits: ++origin, currency: 'RUB' }
            run(current.write(MERCHANT, (context) => ok(setLimits(context, { maxPayment }))))
          }
          if (type === 'alarm') await current.wake(async () => {})
          // After its own change: the flush is rolled back, and those beside it run again.
          if (type === 'fail') {
            run(
              current.write(MERCHANT, (context) => {
                const failing = creation(`${qrCodeUid}-fails`, { ttl: 1 })
                createIn(context, { ...failing, link: { ...failing.link, base: 'https://fails' } })
                for (const id of KEYS) current.keys.revoke(context, id)
                setLimits(context, { maxPayment: { minorUnits: 1, currency: 'RUB' } })
                expect(context.memory.limits).toEqual(operatorSettingsIn(context.sql).limits)
                return fail()
              }),
            )
          }
          if (type === 'commit') await settle()
          if (type === 'restart') {
            await settle()
            current = await open()
          }
        }
        await settle()
        expect(differences).toEqual([])
      }),
    ),
    { numRuns: 90 },
  )
  // Each of the three was there.
  expect(Math.min(flushes, failures, deletions)).toBeGreaterThan(20)
})

it('a create of a known caller and base runs no query but its two inserts, and the flush none', () =>
  inNewSite(async (storage, site) => {
    await site.create(creation('a'))
    // What the object does after its first write is done, too.
    await vi.waitFor(async () => {
      await site.create(creation(crypto.randomUUID()))
      expect(storage.sql.exec('SELECT registry_entry FROM site').one().registry_entry).not.toBeNull()
    })
    await storage.sync()
    await scheduler.wait(0)
    const queries: string[] = []
    const { sql } = storage
    const exec = sql.exec.bind(sql)
    vi.spyOn(sql, 'exec').mockImplementation((query, ...bindings) => {
      queries.push(query)
      return exec(query, ...bindings)
    })
    await site.create(creation('c'))
    vi.restoreAllMocks()
    expect(queries.map((query) => /^\w+( OR IGNORE)? INTO \w+/.exec(query)?.[0])).toEqual([
      'INSERT OR IGNORE INTO qr_codes',
      'INSERT INTO events',
    ])
  }))
