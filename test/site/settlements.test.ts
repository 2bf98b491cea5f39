// Settlements of a site: imports, what is seen of them, and their ends.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ExportCursor, exportLine } from '../../src/contract/export.ts'
import type { EntryCursor, ImportStep, Settlement, SettlementEntry } from '../../src/contract/settlement.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import { LONG_PAGE } from '../../src/site/rows/page.ts'
import type { Site } from '../../src/site/site.ts'
import { cleaned } from '../support/settlement/alarm.ts'
import {
  DAY,
  deleted,
  imported,
  line,
  NOON,
  NOVEMBER,
  paid,
  summaryOf,
} from '../support/settlement/imports.ts'
import { inNewSite, MERCHANT, NETWORK } from '../support/site.ts'

afterEach(() => void vi.useRealTimers())

const settlementsOf = async (site: Site): Promise<Settlement[]> =>
  unwrap(await site.settlements(MERCHANT, { limit: 100 })).settlements

/** What a reader sees. */
const all = async (site: Site) => [
  await settlementsOf(site),
  await entriesOf(site),
  unwrap(await site.settlementMonth(MERCHANT, NOVEMBER)),
]

const NAMES = [
  ...['settlements', 'settlement_counts', 'settlement_staged', 'settlement_lines', 'settlement_ids'],
  ...['settlement_matches', 'settlement_changes'],
]

const entriesOf = async (site: Site, more: object = {}): Promise<SettlementEntry[]> =>
  unwrap(await site.settlementEntries(MERCHANT, { ...NOVEMBER, limit: 100, ...more })).entries

