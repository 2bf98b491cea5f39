// Refunds against a model: whatever is requested and reported in whatever order, the sums hold and the feed explains them.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { configure, logOf } from '../support/merchant.ts'
import { type RefundingSite, refundingSite } from '../support/refunds.ts'
import { errorOf } from '../support/service.ts'

interface Refund {
  payment: number
  kopecks: number
  status: 'WAITING' | 'COMPLETED' | 'DECLINED'
}

/** What the contract says, told without the code under test. */
interface Model {
  /** Minor units of each payment; the QR code took the first one. */
  payments: number[]
  /** By payment and refundUid. */
  refunds: Map<string, Refund>
  events: { type: string; key: string; overRefunded: boolean }[]
}

interface Real {
  site: RefundingSite
  qrCodeUid: string
  linkId: string
  uids: string[]
}

const keyOf = (payment: number, uid: string) => `${payment}/${uid}`
const sumOf = ({ refunds }: Model, payment: number, ...statuses: Refund['status'][]) =>
  [...refunds.values()]
    .filter((refund) => refund.payment === payment && statuses.includes(refund.status))
    .reduce((sum, { kopecks }) => sum + kopecks, 0)
const isOver = (model: Model, payment: number) =>
  sumOf(model, payment, 'WAITING', 'COMPLETED') > (model.payments[payment] ?? 0)
const decimal = (kopecks: number) => (kopecks / 100).toFixed(2)

abstract class Command implements fc.AsyncCommand<Model, Real> {
  check = (_model: Readonly<Model>) => true
  abstract run(model: Model, real: Real): Promise<void>
  abstract toString(): string
}

class Request extends Command {
  readonly payment: number
  readonly uid: string
  readonly kopecks: number
  readonly byQrCode: boolean
  constructor(payment: number, uid: string, kopecks: number, byQrCode: boolean) {
    super()
    this.payment = payment
    this.uid = uid
    this.kopecks = kopecks
    this.byQrCode = byQrCode && payment === 0
  }
  async run(model: Model, { site, qrCodeUid, uids }: Real) {
    const { payment, uid, kopecks } = this
    const known = model.refunds.get(keyOf(payment, uid))
    const left = Math.max((model.payments[payment] ?? 0) - sumOf(model, payment, 'WAITING', 'COMPLETED'), 0)
    const of = this.byQrCode ? `/sbp/qrCodes/${qrCodeUid}` : `/payments/${uids[payment]}`
    const body = { amount: { value: decimal(kopecks) } }
    const response = await site.ask(`${of}/refunds/${uid}`, { method: 'PUT', body })
    const expected = known ? (known.kopecks === kopecks ? 200 : 409) : kopecks <= left ? 200 : 400
    expect(response.status).toBe(expected)
    expect(response.headers.get('Idempotent-Replayed')).toBe(known && expected === 200 ? 'true' : null)
    if (expected !== 200) {
      expect(Object.keys((await errorOf(response)).cause ?? {})).toEqual(['amount.value'])
    } else if (!known) {
      model.refunds.set(keyOf(payment, uid), { payment, kopecks, status: 'WAITING' })
      model.events.push({ type: 'refund.waiting', key: keyOf(payment, uid), overRefunded: false })
    }
  }
  toString = () =>
    `request(${keyOf(this.payment, this.uid)} ${this.kopecks}${this.byQrCode ? ' by code' : ''})`
}

class Report extends Command {
  readonly payment: number
  readonly uid: string
  readonly status: 'COMPLETED' | 'DECLINED'
  constructor(payment: number, uid: string, status: 'COMPLETED' | 'DECLINED') {
    super()
    this.payment = payment
    this.uid = uid
    this.status = status
  }
  async run(model: Model, { site, uids }: Real) {
    const { payment, uid, status } = this
    const known = model.refunds.get(keyOf(payment, uid))
    const response = await site.reportRefund(uids[payment] ?? '', uid, { status })
    const expected = !known ? 404 : known.status === 'COMPLETED' && status === 'DECLINED' ? 409 : 200
    expect(response.status).toBe(expected)
    const isReplay = expected === 200 && known?.status === status
    expect(response.headers.get('Idempotent-Replayed')).toBe(isReplay ? 'true' : null)
    if (!known || expected !== 200 || isReplay) return
    known.status = status
    const type = status === 'COMPLETED' ? 'refund.completed' : 'refund.declined'
    const overRefunded = status === 'COMPLETED' && isOver(model, payment)
    model.events.push({ type, key: keyOf(payment, uid), overRefunded })
  }
  toString = () => `report(${keyOf(this.payment, this.uid)} ${this.status})`
}

