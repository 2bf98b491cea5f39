// What is counted once, what is late, and when a payout is compared.
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import { monthsOf } from '../../src/site/settlements/figures.ts'
import { figuresKey, figuresStamp } from '../../src/site/settlements/figures-key.ts'
import { SettlementUpdates } from '../../src/site/settlements/updates.ts'
import { milliseconds, seconds } from '../../src/site/time.ts'
import { cleaned } from '../support/settlement/alarm.ts'
import { DAY, type File, imported, line, NOON, NOVEMBER, paid } from '../support/settlement/imports.ts'
import { contextOf, inNewSite, MERCHANT } from '../support/site.ts'

const STATEMENT = { settlementUid: 'statement', bank: 'raiffeisen', format: 'statement' } as const
const unknown = (more: object = {}) => line('', { net: undefined, hasTime: false, bankIds: {}, ...more })

describe('what nothing of ours matches', () => {
  it.each<[string, number, number]>([
    ['is counted once where a registry has its day', 0, 1],
    ['is counted where no registry has its day', 3 * DAY, 2],
  ])('%s', (_, later, payments) =>
    inNewSite(async (_storage, site) => {
      const registry = { settlementUid: 'registry', bank: 'raiffeisen', entries: [line('1')] } as const
      unwrap(await imported(site, registry))
      const entries = [
        unknown({ operatedAt: NOON + later }),
        unknown({ kind: 'refund', gross: -500, identity: 'r', operatedAt: NOON + later }),
      ]
      unwrap(await imported(site, { ...STATEMENT, entries }))
      const month = unwrap(await site.settlementMonth(MERCHANT, NOVEMBER))
      expect([month.payments, month.gross]).toEqual([payments, payments * 10_000])
      expect([month.refunds, month.unknown]).toEqual([payments - 1, 3])
      const { rows } = unwrap(await site.settlementReport(MERCHANT, NOVEMBER))
      expect(rows.length).toBe(payments === 1 ? 1 : 3)
    }),
  )
})

describe('a file from which payments are expected', () => {
  const payout = line('', { kind: 'payout', type: 'payout', identity: 'out', fee: undefined, bankIds: {} })
  it.each<[string, Pick<File, 'bank' | 'format' | 'entries'>, number]>([
    ['is a registry', { bank: 'tbank', format: 'registry', entries: [line('9')] }, 1],
    ['is no statement of payouts alone', { bank: 'tbank', format: 'statement', entries: [payout] }, 0],
    ['is a statement of Raiffeisenbank', { ...STATEMENT, entries: [unknown()] }, 1],
  ])('%s', (_, file, expected) =>
    inNewSite(async ({ sql }, site) => {
      await paid(site, sql, { uid: 'ours', networkUid: '1', bank: file.bank ?? null })
      unwrap(await imported(site, { settlementUid: 'a', ...file }))
      expect(unwrap(await site.settlementMonth(MERCHANT, NOVEMBER)).expected).toBe(expected)
    }),
  )
})

it('a part of a file of several sites withholds the state of its own days of payout alone', () =>
  inNewSite(async (_, site) => {
    const paidOn = (day: number) => `2026-11-${day}`
    const payout = (day: number) =>
      line('', {
        ...{ kind: 'payout', type: 'payout', identity: `${day}`, gross: 9930, net: undefined },
        ...{ paidOn: paidOn(day), bankIds: {} },
      })
    unwrap(await imported(site, { settlementUid: 'part', isPart: true, entries: [line('1')] }))
    const whole = line('2', { operatedAt: NOON + 2 * DAY, paidOn: paidOn(23) })
    unwrap(await imported(site, { settlementUid: 'whole', entries: [whole] }))
    const entries = [payout(21), payout(23)]
    unwrap(await imported(site, { settlementUid: 'statement', format: 'statement', entries }))
    const { payouts } = unwrap(await site.settlementMonth(MERCHANT, NOVEMBER))
    expect(payouts.map(({ paidOn, state }) => [paidOn, state])).toEqual([
      [paidOn(21), undefined],
      [paidOn(23), 'MATCHED'],
    ])
  }))

