// The limits of a site against a model: in whatever order limits, creates, refunds, reports and days come, none is exceeded.
import { abortAllDurableObjects } from 'cloudflare:test'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { operator } from '../support/operator.ts'
import { refundingSite } from '../support/refunds.ts'
import { refusalIn } from '../support/service.ts'

afterEach(() => void vi.useRealTimers())

const START = Date.parse('2036-11-20T12:00:00Z')
const HOUR = 3_600_000
/** Days begin at 21:00 UTC. */
const dayOf = (at: number) => Math.floor((at + 3 * HOUR) / (24 * HOUR))
const EXCEEDED = [409, 'site.limit.exceeded']
/** Larger than all refunds together. */
const PAID = 9_999

const uid = fc.integer({ min: 0, max: 7 })
const value = fc.integer({ min: 1, max: 9 })
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('limit'),
      payment: fc.option(value),
      refunds: fc.option(fc.integer({ min: 1, max: 30 })),
    }),
  },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('create'), uid, value }) },
  { weight: 8, arbitrary: fc.record({ type: fc.constant('refund'), uid, value }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constantFrom('COMPLETED', 'DECLINED'), uid, value }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait'), hours: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart') }) },
)

interface Refund {
  value: number
  day: number
  status: 'WAITING' | 'COMPLETED' | 'DECLINED'
}

it('a create above the limit and a refund above that of the day are refused, replays and facts never', async () => {
  const seen = { refused: 0, accepted: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      vi.useFakeTimers({ toFake: ['Date'], now: START })
      const site = refundingSite()
      const { paymentUid } = await site.paid({ amount: { value: PAID } }, { amount: { value: PAID } })
      let limits: { payment: number | null; refunds: number | null } = { payment: null, refunds: null }
      const codes = new Map<number, number>()
      const refunds = new Map<number, Refund>()
      const ofToday = () =>
        [...refunds.values()]
          .filter(({ day, status }) => day === dayOf(Date.now()) && status !== 'DECLINED')
          .reduce((sum, each) => sum + each.value, 0)
      /** Expects the answer of a request that is new, or was accepted before with a value. */
      const answers = async (
        response: Response,
        sent: number,
        known: number | undefined,
        isAbove: boolean,
      ) => {
        if (known === sent) expect(response.headers.get('Idempotent-Replayed')).toBe('true')
        else if (known !== undefined)
          expect(await refusalIn(response)).toEqual([409, 'payin.resource.already.exists'])
        else if (isAbove) expect(await refusalIn(response)).toEqual(EXCEEDED)
        else expect(response.status).toBe(200)
        if (known === undefined) seen[isAbove ? 'refused' : 'accepted']++
        return known === undefined && !isAbove
      }
      for (const each of steps) {
        if (each.type === 'limit') {
          const body = {
            ...(each.payment !== null && { maxPayment: { value: each.payment } }),
            ...(each.refunds !== null && { maxRefundsPerDay: { value: each.refunds } }),
          }
          const set = await operator(`/${site.siteId}/limits`, { method: 'PUT', body })
          expect(set.status).toBe(200)
          limits = each
        } else if (each.type === 'create') {
          const response = await site.create({ qrCodeUid: `code-${each.uid}`, amount: { value: each.value } })
          const isAbove = each.value > (limits.payment ?? PAID)
          if (await answers(response, each.value, codes.get(each.uid), isAbove))
            codes.set(each.uid, each.value)
        } else if (each.type === 'refund') {
          const response = await site.refund(paymentUid, each.value, `refund-${each.uid}`)
          const isAbove = ofToday() + each.value > (limits.refunds ?? PAID)
          if (await answers(response, each.value, refunds.get(each.uid)?.value, isAbove))
            refunds.set(each.uid, { value: each.value, day: dayOf(Date.now()), status: 'WAITING' })
        } else if (each.type === 'COMPLETED' || each.type === 'DECLINED') {
          const known = refunds.get(each.uid)
          const report = { status: each.type, amount: { value: known?.value ?? each.value } }
          const { status } = await site.reportRefund(paymentUid, `refund-${each.uid}`, report)
          const isFact =
            each.type === 'COMPLETED' || known?.status === 'WAITING' || known?.status === 'DECLINED'
          expect(status === 200).toBe(isFact)
          if (known && isFact) known.status = each.type
          if (!known && isFact)
            refunds.set(each.uid, { value: each.value, day: dayOf(Date.now()), status: 'COMPLETED' })
        } else if (each.type === 'wait') vi.setSystemTime(Date.now() + each.hours * HOUR)
        else await abortAllDurableObjects()
      }
    }),
    { numRuns: 8 },
  )
  // The property is of both kinds of answers.
  expect(Math.min(seen.refused, seen.accepted)).toBeGreaterThan(0)
})
