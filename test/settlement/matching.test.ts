import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Difference } from '../../src/settlement/differences.ts'
import type { BankIds, Entry } from '../../src/settlement/formats/entry.ts'
import { type Match, match } from '../../src/settlement/matching.ts'
import { nearestPairs } from '../../src/settlement/nearest.ts'
import type { Operation } from '../../src/settlement/operation.ts'
import { moscow } from '../support/settlement/tbank.ts'

const NOON = moscow('2026-11-20', '12:00:00')
const DAY = 86_400

const line = (identity: string, more: Partial<Entry> = {}): Entry => ({
  ...{ kind: 'payment', type: 'Debit', line: 1, identity, currency: 'RUB', gross: 10_000 },
  ...{ operatedAt: NOON, hasTime: true, bankIds: {}, ...more },
})
const ours = (uid: string, more: Partial<Operation> = {}): Operation => ({
  ...{
    kind: 'payment',
    uid,
    amount: 10_000,
    currency: 'RUB',
    status: 'COMPLETED',
    at: NOON,
    ids: {},
    ...more,
  },
})
/** By identity: the operation, the state, the differences. */
const shown = (matches: readonly Match[]) =>
  Object.fromEntries(
    matches
      .map(
        ({ entry, operation, state, differences }) =>
          [
            entry.identity,
            [
              operation?.uid,
              state,
              ...differences.map(({ field, ours, theirs }) => `${field} ${ours} ${theirs}`),
            ],
          ] as const,
      )
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
const matched = (entries: readonly Entry[], operations: readonly Operation[]) =>
  shown(match(entries, operations))

describe('a payment is found', () => {
  it.each<[string, BankIds, BankIds]>([
    ['by its number', { paymentId: '7' }, { paymentId: '7' }],
    ['by the number of the operation', { paymentId: '7', operationId: 'A1' }, { operationId: 'A1' }],
    ['by its order', { order: 'tea-1' }, { order: 'tea-1' }],
    ['by its code', { qrcId: 'AD1' }, { qrcId: 'AD1', order: 'tea-1' }],
  ])('%s', (_, theirs, ids) =>
    expect(matched([line('a', { bankIds: theirs })], [ours('p', { ids }), ours('q')])).toEqual({
      a: ['p', 'MATCHED'],
    }),
  )

  it.each<[string, Partial<Entry>, Partial<Operation>, string]>([
    ['another amount', { gross: 10_001 }, {}, 'amount 10000 10001'],
    ['another currency', {}, { currency: 'USD' }, 'currency USD RUB'],
    ['a decline', {}, { status: 'DECLINED' }, 'status DECLINED COMPLETED'],
    ['no result', {}, { status: 'WAITING' }, 'status WAITING COMPLETED'],
    ['a day that is two days later', { operatedAt: NOON + 2 * DAY }, {}, 'day 2026-11-20 2026-11-22'],
  ])('with %s, it differs', (_, theirs, more, difference) => {
    for (const id of ['paymentId', 'qrcId'] as const)
      expect(
        matched(
          [line('a', { bankIds: { [id]: '7' }, ...theirs })],
          [ours('p', { ids: { [id]: '7' }, ...more })],
        ),
      ).toEqual({ a: ['p', 'MISMATCHED', difference] })
  })

  it.each<[string, Partial<Entry>]>([
    ['the next day', { operatedAt: NOON + DAY }],
    ['where the bank states no time, any day', { operatedAt: moscow('2026-11-25'), hasTime: false }],
  ])('%s is no difference', (_, theirs) =>
    expect(
      matched([line('a', { bankIds: { qrcId: '7' }, ...theirs })], [ours('p', { ids: { qrcId: '7' } })]),
    ).toEqual({
      a: ['p', 'MATCHED'],
    }),
  )

  it.each<[string, BankIds, BankIds]>([
    ['of another number', { paymentId: '8', qrcId: 'AD1' }, { paymentId: '7', qrcId: 'AD1' }],
    ['of another code', { qrcId: 'AD2' }, { qrcId: 'AD1' }],
    ['that names nothing', {}, {}],
  ])('but not one %s', (_, theirs, ids) =>
    expect(matched([line('a', { bankIds: theirs })], [ours('p', { ids })])).toEqual({
      a: [undefined, 'UNKNOWN'],
    }),
  )

  it('and not a second time', () =>
    expect(
      matched(
        [line('a', { bankIds: { order: '1' } }), line('b', { bankIds: { order: '1' } })],
        [ours('p', { ids: { order: '1' } })],
      ),
    ).toEqual({
      ...{ a: ['p', 'MATCHED'], b: [undefined, 'UNKNOWN'] },
    }))
})

describe('of several payments by one code', () => {
  const bankIds = { qrcId: 'AD1' }
  const at = (uid: string, time: number, more: Partial<Operation> = {}) =>
    ours(uid, { ids: bankIds, at: NOON + time, ...more })
  const of = (identity: string, time: number, more: Partial<Entry> = {}) =>
    line(identity, { bankIds, operatedAt: NOON + time, ...more })

  it('those of one amount are paired by their times', () =>
    expect(matched([of('a', 60), of('b', 3_600)], [at('p', 3_500), at('q', 0), at('r', -4_000)])).toEqual({
      ...{ a: ['q', 'MATCHED'], b: ['p', 'MATCHED'] },
    }))

  it('as many as can be are paired within a day', () =>
    expect(matched([of('a', 0), of('b', DAY)], [at('p', DAY), at('q', 2 * DAY)])).toEqual({
      ...{ a: ['p', 'MATCHED'], b: ['q', 'MATCHED'] },
    }))

  it('those of other amounts or days are not guessed', () =>
    expect(
      matched([of('a', 0), of('b', 9 * DAY)], [at('p', 0, { amount: 9_999 }), at('q', 5 * DAY)]),
    ).toEqual({
      ...{ a: [undefined, 'UNKNOWN'], b: [undefined, 'UNKNOWN'] },
    }))

  it('what is completed comes first', () =>
    expect(matched([of('a', 0)], [at('p', 0, { status: 'DECLINED' }), at('q', 600)])).toEqual({
      a: ['q', 'MATCHED'],
    }))

  it('two equal payments of a minute are two, and what is left over is unknown', () =>
    expect(matched([of('a', 0), of('b', 0), of('c', 0)], [at('p', 20), at('q', 40)])).toEqual({
      ...{ a: ['p', 'MATCHED'], b: ['q', 'MATCHED'], c: [undefined, 'UNKNOWN'] },
    }))
})

describe('a refund', () => {
  const refund = { kind: 'refund', type: 'Credit', gross: -3_000, fee: 0 } as const
  const given = { kind: 'refund', amount: -3_000 } as const

  it.each<[string, BankIds, BankIds]>([
    ['its number', { refundId: '1' }, { refundId: '1', paymentId: '7' }],
    ['its payment', { paymentId: '7' }, { paymentId: '7' }],
    ['its code', { qrcId: 'AD1' }, { qrcId: 'AD1' }],
  ])('is found by %s, and is not a payment of it', (_, bankIds, ids) =>
    expect(
      matched([line('a', { ...refund, bankIds })], [ours('r', { ...given, ids }), ours('p', { ids })]),
    ).toEqual({
      a: ['r', 'MATCHED'],
    }),
  )

  it('has no day to compare: ours is that of its report', () => {
    const bankIds = { refundId: '1' }
    const late = ours('r', { ...given, ids: bankIds, at: NOON + 5 * DAY })
    expect(matched([line('a', { ...refund, bankIds })], [late])).toEqual({ a: ['r', 'MATCHED'] })
  })

  it('that was cancelled differs, and so does what cancels it', () => {
    const bankIds = { paymentId: '7' }
    const cancel = { kind: 'correction', type: 'CancelRefund', gross: 3_000, bankIds } as const
    const entries = [
      line('a', { ...refund, bankIds }),
      line('b', { ...refund, bankIds, operatedAt: NOON + 60 }),
      line('c', { ...cancel, operatedAt: NOON + 30 }),
    ]
    const operations = [
      ours('r', { ...given, ids: bankIds }),
      ours('s', { ...given, ids: bankIds, at: NOON + 60 }),
    ]
    const difference = 'status COMPLETED CancelRefund'
    expect(matched(entries, operations)).toEqual({
      ...{ a: ['r', 'MISMATCHED', difference], b: ['s', 'MATCHED'], c: ['r', 'MISMATCHED', difference] },
    })
  })

  it('is cancelled by the next one of its payment, each once, and by none that names no payment', () => {
    const cancel = { kind: 'correction', type: 'CancelRefund', gross: 3_000 } as const
    const bankIds = { paymentId: '7' }
    const entries = [
      line('a', { ...refund, bankIds }),
      line('b', { ...refund, bankIds: { refundId: '1' } }),
      ...['c', 'd', 'e'].map((each) => line(each, { ...cancel, bankIds: each === 'e' ? {} : bankIds })),
    ]
    const operations = [
      ours('r', { ...given, ids: bankIds }),
      ours('s', { ...given, ids: { refundId: '1' } }),
    ]
    const difference = 'status COMPLETED CancelRefund'
    expect(matched(entries, operations)).toEqual({
      ...{ a: ['r', 'MISMATCHED', difference], b: ['s', 'MATCHED'], c: ['r', 'MISMATCHED', difference] },
      ...{ d: [undefined, undefined], e: [undefined, undefined] },
    })
  })
})

it('a fee and a correction have the state of the payment that they name, or none; a payout has none', () => {
  const bankIds = { paymentId: '7' }
  const { gross, ...fee } = line('a', { kind: 'fee', type: 'ServiceFee' })
  const entries = [
    fee,
    { ...fee, identity: 'b', bankIds },
    line('c', { kind: 'correction', type: 'Chargeback', bankIds }),
    line('d', { kind: 'correction', type: 'CancelRefund', bankIds: { paymentId: '8' } }),
    line('e', { kind: 'payout', type: 'payout', bankIds: { operationId: '7' } }),
  ]
  expect(matched(entries, [ours('p', { ids: bankIds })])).toEqual({
    ...{ a: [undefined, undefined], b: ['p', 'MATCHED'], c: ['p', 'MATCHED'] },
    ...{ d: [undefined, undefined], e: [undefined, undefined] },
  })
})

describe('of any payments and files', () => {
  const ids = fc.record({
    paymentId: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }),
    order: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    qrcId: fc.constantFrom('AD1', 'AD2', undefined),
  })
  const time = fc.integer({ min: 0, max: 6 }).map((half) => NOON + (half * DAY) / 2)
  const kind = fc.constantFrom<'payment' | 'refund'>('payment', 'refund')
  const amount = fc.constantFrom(10_000, 20_000)
  const entries = fc
    .array(fc.record({ kind, bankIds: ids, operatedAt: time, gross: amount, hasTime: fc.boolean() }), {
      maxLength: 8,
    })
    .map((all) => all.map((each, i) => line(`e${i}`, each)))
  const status = fc.constantFrom<Operation['status']>('COMPLETED', 'COMPLETED', 'DECLINED')
  const operations = fc
    .array(fc.record({ kind, ids, at: time, amount, status }), { maxLength: 8 })
    .map((all) => all.map((each, i) => ours(`o${i}`, each)))
  const cancelled = fc.boolean().map((is) =>
    is
      ? [
          line('x', {
            kind: 'correction',
            type: 'CancelRefund',
            gross: -10_000,
            bankIds: { paymentId: '1' },
          }),
        ]
      : [],
  )

  it('the result depends on the sets alone, not on their order', () =>
    fc.assert(
      fc.property(
        entries,
        cancelled,
        operations,
        fc.infiniteStream(fc.nat()),
        (theirs, more, all, random) => {
          const shuffled = <Each>(each: readonly Each[]): Each[] =>
            each
              .map((value) => ({ value, rank: Number(random.next().value) }))
              .toSorted((a, b) => a.rank - b.rank)
              .map(({ value }) => value)
          const lines = [...theirs, ...more]
          expect(matched(shuffled(lines), shuffled(all))).toEqual(matched(lines, all))
        },
      ),
      { numRuns: 1_000 },
    ))

  it('no operation has two entries of its kind, and no pair states two values of one number', () =>
    fc.assert(
      fc.property(entries, operations, (theirs, all) => {
        const pairs = match(theirs, all).filter(({ operation }) => operation)
        const uids = pairs.map(({ operation }) => operation?.uid)
        expect(new Set(uids).size).toBe(uids.length)
        for (const { entry, operation } of pairs) {
          expect(operation?.kind).toBe(entry.kind)
          const [theirNumber, number] = [entry.bankIds.paymentId, operation?.ids.paymentId]
          if (theirNumber !== undefined && number !== undefined) expect(number).toBe(theirNumber)
        }
      }),
      { numRuns: 1_000 },
    ))

  it('what has nothing in common with the others changes nothing of them', () =>
    fc.assert(
      fc.property(entries, operations, entries, operations, (theirs, all, otherLines, otherOperations) => {
        const apart = ({ paymentId, order, qrcId }: BankIds): BankIds => ({
          paymentId: paymentId && `x${paymentId}`,
          order: order && `x${order}`,
          qrcId: qrcId && `x${qrcId}`,
        })
        const others = otherLines.map((each) => ({
          ...each,
          identity: `x${each.identity}`,
          bankIds: apart(each.bankIds),
        }))
        const rest = otherOperations.map((each) => ({ ...each, uid: `x${each.uid}`, ids: apart(each.ids) }))
        expect(matched([...theirs, ...others], [...all, ...rest])).toEqual({
          ...matched(theirs, all),
          ...matched(others, rest),
        })
      }),
    ))
})

