// A decline at Tochka Pay Gateway for a reason that says nothing: it counts by several statements of the bank’s sums.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { NewRefund } from '../../connector/banks/bank.ts'
import type { PayCall } from '../../connector/banks/tochka-pay/client.ts'
import { stateOfRefund } from '../../connector/banks/tochka-pay/refunds.ts'
import { HOUR, MINUTE } from './harness.ts'

const REFUND: NewRefund = {
  ...{ key: 'ours', type: 'DYNAMIC', qrcId: 'AD1', reference: 'r', order: 'o', number: 'paid', paidFrom: 0 },
  ...{ amount: 300, webhookUrl: undefined, isFirst: true, isOfOnlyPayment: true },
}

const amountOf = (kopecks: number) => ({ amount: (kopecks / 100).toFixed(2), currency: 'RUB' })
const refundOf = (refundUid: string, amount: number, value: string, reasonCode?: string) => ({
  ...{ refundUid, amount: amountOf(amount), status: { value, changedDateTime: 'x', reasonCode } },
})

/** What the bank states at one time: the refunds of the list, and its sum of what is refunded. */
interface Statement {
  list: { value: string; amount: number }[]
  /** What the list has of our refund; undefined: it lags behind. */
  ours: string | undefined
  refunded: number
}

/** The calls of a bank that states this, and has declined our refund by an error. */
const bank =
  ({ list, ours, refunded }: Statement): PayCall =>
  async ({ executed }, { operation }) => {
    const asked = refundOf('ours', 300, 'DECLINED', 'TECH_ERROR')
    const listed = list.map(({ value, amount }, index) => refundOf(`other-${index}`, amount, value))
    const payment = {
      ...{
        paymentUid: 'paid',
        createdDateTime: 'x',
        amount: amountOf(9_999),
        refundedAmount: amountOf(refunded),
      },
      ...{
        status: { value: 'COMPLETED', changedDateTime: 'x' },
        isTest: false,
        paymentMethod: { type: 'SBP' },
      },
    }
    if (ours !== undefined) listed.push(refundOf('ours', 300, ours))
    const Data = operation === 'payment' ? payment : operation === 'refunds' ? listed : asked
    return executed.body.parse({ Data, Meta: { totalPages: 1 } })
  }

const statements = fc
  .record({
    list: fc.array(
      fc.record({
        value: fc.constantFrom('COMPLETED', 'COMPLETED', 'DECLINED', 'WAITING', 'CREATED'),
        amount: fc.integer({ min: 1, max: 5 }),
      }),
      { maxLength: 4 },
    ),
    ours: fc.constantFrom('DECLINED', 'DECLINED', 'DECLINED', 'COMPLETED', 'WAITING', undefined),
    difference: fc.constantFrom(0, 0, 0, 1, -1, 300),
  })
  .map(({ list, ours, difference }): Statement => {
    const completed = list.filter(({ value }) => value === 'COMPLETED')
    const returned = ours === 'COMPLETED' ? 300 : 0
    const sum = completed.reduce((all, { amount }) => all + amount, returned)
    return { list, ours, refunded: Math.max(0, sum + difference) }
  })

/** Whether the statement says that our refund moved nothing. */
function isEqual({ list, ours, refunded }: Statement): boolean {
  if (ours !== 'DECLINED') return false
  let left = refunded
  for (const { value, amount } of list) {
    if (value === 'WAITING' || value === 'CREATED') return false
    if (value === 'COMPLETED') left -= amount
  }
  return left === 0
}

/** Most statements are equal: seldom would so many follow each other. */
const mostlyEqual = fc.oneof(
  { weight: 12, arbitrary: statements.filter(isEqual) },
  { weight: 1, arbitrary: statements },
)

it('it counts after seven such statements, each ten minutes after another, also where the clock jumps', async () => {
  let [declines, jumped] = [0, 0]
  const steps = fc.array(
    fc.record({ statement: mostlyEqual, ms: fc.constantFrom(MINUTE, 10 * MINUTE - 1, 10 * MINUTE, HOUR) }),
    { minLength: 8, maxLength: 16 },
  )
  const jumps = fc.record({ at: fc.nat(15), ms: fc.constantFrom(0, HOUR, 24 * HOUR, -HOUR, -24 * HOUR) })
  await fc.assert(
    fc.asyncProperty(steps, jumps, async (all, jump) => {
      let [time, note] = [Date.parse('2026-11-20T10:00:00Z'), '']
      /** When the statements that follow each other and are equal began, how many count, and when the last of them came. */
      let run = { since: time, count: 0, at: 0 }
      for (const [index, { statement, ms }] of all.entries()) {
        time += ms
        const now = time + (index >= jump.at ? jump.ms : 0)
        const state = await stateOfRefund(bank(statement), REFUND, { note, now })
        if (!isEqual(statement)) run = { since: time, count: 0, at: 0 }
        else if (run.count === 0) run = { since: time, count: 1, at: time }
        else if (time - run.at >= 10 * MINUTE) run = { ...run, count: run.count + 1, at: time }
        if (jump.ms === 0) expect(state.status).toBe(run.count >= 7 ? 'DECLINED' : 'IN_DOUBT')
        if (state.status === 'DECLINED') {
          expect(isEqual(statement)).toBe(true)
          expect(time - run.since).toBeGreaterThanOrEqual(50 * MINUTE)
          declines++
          if (jump.ms !== 0 && index >= jump.at) jumped++
          return
        }
        expect(state.status).toBe('IN_DOUBT')
        note = state.note ?? ''
      }
    }),
    { seed: 1, numRuns: 1_000 },
  )
  expect(declines).toBeGreaterThan(100)
  expect(jumped).toBeGreaterThan(50)
})

it('a clock that was a year ahead at the first statement delays the decline by no more than that statement', async () => {
  const equal = bank({ list: [], ours: 'DECLINED', refunded: 0 })
  const now = Date.parse('2026-11-20T10:00:00Z')
  let state = await stateOfRefund(equal, REFUND, { note: '', now: now + 365 * 24 * HOUR })
  for (let i = 0; i < 7; i++) {
    expect(state.status).toBe('IN_DOUBT')
    state = await stateOfRefund(equal, REFUND, { note: state.note ?? '', now: now + i * 10 * MINUTE })
  }
  expect(state.status).toBe('DECLINED')
})