it('a day far in the future hides no month', () =>
  inNewSite(async ({ sql }, site) => {
    const entries = [line('1'), line('2', { operatedAt: NOON + 30_000 * DAY })]
    unwrap(await imported(site, { settlementUid: 'a', entries }))
    const settings = { days: 7, utcOffset: '+03:00' }
    expect(monthsOf(contextOf(sql, NOON + 20 * DAY), settings)).toEqual(['2026-12', '2026-11'])
  }))

it('the stamp of the figures changes with all that changes their key', () =>
  inNewSite(async ({ sql }, site) => {
    const changes: Record<string, () => unknown> = {
      import: () => imported(site, { settlementUid: 'a', entries: [line('1'), line('2')] }),
      'a payment that is reported later': () => paid(site, sql, { uid: 'p1', networkUid: '1' }),
      'a number that is learned later': async () => {
        await paid(site, sql, { uid: 'p2', bank: null })
        sql.exec('UPDATE settlement_state SET matched_event = (SELECT max(number) FROM events)')
        sql.exec("UPDATE payments SET network_uid = '2' WHERE payment_uid = 'p2'")
        sql.exec("INSERT INTO settlement_learned SELECT number FROM payments WHERE payment_uid = 'p2'")
        sql.exec('UPDATE settlement_state SET late_at = 0')
      },
      'a restore': () => sql.exec("UPDATE site SET epoch = 'restored'"),
    }
    unwrap(await imported(site, { settlementUid: 'b', entries: [] }))
    const shown = () => {
      const now = seconds(NOON)
      return { stamp: figuresStamp(sql, now), key: figuresKey(sql, now) }
    }
    for (const [name, change] of Object.entries(changes)) {
      const before = shown()
      await change()
      const stamp = figuresStamp(sql, seconds(NOON))
      cleaned(sql)
      const after = shown()
      expect([name, after.key === before.key]).toEqual([name, false])
      expect([name, after.stamp === before.stamp]).toEqual([name, false])
      if (name.includes('later')) expect([name, after.stamp === stamp]).toEqual([name, false])
    }
  }))

describe('the alarm for the figures', () => {
  const at = (seconds: number) => milliseconds((NOON + seconds) * 1000)
  /** The sender of a site that has a file. */
  const started = (
    sql: SqlStorage,
    clock: { now: number },
    settings: { days: number; utcOffset: string } | undefined,
  ) => {
    const context = contextOf(sql, NOON)
    const updates = new SettlementUpdates({
      site: {
        ...{ sql, memory: context.memory, isDeleted: false, name: { value: 'test' } },
        get milliseconds() {
          return at(clock.now)
        },
        tables: { read: (operation) => operation() },
        writeOwn: async (operation) => operation(context),
        warn: () => expect.unreachable(),
      },
      settings,
      record: () => new Promise<void>(() => {}),
      waitUntil: () => {},
    })
    updates.start()
    return updates
  }

  it('is not due again while a registry that is slow has not answered', () =>
    inNewSite(async ({ sql }, site) => {
      unwrap(await imported(site, { settlementUid: 'a', entries: [line('1')] }))
      const clock = { now: 0 }
      const updates = started(sql, clock, { days: 7, utcOffset: '+03:00' })
      for (clock.now of [0, 30, 60]) {
        updates.check()
        expect(updates.wakeAt).toBe(at(clock.now + 30))
      }
    }))

  it('is never due where the deployment’s settings are wrong', () =>
    inNewSite(async ({ sql }, site) => {
      unwrap(await imported(site, { settlementUid: 'a', entries: [line('1')] }))
      const updates = started(sql, { now: 0 }, undefined)
      updates.flushed(true)
      updates.check()
      expect(updates.wakeAt).toBeUndefined()
    }))
})
