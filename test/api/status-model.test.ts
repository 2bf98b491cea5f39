// A site against a model of it: whatever is done in whatever order, payments are facts and the feed explains every status.
import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type EventsAnswer, FeedAnswer } from '../../src/contract/event.ts'
import { PaymentAnswer } from '../../src/contract/payment.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { makeLinkId } from '../../src/fps/link-id.ts'
import { brokenRules } from '../support/broken-rules.ts'
import { type Call, linkIdOf } from '../support/client.ts'
import { call, errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const service = serviceWith({})
const TTL = 10
/** The QR codes that a history can create: the amount of each, in the minor units of the reports. */
const CODES = [500, 500, undefined] as const
/** A link id that is authentic, of which the site has no QR code. */
const UNKNOWN = CODES.length

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => vi.useRealTimers())

interface Report {
  status: 'COMPLETED' | 'DECLINED'
  code: number
  value: number
}

interface Payment extends Report {
  applied: boolean
}

interface QrCode {
  /** Increases with each creation. */
  number: number
  status: string
  minutes: number
  /** The paymentUid of the attempt that it shows. */
  shown?: string | undefined
}

/** What the contract says, told without the code under test. */
interface Model {
  codes: (QrCode | undefined)[]
  payments: Map<string, Payment>
  events: { type: string; code: number; status: string | undefined; paymentUid?: string; applied?: boolean }[]
}

const PAYABLE = ['CREATED', 'DECLINED']

/** Records the expiry of a QR code whose ttl is over, as a change of it does; of all, as the feed and the alarm do. */
function settle(model: Model, only?: number): void {
  const due = model.codes.flatMap((code, index) =>
    code && PAYABLE.includes(code.status) && code.minutes >= TTL ? [{ code, index }] : [],
  )
  for (const { code, index } of due.sort(
    (a, b) => b.code.minutes - a.code.minutes || a.code.number - b.code.number,
  )) {
    if (only !== undefined && index !== only) continue
    code.status = 'EXPIRED'
    model.events.push({ type: 'qrCode.expired', code: index, status: 'EXPIRED' })
  }
}

/** Whether the QR code takes the payment. */
function isApplied(model: Model, { status, code, value }: Report): boolean {
  const qrCode = model.codes[code]
  if (!qrCode) return false
  if (status === 'DECLINED') return PAYABLE.includes(qrCode.status)
  return qrCode.status !== 'PAYED' && (CODES[code] ?? value) === value
}

/** A site over HTTP. */
async function newSite() {
  const siteId = crypto.randomUUID()
  const token = await tokenOf({ sub: siteId, exp: 4_000_000_000 })
  const network = await tokenOf({ sub: siteId, exp: 4_000_000_000, scope: 'network' })
  const base = `/payin/v1/sites/${siteId}`
  const random = crypto.getRandomValues(new Uint8Array(7))
  const linkIds: string[] = []
  linkIds[UNKNOWN] = makeLinkId(env.TOKEN_SECRET, siteId, 'AD1000', { now: Date.now(), random })
  const send = (path: string, options: Call = {}) => call(base + path, { token, ...options }, service)
  const stub = env.SITES.getByName(siteId)
  return {
    stub,
    linkIds,
    alarm: () => runDurableObjectAlarm(stub),
    send,
    item: (code: number, rest = '') => send(`/sbp/qrCodes/code-${code}${rest}`),
    cancel: (code: number) => send(`/sbp/qrCodes/code-${code}`, { method: 'DELETE' }),
    create(code: number) {
      const value = CODES[code]
      const body = {
        qrCodeUid: `code-${code}`,
        qrCode: { type: 'DYNAMIC', ttl: TTL },
        ...(value !== undefined && { amount: { value: value / 100 } }),
      }
      return send('/sbp/qrCodes', { body })
    },
    report: (uid: string, { status, code, value }: Report) =>
      call(
        `/network/v1/sites/${siteId}/qrCodes/${linkIds[code]}/payments/${uid}`,
        { method: 'PUT', token: network, body: { status, amount: { value: value / 100 } } },
        service,
      ),
    /** The whole feed, some events a page. */
    async feed(limit: number) {
      const events: EventsAnswer['events'] = []
      for (let after = ''; ; ) {
        const response = await send(`/events?limit=${limit}${after && `&after=${after}`}`)
        const page = strict(FeedAnswer).parse(await response.json())
        if (page.events.length === 0) return events
        events.push(...page.events)
        after = page.nextCursor
      }
    },
  }
}
type Site = Awaited<ReturnType<typeof newSite>>

/** Everything that the merchant can read, with the ETags. */
async function snapshot(model: Model, site: Site) {
  const shown = model.codes.map(async (code, index) => {
    if (!code) return undefined
    const response = await site.item(index)
    return [
      response.headers.get('ETag'),
      await response.text(),
      await (await site.item(index, '/payments')).text(),
    ]
  })
  return { feed: await site.feed(1000), codes: await Promise.all(shown) }
}

