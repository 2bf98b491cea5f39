// Refunds against a model: whatever is requested and reported in whatever order, the sums hold and the feed explains them.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { brokenRules } from '../support/broken-rules.ts'
import { configure, logOf } from '../support/merchant.ts'
import { type RefundingSite, refundingSite } from '../support/refunds.ts'
import { errorOf } from '../support/service.ts'

interface Refund {
  payment: number
  kopecks: number
  status: 'WAITING' | 'COMPLETED' | 'DECLINED'
  comment: string | undefined
  /** Nobody requested it: the network reported it. */
  isReported: boolean
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
  isReusable: boolean
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
  readonly comment: string | undefined
  constructor(payment: number, uid: string, kopecks: number, byQrCode: boolean, comment?: string) {
    super()
    this.payment = payment
    this.uid = uid
    this.kopecks = kopecks
    this.byQrCode = byQrCode && payment === 0
    this.comment = comment
  }
  async run(model: Model, { site, qrCodeUid, uids, isReusable }: Real) {
    const { payment, uid, kopecks, comment } = this
    const known = model.refunds.get(keyOf(payment, uid))
    const left = Math.max((model.payments[payment] ?? 0) - sumOf(model, payment, 'WAITING', 'COMPLETED'), 0)
    const of = this.byQrCode ? `/sbp/qrCodes/${qrCodeUid}` : `/payments/${uids[payment]}`
    const body = { amount: { value: decimal(kopecks) }, comment }
    const response = await site.ask(`${of}/refunds/${uid}`, { method: 'PUT', body })
    if (isReusable && this.byQrCode) {
      expect([response.status, (await errorOf(response)).errorCode]).toEqual([
        409,
        'payin.incorrect-method-invocation',
      ])
      return
    }
    const differing = [
      ...(known && known.kopecks !== kopecks ? ['amount.value'] : []),
      // What the network reported has no comment to compare.
      ...(known && !known.isReported && known.comment !== comment ? ['comment'] : []),
    ]
    const expected = known ? (differing.length === 0 ? 200 : 409) : kopecks <= left ? 200 : 400
    expect(response.status).toBe(expected)
    expect(response.headers.get('Idempotent-Replayed')).toBe(known && expected === 200 ? 'true' : null)
    if (expected !== 200) {
      const cause = Object.keys((await errorOf(response)).cause ?? {})
      expect(cause).toEqual(known ? differing : ['amount.value'])
    } else if (!known) {
      const refund: Refund = { payment, kopecks, status: 'WAITING', comment, isReported: false }
      model.refunds.set(keyOf(payment, uid), refund)
      model.events.push({ type: 'refund.waiting', key: keyOf(payment, uid), overRefunded: false })
    }
  }
  toString = () =>
    `request(${keyOf(this.payment, this.uid)} ${this.kopecks}${this.byQrCode ? ' by code' : ''} ${this.comment ?? ''})`
}

class Report extends Command {
  readonly payment: number
  readonly uid: string
  readonly status: 'COMPLETED' | 'DECLINED'
  readonly kopecks: number | undefined
  constructor(payment: number, uid: string, status: 'COMPLETED' | 'DECLINED', kopecks?: number) {
    super()
    this.payment = payment
    this.uid = uid
    this.status = status
    this.kopecks = kopecks
  }
  async run(model: Model, { site, uids }: Real) {
    const { payment, uid, status, kopecks } = this
    const key = keyOf(payment, uid)
    const known = model.refunds.get(key)
    const amount = kopecks === undefined ? undefined : { value: decimal(kopecks) }
    const response = await site.reportRefund(uids[payment] ?? '', uid, { status, amount })
    const makes = !known && status === 'COMPLETED' && kopecks !== undefined
    const contradicts =
      known &&
      ((kopecks !== undefined && kopecks !== known.kopecks) ||
        (known.status === 'COMPLETED' && status === 'DECLINED'))
    const expected = !known && !makes ? 404 : contradicts ? 409 : 200
    expect(response.status).toBe(expected)
    const isReplay = expected === 200 && known?.status === status
    expect(response.headers.get('Idempotent-Replayed')).toBe(isReplay ? 'true' : null)
    if (expected !== 200 || isReplay) return
    if (known) known.status = status
    else if (kopecks !== undefined)
      model.refunds.set(key, { payment, kopecks, status, comment: undefined, isReported: true })
    const type = status === 'COMPLETED' ? 'refund.completed' : 'refund.declined'
    const overRefunded = status === 'COMPLETED' && isOver(model, payment)
    model.events.push({ type, key, overRefunded })
  }
  toString = () => `report(${keyOf(this.payment, this.uid)} ${this.status} ${this.kopecks ?? ''})`
}