describe('seeded differences are found, with field and value, and nothing else', () => {
  type Change = 'none' | 'amount' | 'day' | 'declined' | 'unknown' | 'missing'
  const changes = fc.array(
    fc.constantFrom<Change>('none', 'none', 'none', 'amount', 'day', 'declined', 'unknown', 'missing'),
    { maxLength: 40 },
  )

  it.each<[string, (i: number) => BankIds]>([
    ['by numbers', (i) => ({ paymentId: `${i}` })],
    ['by codes of one payment each', (i) => ({ qrcId: `AD${i}` })],
    ['by numbers and one printed code', (i) => ({ paymentId: `${i}`, qrcId: 'AD' })],
  ])('%s', (_, idsOf) =>
    fc.assert(
      fc.property(changes, (all) => {
        const of = all.map((change, i) => ({ change, ids: idsOf(i), at: NOON + i * 600 }))
        const operations = of.flatMap(({ change, ids, at }, i) =>
          change === 'unknown'
            ? []
            : [ours(`o${i}`, { ids, at, status: change === 'declined' ? 'DECLINED' : 'COMPLETED' })],
        )
        const entries = of.flatMap(({ change, ids: bankIds, at }, i) => {
          const operatedAt = change === 'day' ? at + 3 * DAY : at
          const gross = change === 'amount' ? 10_001 + i : 10_000
          return change === 'missing' ? [] : [line(`e${i}`, { bankIds, operatedAt, gross })]
        })
        const found = match(entries, operations).filter(({ state }) => state !== 'MATCHED')
        const expected = of.flatMap(({ change }, i): [string, Difference['field'] | 'UNKNOWN', unknown][] => {
          if (change === 'amount') return [[`e${i}`, 'amount', 10_001 + i]]
          if (change === 'declined') return [[`e${i}`, 'status', 'COMPLETED']]
          if (change === 'unknown') return [[`e${i}`, 'UNKNOWN', undefined]]
          return change === 'day' ? [[`e${i}`, 'day', '2026-11-23']] : []
        })
        expect(
          found.map(({ entry, state, differences: [first] }) => [
            entry.identity,
            first?.field ?? state,
            first?.theirs,
          ]),
        ).toEqual(expected)
      }),
    ),
  )
})