abstract class Command implements fc.AsyncCommand<Model, Site> {
  check = (_model: Readonly<Model>) => true
  abstract run(model: Model, site: Site): Promise<void>
  abstract toString(): string
}

class Create extends Command {
  readonly code: number
  constructor(code: number) {
    super()
    this.code = code
  }
  async run(model: Model, site: Site) {
    const known = model.codes[this.code]
    const before = known && (await snapshot(model, site))
    const response = await site.create(this.code)
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([
      200,
      known ? 'true' : null,
    ])
    const { qrCode } = strict(QrCodeAnswer).parse(await response.json())
    if (before) {
      settle(model)
      expect(await snapshot(model, site)).toEqual(before)
      return
    }
    site.linkIds[this.code] = linkIdOf(qrCode.payload)
    model.codes[this.code] = { number: model.events.length, status: 'CREATED', minutes: 0 }
    model.events.push({ type: 'qrCode.created', code: this.code, status: 'CREATED' })
  }
  toString = () => `create(${this.code})`
}

class SendReport extends Command {
  readonly uid: string
  readonly report: Report
  constructor(uid: string, report: Report) {
    super()
    this.uid = uid
    this.report = report
  }
  override check = ({ codes }: Readonly<Model>) =>
    this.report.code === UNKNOWN || codes[this.report.code] !== undefined
  async run(model: Model, site: Site) {
    const { uid, report } = this
    const known = model.payments.get(uid)
    const fields: (keyof Report)[] = known
      ? (['code', 'status', 'value'] as const).filter((field) => known[field] !== report[field])
      : []
    const isRefused = fields.length > 0 && (known?.status === 'COMPLETED' || report.status === 'DECLINED')
    const changesNothing = isRefused || (known !== undefined && fields.length === 0)
    const before = changesNothing && (await snapshot(model, site))
    if (before) settle(model)
    settle(model, report.code)

    const response = await site.report(uid, report)
    expect(response.status).toBe(isRefused ? 409 : 200)
    if (isRefused) {
      const names = { code: 'qrcId', status: 'status', value: 'amount.value' }
      const { cause = {} } = await errorOf(response)
      expect(Object.keys(cause).sort()).toEqual(fields.map((field) => names[field]).sort())
    }
    if (before) {
      expect(response.headers.has('Idempotent-Replayed')).toBe(!isRefused)
      expect(await snapshot(model, site)).toEqual(before)
      return
    }
    const applied = isApplied(model, report)
    const qrCode = model.codes[report.code]
    model.payments.set(uid, { ...report, applied })
    if (known) {
      // Its QR code is looked at, whether it shows the attempt or not.
      if (known.code !== report.code) settle(model, known.code)
      const left = model.codes[known.code]
      if (left?.shown === uid) {
        left.shown = [...model.payments].findLast(([, one]) => one.code === known.code && one.applied)?.[0]
        if (left !== qrCode) {
          const { code } = known
          const { status } = left
          model.events.push({ type: 'payment.declined', code, status, paymentUid: uid, applied: false })
        }
      }
    }
    if (qrCode && applied) {
      qrCode.status = report.status === 'COMPLETED' ? 'PAYED' : 'DECLINED'
      qrCode.shown = uid
    }
    const type = report.status === 'COMPLETED' ? 'payment.completed' : 'payment.declined'
    model.events.push({ type, code: report.code, status: qrCode?.status, paymentUid: uid, applied })
  }
  toString = () => `report(${this.uid}, ${Object.values(this.report).join(' ')})`
}

class Cancel extends Command {
  readonly code: number
  constructor(code: number) {
    super()
    this.code = code
  }
  override check = ({ codes }: Readonly<Model>) => codes[this.code] !== undefined
  async run(model: Model, site: Site) {
    settle(model, this.code)
    const qrCode = model.codes[this.code]
    const { status } = await site.cancel(this.code)
    if (qrCode && PAYABLE.includes(qrCode.status)) {
      qrCode.status = 'CANCELLED'
      model.events.push({ type: 'qrCode.cancelled', code: this.code, status: 'CANCELLED' })
    }
    expect(status).toBe(qrCode?.status === 'CANCELLED' ? 200 : 409)
  }
  toString = () => `cancel(${this.code})`
}

class Pass extends Command {
  readonly minutes: number
  constructor(minutes: number) {
    super()
    this.minutes = minutes
  }
  async run(model: Model) {
    for (const code of model.codes) if (code) code.minutes += this.minutes
    vi.setSystemTime(Date.now() + this.minutes * 60_000)
  }
  toString = () => `pass(${this.minutes})`
}

class Alarm extends Command {
  async run(model: Model, site: Site) {
    if (model.codes.some(Boolean)) await site.alarm()
    settle(model)
  }
  toString = () => 'alarm'
}