/** Reads everything and compares it with the model. */
async function compare(model: Model, { site, qrCodeUid, uids, isReusable }: Real): Promise<void> {
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
  for (const event of refundEvents)
    expect(event).toMatchObject({ qrCodeUid, status: isReusable ? 'CREATED' : 'PAYED' })

  for (const [payment, paid] of model.payments.entries()) {
    const shown = await site.paymentOf(uids[payment] ?? '')
    expect(shown.applied).toBe(isReusable || payment === 0)
    const refunded = decimal(sumOf(model, payment, 'COMPLETED'))
    expect(shown.refundedAmount.value).toBe(refunded)
    if (shown.saleUid !== undefined) {
      const sale = await site.saleOf(qrCodeUid, shown.saleUid)
      expect([sale.status, sale.payment?.refundedAmount?.value ?? '0.00']).toEqual(['PAYED', refunded])
    }
    expect(shown.overRefunded ?? false).toBe(isOver(model, payment))
    // Only what the network reports can exceed the payment: a refund that it declined before, or made itself.
    const canExceed =
      model.events.some(({ type, key }) => type === 'refund.declined' && key.startsWith(`${payment}/`)) ||
      [...model.refunds.values()].some((refund) => refund.payment === payment && refund.isReported)
    if (!canExceed) expect(sumOf(model, payment, 'WAITING', 'COMPLETED')).toBeLessThanOrEqual(paid)
    const refunds = await site.refundsOf(uids[payment] ?? '')
    expect(
      refunds.map(({ refundId, amount, status }) => [keyOf(payment, refundId), amount.value, status.value]),
    ).toEqual(
      [...model.refunds]
        .filter(([, refund]) => refund.payment === payment)
        .map(([key, { kopecks, status }]) => [key, decimal(kopecks), status]),
    )
  }

  const { refunds = [] } = await site.read(qrCodeUid)
  const shown = isReusable ? [] : [...model.refunds].filter(([, { payment }]) => payment === 0)
  expect(refunds.map(({ refundUid, refundStatus }) => [keyOf(0, refundUid), refundStatus])).toEqual(
    shown.map(([key, { status }]) => [key, status]),
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
  expect(await brokenRules(site)).toEqual([])
}

const TYPES = ['DYNAMIC', 'STATIC', 'COUNTER'] as const

/** A QR code with payments of 5.00 and 4.00. It is without an amount, unless it is DYNAMIC, and armed for each of them. */
async function paidTwice(site: RefundingSite, type: (typeof TYPES)[number]): Promise<Real> {
  const isReusable = type !== 'DYNAMIC'
  const { qrCodeUid, linkId } = await site.make(isReusable ? { qrCode: { type }, amount: undefined } : {})
  const uids: string[] = []
  for (const value of [5, 4]) {
    const saleUid = type === 'COUNTER' ? `sale-${value}` : undefined
    if (saleUid) {
      const body = { amount: { value } }
      const armed = await site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`, { method: 'PUT', body })
      expect(armed.status).toBe(200)
    }
    uids.push((await site.pay(linkId, { amount: { value }, saleUid })).paymentUid)
  }
  return { site, qrCodeUid, isReusable, uids }
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
  [
    'a refund of everything that nobody requested',
    [
      new Report(0, 'a', 'COMPLETED', 500),
      new Request(0, 'b', 100, false),
      new Request(0, 'a', 500, true, 'why'),
    ],
  ],
  [
    'a refund that waits and one that the bank made, which is too much',
    [
      new Request(0, 'a', 500, false, 'why'),
      new Report(0, 'b', 'COMPLETED', 100),
      new Report(0, 'a', 'DECLINED', 500),
      new Request(0, 'c', 251, false),
      new Report(0, 'a', 'COMPLETED', 500),
    ],
  ],
]

it.each(OPENINGS.flatMap(([from, opening]) => TYPES.map((type) => [type, from, opening] as const)))(
  'refunds of a %s QR code never exceed their payment, completed ones are facts, and feed, notifications and instructions agree, from %s on',
  async (type, _, opening) => {
    const payment = fc.nat(1)
    const uid = fc.constantFrom('a', 'b', 'c', 'd')
    const kopecks = fc.constantFrom(100, 250, 251, 500)
    const comment = fc.constantFrom(undefined, undefined, 'why')
    const reported = fc.option(kopecks, { nil: undefined })
    const commands = fc.commands(
      [
        ...Array.from({ length: 2 }, () =>
          fc.tuple(payment, uid, kopecks, fc.boolean(), comment).map((values) => new Request(...values)),
        ),
        ...Array.from({ length: 2 }, () =>
          fc
            .tuple(payment, uid, fc.constantFrom('COMPLETED' as const, 'DECLINED' as const), reported)
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
        const real = await paidTwice(site, type)
        await fc.asyncModelRun(() => ({ model, real }), [...opening, ...history])
        await compare(model, real)
      }),
      { numRuns: 8 },
    )
  },
)