describe('an import', () => {
  it('matches its entries, and is listed with their states', () =>
    inNewSite(async ({ sql }, site) => {
      await paid(site, sql, { uid: 'ours', networkUid: '1' })
      await paid(site, sql, { uid: 'more', networkUid: '2' })
      const entries = [line('1'), line('2', { line: 2, gross: 20_000 }), line('3', { line: 3 })]
      const { settlement } = unwrap(await imported(site, { settlementUid: 'november', entries }))
      expect(settlement).toMatchObject({
        ...{ settlementUid: 'november', lines: 3, entries: 3, repeated: 0 },
        ...{ matched: 1, mismatched: 1, unknown: 1, from: '2026-11-20', to: '2026-11-20' },
      })
      expect(await settlementsOf(site)).toEqual([settlement])
      const found = await entriesOf(site)
      expect(
        found
          .map(({ line, state, paymentUid, differences }) => [line, state, paymentUid, differences.length])
          .toSorted(),
      ).toEqual([
        [1, 'MATCHED', 'ours', 0],
        [2, 'MISMATCHED', 'more', 1],
        [3, 'UNKNOWN', undefined, 0],
      ])
    }))

  it('is deleted with its entries', () =>
    inNewSite(async (_, site) => {
      unwrap(await imported(site, { settlementUid: 'november', entries: [line('1')] }))
      await deleted(site, 'november')
      await deleted(site, 'november')
      expect(await entriesOf(site)).toEqual([])
      expect(await settlementsOf(site)).toEqual([])
    }))

  it('tells the events of itself, with its figures', () =>
    inNewSite(async (_, site) => {
      unwrap(await imported(site, { settlementUid: 'november', entries: [line('1')], sha256: 'a' }))
      await deleted(site, 'november')
      const page = unwrap(await site.feed(MERCHANT, { limit: 10 }))
      const figures = { settlementUid: 'november', sha256: 'a', entries: 1, mismatched: 0, unknown: 1 }
      expect(page?.value.events.map(({ type, settlement }) => [type, settlement])).toEqual([
        ['settlement.imported', figures],
        ['settlement.deleted', figures],
      ])
    }))

  it('changes no payment and no refund', () =>
    inNewSite(async ({ sql }, site) => {
      await paid(site, sql, { uid: 'ours', networkUid: '1' })
      unwrap(
        await site.reportRefund(NETWORK, 'ours', 'back', {
          status: 'COMPLETED',
          amount: { minorUnits: 5, currency: 'RUB' },
        }),
      )
      const rows = () => ['payments', 'refunds'].map((table) => sql.exec(`SELECT * FROM ${table}`).toArray())
      const before = rows()
      unwrap(await imported(site, { settlementUid: 'november', entries: [line('1', { gross: 1 })] }))
      await deleted(site, 'november')
      expect(rows()).toEqual(before)
    }))

  it('of the same file is a replay, and under another uid it is refused, unless it is empty', () =>
    inNewSite(async (_, site) => {
      const file = { settlementUid: 'a', entries: [line('1')] }
      const first = unwrap(await imported(site, file))
      expect(unwrap(await imported(site, file))).toEqual({
        isDone: true,
        settlement: first.settlement,
        isReplayed: true,
      })
      expect(await imported(site, { ...file, settlementUid: 'b' })).toMatchObject({
        code: 'payin.resource.already.exists',
        fields: { settlementUid: ['is b, must be a, which has the same file'] },
        settlementUid: 'a',
      })
      expect(await imported(site, { ...file, entries: [line('2')] })).toMatchObject({
        code: 'payin.resource.already.exists',
        ...{ fields: { sha256: ['differs from the file of a'] }, settlementUid: 'a' },
      })
      expect(await imported(site, { ...file, isPart: true })).toMatchObject({
        code: 'payin.resource.already.exists',
        fields: { part: ['differs from the file of a'] },
      })
      for (const settlementUid of ['c', 'd'])
        unwrap(await imported(site, { settlementUid, entries: [], sha256: 'empty' }))
      expect((await settlementsOf(site)).map(({ settlementUid }) => settlementUid)).toEqual(['d', 'c', 'a'])
    }))

  it('with another amount of an operation is refused, names the line and the earlier file, and leaves nothing', () =>
    inNewSite(async (_, site) => {
      unwrap(await imported(site, { settlementUid: 'first', entries: [line('1'), line('2')] }))
      const seen = await entriesOf(site)
      const entries = [line('3', { line: 16 }), line('2', { line: 17, fee: -71, paidOn: '2026-11-22' })]
      expect(await imported(site, { settlementUid: 'second', entries })).toMatchObject({
        code: 'settlement.contradicts',
        ...{ description: expect.stringContaining('first'), settlementUid: 'first' },
        fields: {
          'lines[17].fee': ['is -0.71, differs from -0.70 of the file first'],
          'lines[17].paidOn': ['is 2026-11-22, differs from 2026-11-21 of the file first'],
        },
      })
      expect(await entriesOf(site)).toEqual(seen)
      await deleted(site, 'first')
      unwrap(await imported(site, { settlementUid: 'second', entries }))
    }))

  it('while another one goes on is refused; a minute without a call ends that one, whose batches are refused then', () =>
    inNewSite(async (_, site) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 10, 20) })
      const spec = { settlementUid: 'a', bank: 'tbank', format: 'registry' } as const
      const { token } = unwrap(await site.beginImport(MERCHANT, spec))
      unwrap(await site.appendEntries(MERCHANT, token, [line('1')]))
      vi.setSystemTime(Date.now() + 59_000)
      expect(await site.beginImport(MERCHANT, spec)).toMatchObject({ code: 'settlement.in.progress' })
      vi.setSystemTime(Date.now() + 1000)
      expect(await site.appendEntries(MERCHANT, token, [])).toMatchObject({
        code: 'payin.incorrect-method-invocation',
      })
      unwrap(await imported(site, { settlementUid: 'b', entries: [line('2')] }))
      expect((await entriesOf(site)).map(({ bankIds }) => bankIds)).toEqual([{ paymentId: '2' }])
    }))

  it('that breaks at any call is not seen, leaves nothing, and can be repeated', () =>
    inNewSite(async ({ sql }, site) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 10, 20) })
      for (let i = 0; i < 5; i++) await paid(site, sql, { uid: `p${i}`, networkUid: `${i}` })
      unwrap(await imported(site, { settlementUid: 'before', entries: [line('0'), line('300')] }))
      const seen = await all(site)
      const tables = () => NAMES.map((name) => sql.exec(`SELECT * FROM ${name}`).toArray())
      cleaned(sql)
      const before = tables()
      const entries = Array.from({ length: 200 }, (_, i) => line(`${i + 1}`, { line: i + 1 }))
      const spec = { settlementUid: 'after', bank: 'tbank', format: 'registry' } as const
      for (let calls = 1; ; calls++) {
        const { token } = unwrap(await site.beginImport(MERCHANT, spec))
        unwrap(await site.appendEntries(MERCHANT, token, entries))
        let step: ImportStep = { isDone: false }
        for (let call = 1; call < calls && !step.isDone; call++)
          step = unwrap(
            await (call === 1
              ? site.completeImport(MERCHANT, token, { sha256: 'after', summary: summaryOf(entries) })
              : site.continueImport(MERCHANT, token)),
          )
        if (step.isDone) {
          expect(step.settlement).toMatchObject({ matched: 4, unknown: 196 })
          expect(calls).toBeGreaterThan(10)
          break
        }
        expect(await all(site)).toEqual(seen)
        vi.setSystemTime(Date.now() + 61_000)
        cleaned(sql)
        expect(tables()).toEqual(before)
      }
    }))

  it('is matched to a payment that is reported later, by the alarm', () =>
    inNewSite(async ({ sql }, site) => {
      unwrap(await imported(site, { settlementUid: 'november', entries: [line('1')] }))
      await paid(site, sql, { uid: 'ours', networkUid: '1' })
      cleaned(sql)
      expect(await entriesOf(site)).toMatchObject([{ state: 'MATCHED', paymentUid: 'ours' }])
      expect(await settlementsOf(site)).toMatchObject([{ matched: 1, unknown: 0 }])
      expect(unwrap(await site.entriesOfPayment(MERCHANT, 'ours'))).toMatchObject([{ state: 'MATCHED' }])
    }))

  it('is matched anew after a restore', () =>
    inNewSite(async ({ sql }, site) => {
      await paid(site, sql, { uid: 'ours', networkUid: '1' })
      unwrap(await imported(site, { settlementUid: 'november', entries: [line('1')] }))
      sql.exec("UPDATE site SET epoch = 'restored'")
      sql.exec('UPDATE payments SET minor_units = 1')
      cleaned(sql)
      expect(await entriesOf(site)).toMatchObject([{ state: 'MISMATCHED', paymentUid: 'ours' }])
    }))
})

