// What the report of a payment does, by what stands: the rule alone, without a database.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TYPES } from '../../../src/contract/qr-code.ts'
import { STATUSES, transition } from '../../../src/contract/status.ts'
import { decisionOn, EFFECTS, stepOf } from '../../../src/site/payments/report-rule.ts'

type Target = Parameters<typeof decisionOn>[0]
type Row = NonNullable<Target['row']>

const CURRENCIES = ['RUB', 'BYN']
const rub = (minorUnits: number) => ({ minorUnits, currency: 'RUB' })
const FIVE = { minor_units: 500, currency: 'RUB' }
const code = (more: Partial<Row> = {}): Target => ({
  row: { type: 'DYNAMIC', status: 'CREATED', payment_uid: null, ...FIVE, ...more },
})
const till = (status?: NonNullable<Target['sale']>['status']): Target => ({
  ...code({ type: 'COUNTER', minor_units: null, currency: null }),
  sale: status && { status, ...FIVE },
})
const charging = (payment_uid: string) => code({ status: 'INIT_PAYMENT_BY_TOKEN', payment_uid })

const completed = (amount = rub(500)) => ({ paymentUid: 'p', status: 'COMPLETED', amount }) as const
const declined = { paymentUid: 'p', status: 'DECLINED', amount: rub(1) } as const

describe('a report of a payment that is known', () => {
  it.each([
    ['WAITING', 'COMPLETED', false, 'record'],
    ['WAITING', 'DECLINED', false, 'record'],
    ['DECLINED', 'COMPLETED', false, 'record'],
    ['DECLINED', 'DECLINED', true, 'repeat'],
    ['DECLINED', 'DECLINED', false, 'refuse'],
    ['COMPLETED', 'COMPLETED', true, 'repeat'],
    ['COMPLETED', 'COMPLETED', false, 'refuse'],
    ['COMPLETED', 'DECLINED', false, 'refuse'],
  ] as const)('as %s, is %s, and the same: %s: %s', (known, reported, isSame, step) =>
    expect(stepOf(known, reported, isSame)).toBe(step),
  )
})

const REUSABLE = ['collect', 'AMOUNT_MISMATCH', 'ignore'] as const

/** What becomes of an attempt of the amount that is asked for, of one of another amount, and of a declined one. */
it.each<[what: string, Target, ...decisions: readonly ReturnType<typeof decisionOn>[]]>([
  ['no QR code', {}, 'UNKNOWN_QR_CODE', 'UNKNOWN_QR_CODE', 'UNKNOWN_QR_CODE'],
  ['one that retention deleted', { deleted: 7 }, 'NOT_PAYABLE', 'NOT_PAYABLE', 'NOT_PAYABLE'],
  ['one that is CREATED', code(), 'pay', 'AMOUNT_MISMATCH', 'decline'],
  ['one that is DECLINED', code({ status: 'DECLINED' }), 'pay', 'AMOUNT_MISMATCH', 'decline'],
  ['one that is EXPIRED', code({ status: 'EXPIRED' }), 'pay', 'AMOUNT_MISMATCH', 'ignore'],
  ['one that is CANCELLED', code({ status: 'CANCELLED' }), 'pay', 'AMOUNT_MISMATCH', 'ignore'],
  ['one that is PAYED', code({ status: 'PAYED' }), 'ALREADY_PAYED', 'ALREADY_PAYED', 'ignore'],
  ['one that waits for this charge', charging('p'), 'pay', 'endCharge', 'decline'],
  ['one that waits for another charge', charging('q'), 'supersede', 'AMOUNT_MISMATCH', 'ignore'],
  ['one that this charge left PAYED', code({ status: 'PAYED', payment_uid: 'p' }), 'ALREADY_PAYED'],
  ['a TOKEN code', code({ type: 'TOKEN' }), 'NOT_PAYABLE', 'NOT_PAYABLE', 'ignore'],
  ['a STATIC code', code({ type: 'STATIC' }), ...REUSABLE],
  ['a STATIC code that is CANCELLED', code({ type: 'STATIC', status: 'CANCELLED' }), 'NOT_PAYABLE'],
  ['a COUNTER code without a sale', till(), 'NOT_PAYABLE', 'NOT_PAYABLE', 'ignore'],
  ['a sale that is ACTIVE', till('ACTIVE'), ...REUSABLE],
  ['a sale that waits for its bank', till('WAITING'), ...REUSABLE],
  ['a sale that is EXPIRED', till('EXPIRED'), ...REUSABLE],
  ['a sale that is CANCELLED', till('CANCELLED'), ...REUSABLE],
  ['a sale that is PAYED', till('PAYED'), 'ALREADY_PAYED', 'ALREADY_PAYED', 'ignore'],
])('an attempt that meets %s', (_, target, ...decisions) => {
  const attempts = [completed(), completed(rub(499)), declined].slice(0, decisions.length)
  expect(attempts.map((attempt) => decisionOn(target, attempt, CURRENCIES))).toEqual(decisions)
})