/** Reads everything and compares it with the model. */
class Compare extends Command {
  readonly limit: number
  constructor(limit: number) {
    super()
    this.limit = limit
  }
  async run(model: Model, site: Site) {
    settle(model)
    const events = await site.feed(this.limit)
    expect(await brokenRules(site)).toEqual([])
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1))
    expect(
      events.map(({ type, qrCodeUid, status, payment }) => ({
        ...{ type, code: qrCodeUid === undefined ? UNKNOWN : Number(qrCodeUid.replace('code-', '')), status },
        ...(payment && { paymentUid: payment.paymentUid, applied: payment.applied }),
      })),
    ).toEqual(model.events)

    // A reader of the feed who sums what was paid has what the payments have.
    const completed = events.flatMap(({ type, payment }) => {
      return type === 'payment.completed' ? [[payment?.paymentUid, Number(payment?.amount.value) * 100]] : []
    })
    const paid = [...model.payments].flatMap(([uid, { status, value }]) => {
      return status === 'COMPLETED' ? [[uid, value]] : []
    })
    expect(completed.toSorted()).toEqual(paid.toSorted())

    const replayed = new Map(events.map(({ qrCodeUid, status }) => [qrCodeUid, status]))
    for (const [index, code] of model.codes.entries()) {
      if (!code) continue
      const { qrCodeUid, qrCode, payment } = strict(QrCodeAnswer).parse(await (await site.item(index)).json())
      expect([qrCode.status, replayed.get(qrCodeUid)]).toEqual([code.status, code.status])
      const completed = [...model.payments].filter(([, { code, status, applied }]) => {
        return code === index && status === 'COMPLETED' && applied
      })
      expect(completed.length).toBe(code.status === 'PAYED' ? 1 : 0)
      if (code.status === 'PAYED') expect(payment?.paymentUid).toBe(completed[0]?.[0])
      else expect(payment?.paymentStatus ?? 'DECLINED').toBe('DECLINED')
      expect(payment?.paymentUid).toBe(code.shown)
    }

    for (const [uid, { status, value, code, applied }] of model.payments) {
      const payment = strict(PaymentAnswer).parse(await (await site.send(`/payments/${uid}`)).json())
      expect(payment).toMatchObject({
        paymentId: uid,
        amount: { value: (value / 100).toFixed(2) },
        status: { value: status },
        applied,
      })
      expect(payment.qrCodeUid).toBe(code === UNKNOWN ? undefined : `code-${code}`)
      expect(payment.notAppliedReason !== undefined).toBe(
        !applied && (status === 'COMPLETED' || code === UNKNOWN),
      )
    }
  }
  toString = () => `compare(${this.limit})`
}

/** Where histories begin, so that they reach what chance seldom does. */
const OPENINGS: [string, Command[]][] = [
  ['the beginning', []],
  [
    'every ending',
    [
      new SendReport('a', { status: 'COMPLETED', code: 0, value: 500 }),
      new SendReport('b', { status: 'COMPLETED', code: 0, value: 500 }),
      new Create(1),
      new Cancel(1),
      new Create(2),
      new Pass(TTL),
      new Alarm(),
    ],
  ],
  [
    'a declined attempt that was completed for another QR code',
    [
      new Create(0),
      new Create(1),
      new SendReport('a', { status: 'DECLINED', code: 0, value: 500 }),
      new SendReport('b', { status: 'DECLINED', code: 0, value: 500 }),
      new SendReport('b', { status: 'COMPLETED', code: 1, value: 500 }),
      new Pass(TTL),
      new SendReport('a', { status: 'COMPLETED', code: 1, value: 500 }),
    ],
  ],
]

it.each(OPENINGS)(
  'payments are facts, the feed explains every status, and replays change nothing, after any history, from %s on',
  async (_, opening) => {
    const code = fc.nat(CODES.length - 1)
    const report = fc.record<Report>({
      status: fc.constantFrom('COMPLETED', 'DECLINED'),
      code: fc.nat(UNKNOWN),
      value: fc.constantFrom(500, 500, 499),
    })
    const commands = fc.commands(
      [
        code.map((one) => new Create(one)),
        ...Array.from({ length: 3 }, () =>
          fc
            .tuple(fc.constantFrom('a', 'b', 'c', 'd'), report)
            .map(([uid, body]) => new SendReport(uid, body)),
        ),
        code.map((one) => new Cancel(one)),
        fc.integer({ min: 1, max: TTL }).map((minutes) => new Pass(minutes)),
        fc.constant(new Alarm()),
      ],
      { size: 'max', maxCommands: 30 },
    )
    await fc.assert(
      fc.asyncProperty(commands, fc.constantFrom(1, 3, 1000), async (history, limit) => {
        const model: Model = { codes: [], payments: new Map(), events: [] }
        const setup = async () => ({ model, real: await newSite() })
        await fc.asyncModelRun(setup, [new Create(0), ...opening, ...history, new Compare(limit)])
      }),
      { numRuns: 10 },
    )
  },
)
