// What is told later of payments and refunds, and what a restore changes, is matched by the alarm.
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import type { Site } from '../../src/site/site.ts'
import { alarmTurn, cleaned } from '../support/settlement/alarm.ts'
import { imported, line, NOON, NOVEMBER, paid } from '../support/settlement/imports.ts'
import { inNewSite, MERCHANT, NETWORK, ORIGIN } from '../support/site.ts'

const entriesOf = async (site: Site) =>
  unwrap(await site.settlementEntries(MERCHANT, { ...NOVEMBER, limit: 100 })).entries
/** Of the lines of files. */
const statesOf = async (site: Site) =>
  (await entriesOf(site)).flatMap(({ state, line }) => (line === undefined ? [] : [state])).toSorted()

/** The network reports a payment of 100 roubles, by the link of its QR code. */
async function reports(site: Site, uid: string, more: { bank?: 'tbank' | 'raiffeisen'; order?: string }) {
  const amount = { minorUnits: 10_000, currency: 'RUB' }
  const report = { paymentUid: uid, status: 'COMPLETED', amount, at: NOON, ...more } as const
  unwrap(await site.report(NETWORK, { linkId: `link-of-${uid}`, isKept: true }, report, ORIGIN))
}

const reportsRefund = async (site: Site, status: 'WAITING' | 'COMPLETED', networkUid?: string) =>
  unwrap(
    await site.reportRefund(NETWORK, 'ours', 'back', {
      ...{ status, amount: { minorUnits: 3000, currency: 'RUB' }, networkUid },
    }),
  )

const REFUND = { kind: 'refund', gross: -3000, hasTime: false, bankIds: { refundId: 'R1' } } as const

describe('what a repeated report is the first to tell is matched', () => {
  it.each<[string, (site: Site) => Promise<void>]>([
    ['before the file', async (site) => reports(site, 'ours', { bank: 'tbank', order: 'o1' })],
    ['after it', async () => {}],
  ])('the bank and the order of a payment, %s', (_, before) =>
    inNewSite(async ({ sql }, site) => {
      await reports(site, 'ours', {})
      await before(site)
      unwrap(await imported(site, { settlementUid: 'a', entries: [line('1', { bankIds: { order: 'o1' } })] }))
      await reports(site, 'ours', { bank: 'tbank', order: 'o1' })
      cleaned(sql)
      expect(await entriesOf(site)).toMatchObject([{ state: 'MATCHED', paymentUid: 'ours' }])
    }),
  )

  it('the number of a refund', () =>
    inNewSite(async ({ sql }, site) => {
      await reports(site, 'ours', { bank: 'raiffeisen' })
      await reportsRefund(site, 'COMPLETED')
      unwrap(await imported(site, { settlementUid: 'a', bank: 'raiffeisen', entries: [line('', REFUND)] }))
      cleaned(sql)
      expect(await statesOf(site)).toContain('UNKNOWN')
      await reportsRefund(site, 'COMPLETED', 'R1')
      cleaned(sql)
      expect(await entriesOf(site)).toContainEqual(
        expect.objectContaining({ kind: 'refund', refundUid: 'back', settlementUid: 'a' }),
      )
      expect(await statesOf(site)).not.toContain('UNKNOWN')
    }))

  it('the order by which the refund of a payment is found', () =>
    inNewSite(async ({ sql }, site) => {
      await reports(site, 'ours', { bank: 'tbank' })
      await reportsRefund(site, 'COMPLETED')
      const entries = [line('', { ...REFUND, bankIds: { order: 'o1' } })]
      unwrap(await imported(site, { settlementUid: 'a', entries }))
      cleaned(sql)
      expect(await statesOf(site)).toContain('UNKNOWN')
      await reports(site, 'ours', { bank: 'tbank', order: 'o1' })
      cleaned(sql)
      expect(await statesOf(site)).not.toContain('UNKNOWN')
    }))

  it('the bank of a payment, which another bank’s file cannot have: its line is nobody’s', () =>
    inNewSite(async ({ sql }, site) => {
      await reports(site, 'ours', {})
      sql.exec("UPDATE payments SET network_uid = '1'")
      unwrap(await imported(site, { settlementUid: 'a', entries: [line('1')] }))
      expect(await statesOf(site)).toEqual(['MATCHED'])
      await reports(site, 'ours', { bank: 'raiffeisen' })
      cleaned(sql)
      expect(await statesOf(site)).toEqual(['UNKNOWN'])
    }))

  it('of more payments than a turn matches', () =>
    inNewSite(async ({ sql }, site) => {
      const all = Array.from({ length: 45 }, (_, i) => i)
      for (const i of all) await reports(site, `p${i}`, {})
      const entries = all.map((i) => line(`${i}`, { line: i + 1, bankIds: { order: `o${i}` } }))
      unwrap(await imported(site, { settlementUid: 'a', entries }))
      for (const i of all) await reports(site, `p${i}`, { bank: 'tbank', order: `o${i}` })
      cleaned(sql)
      expect(await statesOf(site)).toEqual(all.map(() => 'MATCHED'))
      expect(sql.exec('SELECT * FROM settlement_learned').toArray()).toEqual([])
    }))

  it('and keeps nothing where no file is', () =>
    inNewSite(async ({ sql }, site) => {
      unwrap(await imported(site, { settlementUid: 'a', entries: [line('1')] }))
      sql.exec('DELETE FROM settlements')
      await reports(site, 'ours', {})
      await reports(site, 'ours', { bank: 'tbank', order: 'o1' })
      expect(sql.exec('SELECT * FROM settlement_learned').toArray()).toEqual([])
    }))
})

describe('after a restore', () => {
  const restored = (sql: SqlStorage) => {
    sql.exec("UPDATE site SET epoch = 'restored'")
    // Of this the settlements of the backup do not know.
    sql.exec("UPDATE payments SET minor_units = 1 WHERE payment_uid = 'p0'")
  }
  /** Hundred payments, of which a file has one. */
  async function furnish(site: Site, sql: SqlStorage) {
    for (let i = 0; i < 100; i++) await paid(site, sql, { uid: `p${i}`, networkUid: `${i}` })
    unwrap(await imported(site, { settlementUid: 'a', entries: [line('0')] }))
    cleaned(sql)
  }
  const second = { settlementUid: 'b', entries: [line('1')] }
  const isMatchedAnew = async (site: Site, sql: SqlStorage) => {
    cleaned(sql)
    expect(await statesOf(site)).toEqual(['MATCHED', 'MISMATCHED'])
  }

  it('an import that begins before the alarm does not keep it from matching all anew', () =>
    inNewSite(async ({ sql }, site) => {
      await furnish(site, sql)
      restored(sql)
      unwrap(await imported(site, second))
      await isMatchedAnew(site, sql)
    }))

  it('an import takes no more steps than before: what was reported earlier is left to the alarm', () =>
    inNewSite(async ({ sql }, site) => {
      await furnish(site, sql)
      let steps = 0
      const counting = new Proxy(site, {
        get: (target, name) => {
          if (name === 'continueImport') steps++
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      unwrap(await imported(counting, { settlementUid: 'c', entries: [line('2')] }))
      const before = steps
      restored(sql)
      alarmTurn(sql)
      alarmTurn(sql, 1)
      steps = 0
      unwrap(await imported(counting, second))
      expect(steps).toBe(before)
      cleaned(sql)
      expect(await statesOf(site)).toEqual(['MATCHED', 'MATCHED', 'MISMATCHED'])
    }))
})