describe('of files that have the same entries', () => {
  it('an entry is shown once, of the lowest uid, and goes with its last file', () =>
    inNewSite(async (_, site) => {
      const shown = async () =>
        (await entriesOf(site))
          .map(({ settlementUid, bankIds }) => [settlementUid, bankIds.paymentId])
          .toSorted()
      const b = unwrap(await imported(site, { settlementUid: 'b', entries: [line('1'), line('2')] }))
      const a = unwrap(await imported(site, { settlementUid: 'a', entries: [line('2'), line('3')] }))
      expect([b.settlement.repeated, a.settlement.repeated]).toEqual([0, 1])
      expect(await shown()).toEqual([
        ['a', '2'],
        ['a', '3'],
        ['b', '1'],
      ])
      await deleted(site, 'a')
      expect(await shown()).toEqual([
        ['b', '1'],
        ['b', '2'],
      ])
    }))
})

describe('EXPECTED', () => {
  it('is what is completed at a known bank since its first day, and in no file in time', () =>
    inNewSite(async ({ sql }, site) => {
      await paid(site, sql, { uid: 'in-file', networkUid: '1' })
      await paid(site, sql, { uid: 'late', networkUid: '2', at: NOON + 60 })
      await paid(site, sql, { uid: 'before', networkUid: '3', at: NOON - DAY })
      await paid(site, sql, { uid: 'in-time', networkUid: '4', at: NOON + 4 * DAY })
      await paid(site, sql, { uid: 'declined', networkUid: '5', status: 'DECLINED' })
      await paid(site, sql, { uid: 'of-no-bank', networkUid: '6', bank: null })
      await paid(site, sql, { uid: 'of-another', networkUid: '7', bank: 'raiffeisen' })
      unwrap(await imported(site, { settlementUid: 'november', entries: [line('1')] }))
      const late = async () =>
        (await entriesOf(site, { state: 'EXPECTED' })).map(({ paymentUid }) => paymentUid)
      expect(await late()).toEqual(['late'])
      const month = unwrap(await site.settlementMonth(MERCHANT, NOVEMBER))
      expect([month.matched, month.expected, month.gross]).toEqual([1, 1, 10_000])
      expect((await entriesOf(site)).map(({ state }) => state)).toEqual(['MATCHED', 'EXPECTED'])
      await deleted(site, 'november')
      expect(await late()).toEqual([])
    }))

  it('comes in pages, each entry once', () =>
    inNewSite(async ({ sql }, site) => {
      for (let i = 0; i < 9; i++) await paid(site, sql, { uid: `p${i}`, networkUid: `${i}`, at: NOON + i })
      const entries = [0, 3, 4, 20, 21].map((i) => line(`${i}`, { operatedAt: NOON + i }))
      unwrap(await imported(site, { settlementUid: 'november', entries }))
      const pages: (string | undefined)[][] = []
      for (let cursor: EntryCursor | undefined, more = true; more; ) {
        const page = unwrap(await site.settlementEntries(MERCHANT, { ...NOVEMBER, limit: 2, cursor }))
        pages.push(page.entries.map(({ bankIds }) => bankIds.paymentId))
        more = page.next !== undefined
        cursor = page.next
      }
      expect(pages.flat()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '20', '21'])
      expect(pages.every((page) => page.length <= 2)).toBe(true)
    }))
})