it.each([
  ['the same amount in another currency', code(), { minorUnits: 500, currency: 'BYN' }, 'AMOUNT_MISMATCH'],
  ['of a sale likewise', till('ACTIVE'), { minorUnits: 500, currency: 'BYN' }, 'AMOUNT_MISMATCH'],
  ['any amount of a code without one', code({ minor_units: null, currency: null }), rub(1), 'pay'],
  [
    'but in a currency of the deployment',
    code({ minor_units: null, currency: null }),
    { minorUnits: 1, currency: 'USD' },
    'AMOUNT_MISMATCH',
  ],
])('the amount decides: %s', (_, target, amount, decision) =>
  expect(decisionOn(target, completed(amount), CURRENCIES)).toBe(decision),
)

it('whatever stands, an effect is one that the status allows, and a payment that is not applied has its reason', () => {
  const uid = fc.constantFrom('p', 'q')
  const minorUnits = fc.constantFrom(1, 500)
  const currency = fc.constantFrom('RUB', 'USD')
  const price = fc.oneof(
    fc.constant({ minor_units: null, currency: null }),
    fc.record({ minor_units: minorUnits, currency }),
  )
  const row = fc
    .record({
      type: fc.constantFrom(...TYPES),
      status: fc.constantFrom(...STATUSES),
      payment_uid: fc.option(uid),
    })
    .chain((own) => price.map((amount) => ({ ...own, ...amount })))
  const sale = fc.record({
    status: fc.constantFrom('WAITING', 'ACTIVE', 'PAYED', 'EXPIRED', 'CANCELLED'),
    minor_units: minorUnits,
    currency,
  })
  const option = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const targets = fc
    .record({ row: option(row), deleted: option(fc.nat()), sale: option(sale) })
    .map(({ sale: own, ...rest }) => ({ ...rest, sale: rest.row?.type === 'COUNTER' ? own : undefined }))
  const attempts = fc.record({
    paymentUid: uid,
    status: fc.constantFrom('COMPLETED', 'DECLINED'),
    amount: fc.record({ minorUnits, currency }),
  })
  fc.assert(
    fc.property(targets, attempts, (target, attempt) => {
      const { applied, notAppliedReason, action } = EFFECTS[decisionOn(target, attempt, CURRENCIES)]
      const isCompleted = attempt.status === 'COMPLETED'
      if (isCompleted) expect(applied).toBe(notAppliedReason === undefined)
      if (applied) expect(notAppliedReason).toBeUndefined()
      const { row: met } = target
      if (action) expect(met && transition(met.status, action)).toBeDefined()
      const result = isCompleted ? 'complete' : 'decline'
      if (applied) expect(action).toBe(met?.type === 'DYNAMIC' ? result : undefined)
      // A charge is over with its report, whatever it says.
      const isCharge = met?.status === 'INIT_PAYMENT_BY_TOKEN' && met.payment_uid === attempt.paymentUid
      if (met?.type === 'DYNAMIC' && isCharge) expect(action).toBeDefined()
      else if (!applied) expect(action).toBeUndefined()
    }),
    { numRuns: 2000 },
  )
})