describe('pairs by time', () => {
  const window = (a: { at: number }, b: { at: number }) =>
    Math.abs(Math.floor(a.at / 10) - Math.floor(b.at / 10)) <= 1
  const times = (key: string) =>
    fc
      .array(fc.integer({ min: 0, max: 60 }), { maxLength: 5 })
      .map((all) => all.map((at, i) => ({ at, key: `${key}${i}` })))

  it('are the most that can be, and of these the nearest: no other pairing is better', () =>
    fc.assert(
      fc.property(times('a'), times('b'), (theirs, all) => {
        const worth = (pairs: readonly (readonly [{ at: number }, { at: number }])[]) =>
          pairs.reduce((sum, [a, b]) => sum + 1_000 - Math.abs(a.at - b.at), 0)
        const bestOf = (lines: typeof theirs, rest: typeof all): number => {
          const [first, ...others] = lines
          if (!first) return 0
          return Math.max(
            bestOf(others, rest),
            ...rest
              .filter((each) => window(first, each))
              .map(
                (each) =>
                  worth([[first, each]]) +
                  bestOf(
                    others,
                    rest.filter((other) => other !== each),
                  ),
              ),
          )
        }
        const pairs = nearestPairs(theirs, all, window)
        expect(worth(pairs)).toBe(bestOf(theirs, all))
        expect(pairs.every(([a, b]) => window(a, b))).toBe(true)
        expect(new Set(pairs.flat()).size).toBe(2 * pairs.length)
      }),
      { numRuns: 1_000 },
    ))

  /** 4000 lines, one each half a minute, and our payment of one of so many, reported some seconds later: those of each pair. */
  const reported = (every: number, delay: number) => {
    const lines = Array.from({ length: 4_000 }, (_, i) => ({ at: 30 * i, key: `${i}` }))
    const operations = lines.filter((_, i) => i % every === 0).map(({ at, key }) => ({ at: at + delay, key }))
    const pairs = nearestPairs(lines, operations, (a, b) => Math.abs(a.at - b.at) <= DAY)
    return pairs.map(([a, b]) => b.at - a.at)
  }

  it.each([
    [1, 7],
    [10, 7],
    [1, 450],
  ])('of more than 1000 lines are with what is reported later: one of %s, by %s seconds', (every, delay) =>
    expect(reported(every, delay)).toEqual(Array.from({ length: 4_000 / every }, () => delay)),
  )

  it('of more than 1000 lines are found behind thousands of operations that are of no line', () => {
    const lines = Array.from({ length: 4_000 }, (_, i) => ({ at: 30 * i, key: `${i}` }))
    const others = Array.from({ length: 3_000 }, (_, i) => ({ at: 3_001, key: `other ${i}` }))
    const operations = [...lines.map(({ at, key }) => ({ at: at + 7, key })), ...others]
    const pairs = nearestPairs(lines, operations, (a, b) => a.key === b.key)
    expect(pairs.filter(([{ at }]) => at >= 30 * 1000)).toHaveLength(3_000)
  })

  it('of more than 1000 lines are as many behind thousands of older operations that are of no line', () => {
    const lines = Array.from({ length: 1_500 }, (_, i) => ({ at: 3_000 + i, key: `${i}` }))
    const others = Array.from({ length: 3_000 }, (_, i) => ({ at: i, key: `other ${i}` }))
    const operations = [...others, ...lines.map((each) => ({ ...each }))]
    expect(nearestPairs(lines, operations, (a, b) => a.key === b.key)).toHaveLength(1_500)
  })

  it('of more than 1000 lines without a time are as many as can be', () => {
    const lines = Array.from({ length: 2_500 }, (_, i) => ({ at: 0, key: `${i}` }))
    const operations = Array.from({ length: 2_200 }, (_, i) => ({ at: 30 * i, key: `${i}` }))
    expect(nearestPairs(lines, operations, () => true)).toHaveLength(2_200)
  })

  it('of 20,000 lines are as many', () => {
    const all = Array.from({ length: 20_000 }, (_, i) => ({ at: i, key: `${i}` }))
    const pairs = nearestPairs(
      all,
      all.map((each) => ({ ...each })),
      () => true,
    )
    expect(pairs.filter(([a, b]) => a.at === b.at)).toHaveLength(20_000)
  })
})