/** Reads everything and compares it with the model. */
async function compare(model: Model, { site, qrCodeUid, uids }: Real): Promise<void> {
  const feed = await site.feed()
  expect(feed.map(({ id }) => id)).toEqual(feed.map((_, index) => index + 1))
  const refundEvents = feed.flatMap(({ type, refund, qrCodeUid, status }) =>
    refund ? [{ type, refund, qrCodeUid, status }] : [],
  )
  expect(
    refundEvents.map(({ type, refund }) => ({
      type,
      key: keyOf(uids.indexOf(refund.paymentUid), refund.refundUid),
      overRefunded: refund.overRefunded ?? false,
    })),
  ).toEqual(model.events)
  for (const event of refundEvents) expect(event).toMatchObject({ qrCodeUid, status: 'PAYED' })

  for (const [payment, paid] of model.payments.entries()) {
    const shown = await site.paymentOf(uids[payment] ?? '')
    expect(shown.refundedAmount.value).toBe(decimal(sumOf(model, payment, 'COMPLETED')))
    expect(shown.overRefunded ?? false).toBe(isOver(model, payment))
    const declinedFirst = model.events.some(
      ({ type, key }) => type === 'refund.declined' && key.startsWith(`${payment}/`),
    )
    if (!declinedFirst) expect(sumOf(model, payment, 'WAITING', 'COMPLETED')).toBeLessThanOrEqual(paid)
    const refunds = await site.refundsOf(uids[payment] ?? '')
    expect(
      refunds.map(({ refundId, amount, status }) => [keyOf(payment, refundId), amount.value, status.value]),
    ).toEqual(
      [...model.refunds]
        .filter(([, refund]) => refund.payment === payment)
        .map(([key, { kopecks, status }]) => [key, decimal(kopecks), status]),
    )
  }

  const { refunds = [] } = await site.qrCodeOf(qrCodeUid)
  expect(refunds.map(({ refundUid, refundStatus }) => [keyOf(0, refundUid), refundStatus])).toEqual(
    [...model.refunds].filter(([, { payment }]) => payment === 0).map(([key, { status }]) => [key, status]),
  )

  // Every change that the table names has exactly one notification, a refund that waits has none.
  const { notifications } = await logOf(site)
  expect(
    notifications
      .filter(({ type }) => type === 'REFUND')
      .map(({ paymentId = '', refundId = '' }) => keyOf(uids.indexOf(paymentId), refundId)),
  ).toEqual(
    model.events
      .filter(({ type }) => type !== 'refund.waiting')
      .map(({ key }) => key)
      .toReversed(),
  )

  // An instruction waits for as long as its refund does: a report releases it.
  const waiting = [...model.refunds.values()].filter(({ status }) => status === 'WAITING').length
  expect(await site.instructions()).toHaveLength(waiting)
}

/** Where histories begin, so that they reach what chance seldom does. */
const OPENINGS: [string, Command[]][] = [
  ['the beginning', []],
  [
    'a refund that completes after its DECLINED and after another one',
    [
      new Request(0, 'a', 500, false),
      new Report(0, 'a', 'DECLINED'),
      new Request(0, 'b', 500, true),
      new Report(0, 'a', 'COMPLETED'),
    ],
  ],
]

it.each(OPENINGS)(
  'refunds never exceed their payment, completed ones are facts, and feed, notifications and instructions agree, from %s on',
  async (_, opening) => {
    const payment = fc.nat(1)
    const uid = fc.constantFrom('a', 'b', 'c', 'd')
    const kopecks = fc.constantFrom(100, 250, 251, 500)
    const commands = fc.commands(
      [
        ...Array.from({ length: 2 }, () =>
          fc.tuple(payment, uid, kopecks, fc.boolean()).map((values) => new Request(...values)),
        ),
        ...Array.from({ length: 2 }, () =>
          fc
            .tuple(payment, uid, fc.constantFrom('COMPLETED' as const, 'DECLINED' as const))
            .map((values) => new Report(...values)),
        ),
      ],
      { size: 'max', maxCommands: 40 },
    )
    await fc.assert(
      fc.asyncProperty(commands, async (history) => {
        const site = refundingSite()
        // Without a key notifications stay in the outbox.
        await configure(site, { callbackUrl: 'https://shop.example/notifications' })
        const model: Model = { payments: [500, 400], refunds: new Map(), events: [] }
        const { qrCodeUid, linkId, paymentUid } = await site.paid()
        const second = await site.payAgain(linkId, 4)
        const real: Real = { site, qrCodeUid, linkId, uids: [paymentUid, second] }
        await fc.asyncModelRun(() => ({ model, real }), [...opening, ...history])
        await compare(model, real)
      }),
      { numRuns: 12 },
    )
  },
)