describe('a payout', () => {
  const payout = (gross: number) =>
    line('', {
      kind: 'payout',
      type: 'payout',
      identity: `payout\n${gross}`,
      gross,
      fee: undefined,
      net: undefined,
      hasTime: false,
      bankIds: {},
    })
  const stateOf = async (site: Site) => {
    const [day] = unwrap(await site.settlementMonth(MERCHANT, NOVEMBER)).payouts
    const [entry] = await entriesOf(site, { kind: 'payout' })
    expect(entry?.state).toBe(day?.state)
    return [day?.paidOn, day?.stated, day?.sum, day?.state]
  }
  const paidOn = '2026-11-21'
  const registry = { settlementUid: 'registry', entries: [line('1'), line('2')] }

  it.each([
    ['is the sum of its day', 19_860, registry, [paidOn, 19_860, 19_860, 'MATCHED']],
    ['is not the sum', 19_861, registry, [paidOn, 19_861, 19_860, 'MISMATCHED']],
    [
      'has cards in the sum',
      20_000,
      { ...registry, summary: { skipped: 1, skippedNet: { [paidOn]: 140 } } },
      [paidOn, 20_000, 20_000, 'MATCHED'],
    ],
    [
      'has no state where a net sum is not stated',
      19_860,
      { ...registry, entries: [line('1'), line('2', { net: undefined })] },
      [paidOn, 19_860, undefined, undefined],
    ],
    [
      'has no state where several sites share it',
      19_860,
      { ...registry, isPart: true },
      [paidOn, 19_860, 19_860, undefined],
    ],
  ])('%s', (_, stated, file, expected) =>
    inNewSite(async (_storage, site) => {
      unwrap(await imported(site, file))
      unwrap(
        await imported(site, { settlementUid: 'statement', format: 'statement', entries: [payout(stated)] }),
      )
      expect(await stateOf(site)).toEqual(expected)
    }),
  )
})

