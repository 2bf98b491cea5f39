// Payments of STATIC and COUNTER codes against a model: a sale takes one payment at most, and every payment one sale at most.
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { FeedAnswer } from '../../src/contract/event.ts'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { SalesAnswer } from '../../src/contract/sale.ts'
import { freshSite } from '../support/admin.ts'
import { brokenRules } from '../support/broken-rules.ts'
import { qrCodeIn } from '../support/client.ts'
import { strict } from '../support/strict.ts'

afterEach(() => vi.useRealTimers())

const START = Date.parse('2036-11-20T12:00:00Z') / 1000

interface Sale {
  value: number
  start: number
  /** From this second on it is not ACTIVE. */
  end: number
  status: 'ACTIVE' | 'PAYED' | 'EXPIRED' | 'CANCELLED'
}

type Step =
  | { type: 'arm'; uid: string; value: number }
  | { type: 'cancel'; uid: string; value: number }
  | { type: 'pass'; seconds: number }
  | { type: 'pay'; uid: string | undefined; ago: number | undefined; value: number; repeat: boolean }

const uid = fc.constantFrom('a', 'b', 'c', 'd')
const value = fc.constantFrom(5, 5, 7)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('arm' as const), uid, value }),
  fc.record({ type: fc.constant('cancel' as const), uid, value }),
  fc.record({ type: fc.constant('pass' as const), seconds: fc.constantFrom(1, 60, 299, 300) }),
  fc.record({
    type: fc.constant('pay' as const),
    uid: fc.option(uid, { nil: undefined }),
    ago: fc.option(fc.constantFrom(0, 1, 100, 300), { nil: undefined }),
    value,
    repeat: fc.boolean(),
  }),
)

/** Where histories begin. Each is a test of its own, so that a slow machine has the time for all of them. */
const OPENINGS: [string, Step[]][] = [
  ['the beginning', []],
  [
    'the sale after one that expired',
    [
      { type: 'arm', uid: 'a', value: 5 },
      { type: 'pass', seconds: 300 },
      { type: 'arm', uid: 'b', value: 7 },
    ],
  ],
  [
    'the sale after one that was cancelled',
    [
      { type: 'arm', uid: 'a', value: 5 },
      { type: 'pass', seconds: 1 },
      { type: 'cancel', uid: 'a', value: 5 },
      { type: 'arm', uid: 'b', value: 5 },
    ],
  ],
]