describe('figures', () => {
  it('count an operation of a registry and a statement once, as the registry has it, and the fee of a day by the registry', () =>
    inNewSite(async ({ sql }, site) => {
      await paid(site, sql, { uid: 'ours', qrcId: 'AD1', bank: 'raiffeisen' })
      const ids = { bankIds: { qrcId: 'AD1' }, net: undefined, paidOn: undefined }
      unwrap(
        await imported(site, { settlementUid: 'registry', bank: 'raiffeisen', entries: [line('1', ids)] }),
      )
      const fee = { kind: 'fee', type: 'IPS FEE ON-US', gross: undefined, fee: -70, hasTime: false } as const
      const next = { ...fee, operatedAt: NOON + DAY, identity: 'fee 2' }
      unwrap(
        await imported(site, {
          ...{ settlementUid: 'statement', bank: 'raiffeisen', format: 'statement' },
          entries: [
            line('7', { ...ids, fee: undefined, hasTime: false }),
            line('', { ...fee, identity: 'fee 1', net: undefined, bankIds: {} }),
            line('', { ...next, net: undefined, bankIds: {} }),
          ],
        }),
      )
      const month = unwrap(await site.settlementMonth(MERCHANT, NOVEMBER))
      expect(month).toMatchObject({
        payments: 1,
        gross: 10_000,
        fee: -140,
        withoutFee: 0,
        withoutVat: 1,
        matched: 2,
      })
      const { rows } = unwrap(await site.settlementReport(MERCHANT, NOVEMBER))
      expect(rows.map(({ kind, format, fee }) => [kind, format, fee])).toEqual([
        ['payment', 'registry', -70],
        ['fee', 'statement', -70],
      ])
    }))

  it('whose report is read while a file is imported are of no half of it: the next page is refused', () =>
    inNewSite(async (_, site) => {
      const many = (name: string) =>
        Array.from({ length: LONG_PAGE }, (_, i) => line(`${name}${i}`, { line: i + 1 }))
      unwrap(await imported(site, { settlementUid: 'a', entries: many('1') }))
      const first = unwrap(await site.settlementReport(MERCHANT, NOVEMBER))
      expect(first.rows).toHaveLength(LONG_PAGE)
      const behind = { ...NOVEMBER, after: first.next }
      expect(unwrap(await site.settlementReport(MERCHANT, behind)).rows).toEqual([])
      unwrap(await imported(site, { settlementUid: 'b', entries: many('2') }))
      expect(await site.settlementReport(MERCHANT, behind)).toMatchObject({
        ok: false,
        code: 'settlement.in.progress',
      })
    }))

  it('of Tochka leave out what is another product’s, which counts as skipped', () =>
    inNewSite(async (_, site) => {
      const { settlement } = unwrap(
        await imported(site, { settlementUid: 'a', bank: 'tochka', entries: [line('1')] }),
      )
      expect(settlement).toMatchObject({ lines: 1, entries: 0, skipped: 1, unknown: 0 })
      expect(await entriesOf(site)).toEqual([])
    }))
})

it('the export has a payout with the state of its day', () =>
  inNewSite(async (_, site) => {
    unwrap(await imported(site, { settlementUid: 'registry', entries: [line('1')] }))
    const given = { kind: 'payout', identity: 'payout', gross: 9930, hasTime: false, bankIds: {} } as const
    const entries = [line('', { ...given, fee: undefined, net: undefined })]
    unwrap(await imported(site, { settlementUid: 'statement', format: 'statement', entries }))
    const states: unknown[] = []
    for (let cursor: ExportCursor | undefined, more = true; more; ) {
      const page = unwrap(await site.exportPage(MERCHANT, cursor))
      for (const row of page.rows)
        if (row.kind === 'settlementEntry') states.push([row.entry.kind, row.entry.state])
      more = page.next !== undefined
      cursor = page.next
    }
    expect(states.toSorted()).toEqual([
      ['payment', 'UNKNOWN'],
      ['payout', 'MATCHED'],
    ])
  }))

it('the export has files, and entries with their amounts as text', () =>
  inNewSite(async ({ sql }, site) => {
    await paid(site, sql, { uid: 'ours', networkUid: '1' })
    unwrap(
      await imported(site, { settlementUid: 'november', entries: [line('1', { gross: 5 })], sha256: 'a' }),
    )
    const lines: unknown[] = []
    for (let cursor: ExportCursor | undefined, more = true; more; ) {
      const page = unwrap(await site.exportPage(MERCHANT, cursor))
      for (const row of page.rows)
        if (row.kind === 'settlement' || row.kind === 'settlementEntry')
          lines.push(JSON.parse(exportLine(row, '+03:00', () => expect.unreachable())))
      more = page.next !== undefined
      cursor = page.next
    }
    expect(lines).toMatchObject([
      { kind: 'settlement', settlementUid: 'november', sha256: 'a', mismatched: 1 },
      {
        ...{ kind: 'payment', state: 'MISMATCHED', gross: '0.05', fee: '-0.70', net: '99.30' },
        ...{ operatedAt: '2026-11-20T12:00:00+03:00', paymentUid: 'ours', bankIds: { paymentId: '1' } },
        differences: [{ field: 'amount', ours: '100.00', theirs: '0.05' }],
      },
    ])
  }))