it.each(OPENINGS)('from %s on, the sums agree, whatever happens next', async (_, opening) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (following) => {
      vi.useFakeTimers({ toFake: ['Date'], now: START * 1000 })
      let now = START
      const site = freshSite()
      const counter = await site.make({ amount: undefined }, { type: 'COUNTER' })
      const fixed = await site.make({ amount: { value: 5 } }, { type: 'STATIC' })
      const sales = new Map<string, Sale>()
      const applied = new Map<string, { value: number; sale: string }>()
      const all: { uid: string; value: number }[] = []
      const salePath = (of: string) => `/sbp/qrCodes/${counter.qrCodeUid}/sales/${of}`
      const expire = () => {
        for (const sale of sales.values())
          if (sale.status === 'ACTIVE' && now >= sale.end) sale.status = 'EXPIRED'
      }
      for (const each of [...opening, ...following]) {
        expire()
        if (each.type === 'pass') {
          now += each.seconds
          vi.setSystemTime(now * 1000)
        } else if (each.type === 'arm') {
          const known = sales.get(each.uid)
          const isBusy = [...sales.values()].some(({ status }) => status === 'ACTIVE')
          const body = { amount: { value: each.value } }
          const { status } = await site.ask(salePath(each.uid), { method: 'PUT', body })
          expect(status).toBe(known ? (known.value === each.value ? 200 : 409) : isBusy ? 409 : 200)
          if (!known && !isBusy)
            sales.set(each.uid, { value: each.value, start: now, end: now + 300, status: 'ACTIVE' })
        } else if (each.type === 'cancel') {
          const known = sales.get(each.uid)
          const { status } = await site.ask(salePath(each.uid), { method: 'DELETE' })
          const can = known?.status === 'ACTIVE' || known?.status === 'CANCELLED'
          expect(status).toBe(!known ? 404 : can ? 200 : 409)
          if (known?.status === 'ACTIVE') Object.assign(known, { status: 'CANCELLED', end: now })
        } else {
          const paymentUid = `p-${all.length}`
          all.push({ uid: paymentUid, value: each.value })
          const at = each.ago === undefined ? undefined : now - each.ago
          const report = {
            amount: { value: each.value },
            ...(each.uid !== undefined && { saleUid: each.uid }),
            ...(at !== undefined && { dateTime: new Date(at * 1000).toISOString() }),
          }
          for (let i = 0; i <= Number(each.repeat); i++)
            expect((await site.report(counter.linkId, paymentUid, report)).status).toBe(200)
          await site.report(fixed.linkId, `fixed-${paymentUid}`, { amount: { value: each.value } })
          const found =
            each.uid ??
            [...sales].find(([, { start, end }]) => at !== undefined && start <= at && at < end)?.[0]
          const sale = found === undefined ? undefined : sales.get(found)
          if (found && sale && sale.status !== 'PAYED' && sale.value === each.value) {
            if (sale.status === 'ACTIVE') sale.end = now
            sale.status = 'PAYED'
            applied.set(paymentUid, { value: each.value, sale: found })
          }
        }
        expect(await brokenRules(site)).toEqual([])
      }
      expire()
      const json = async (path: string) => (await site.ask(path)).json()
      const listed = strict(SalesAnswer).parse(await json(`/sbp/qrCodes/${counter.qrCodeUid}/sales`)).sales
      expect(listed.map(({ saleUid, status }) => [saleUid, status])).toEqual(
        [...sales].map(([saleUid, { status }]) => [saleUid, status]).toReversed(),
      )
      const payments = strict(PaymentsAnswer).parse(
        await json(`/sbp/qrCodes/${counter.qrCodeUid}/payments`),
      ).payments
      expect(payments.map(({ paymentId }) => paymentId)).toEqual(all.map(({ uid }) => uid))
      expect(
        payments.flatMap((payment) => (payment.applied ? [[payment.paymentId, payment.saleUid]] : [])),
      ).toEqual([...applied].map(([paymentUid, { sale }]) => [paymentUid, sale]))
      for (const { saleUid, payment } of listed) {
        const [taken] = [...applied].find(([, { sale }]) => sale === saleUid) ?? []
        expect(payment?.paymentUid).toBe(taken)
      }
      const { lastPayment } = await qrCodeIn(await site.ask(`/sbp/qrCodes/${counter.qrCodeUid}`))
      expect(lastPayment?.paymentUid).toBe([...applied.keys()].at(-1))
      const ofFixed = strict(PaymentsAnswer).parse(await json(`/sbp/qrCodes/${fixed.qrCodeUid}/payments`))
      expect(ofFixed.payments.map(({ applied }) => applied)).toEqual(all.map(({ value }) => value === 5))
      const { events } = strict(FeedAnswer).parse(await json('/events?limit=1000'))
      expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1))
      const completed = events.filter(
        ({ type, qrCodeUid }) => type === 'payment.completed' && qrCodeUid === counter.qrCodeUid,
      )
      expect(completed.map(({ payment }) => [payment?.paymentUid, payment?.applied])).toEqual(
        all.map(({ uid }) => [uid, applied.has(uid)]),
      )
      for (const [saleUid, { status }] of sales) {
        const own = events.flatMap(({ type, sale }) => (sale?.saleUid === saleUid ? [type] : []))
        expect(own[0]).toBe('sale.created')
        expect(own.length).toBeLessThanOrEqual(2)
        if (status === 'EXPIRED') expect(own[1]).toBe('sale.expired')
        if (status === 'CANCELLED') expect(own[1]).toBe('sale.cancelled')
      }
    }),
    { numRuns: 10 },
  )
})
