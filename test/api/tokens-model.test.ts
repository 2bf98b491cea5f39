// Tokens against a model of the contract: no history charges twice, pays by an ended token, or leaves a state stuck.
import { runDurableObjectAlarm } from 'cloudflare:test'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { brokenRules } from '../support/broken-rules.ts'
import { qrCodeIn } from '../support/client.ts'
import { restart } from '../support/restart.ts'
import { CONNECTOR, serviceWith } from '../support/service.ts'
import { ACCOUNT, type TokenSite, tokenSite } from '../support/tokens.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => vi.useRealTimers())

const TTL = 10
const TOKEN_DAYS = 1
const DAY = 24 * 60
const connected = serviceWith({
  settings: { ...CONNECTOR, TOKEN_DAYS: `${TOKEN_DAYS}` },
})

/** Codes 0 and 1 are paid, 2 is paid and binds, 3 binds. */
const CODES = 4
const BINDING_CODE = 3

interface Charge {
  paymentUid: string
  /** Whether the network may have got its instruction. */
  isSent: boolean
  status: 'WAITING' | 'COMPLETED' | 'DECLINED'
}
interface Token {
  code: number
  status: string
  value: string
  minutes: number
  endedBy?: string
}
interface Model {
  codes: { status: string; minutes: number; waitsFor?: string; paidBy?: string }[]
  tokens: Map<string, Token>
  /** By `code binding`. */
  charges: Map<string, Charge>
  seen: Record<keyof typeof seen, number>
}
interface Real {
  site: TokenSite
  links: { qrCodeUid: string; linkId: string; pageUrl: string }[]
}

const isPayable = (status: string) => status === 'CREATED' || status === 'DECLINED'

/** What the clock has changed by now. */
function settle({ codes, tokens, seen }: Model): void {
  for (const code of codes) if (isPayable(code.status) && code.minutes >= TTL) code.status = 'EXPIRED'
  for (const token of tokens.values()) {
    if (token.status !== 'CREATED' || token.minutes < TOKEN_DAYS * DAY) continue
    token.status = 'EXPIRED'
    seen.expired++
  }
}

const chargeOf = (model: Model, code: number) =>
  [...model.charges].filter(([key]) => key.startsWith(`${code} `)).map(([, charge]) => charge)

/** A token ends: its charges that were not sent are withdrawn. */
function end(model: Model, uid: string, by: 'merchant' | 'payer'): void {
  const token = model.tokens.get(uid)
  if (!token || token.status === 'DELETED') return
  token.status = 'DELETED'
  token.endedBy = by
  for (const [key, charge] of model.charges) {
    if (!key.endsWith(` ${uid}`) || charge.status !== 'WAITING' || charge.isSent) continue
    charge.status = 'DECLINED'
    model.seen.withdrawn++
    const qrCode = model.codes[Number(key.split(' ')[0])]
    if (qrCode?.status === 'INIT_PAYMENT_BY_TOKEN' && qrCode.waitsFor === charge.paymentUid)
      qrCode.status = 'DECLINED'
  }
}

abstract class Command implements fc.AsyncCommand<Model, Real> {
  check = (_: Readonly<Model>) => true
  async run(model: Model, real: Real) {
    settle(model)
    await this.act(model, real)
    await compare(model, real)
  }
  abstract act(model: Model, real: Real): Promise<void>
  abstract toString(): string
}

/** Everything that the merchant reads is as the model has it. */
async function compare(model: Model, { site, links }: Real): Promise<void> {
  settle(model)
  for (const [index, { qrCodeUid }] of links.entries()) {
    const { qrCode, payment } = await site.read(qrCodeUid)
    const { status, paidBy, waitsFor } = model.codes[index] ?? {}
    expect([index, qrCode.status]).toEqual([index, status])
    expect(qrCode.payload === '').toBe(status === 'INIT_PAYMENT_BY_TOKEN')
    if (status === 'PAYED') expect(payment?.paymentUid).toBe(paidBy)
    if (status === 'INIT_PAYMENT_BY_TOKEN') expect(payment?.paymentUid).toBe(waitsFor)
  }
  for (const { paymentUid, status } of model.charges.values()) {
    expect((await site.paymentOf(paymentUid)).status.value).toBe(status)
  }
  const waiting = [...model.charges.values()].filter(({ status }) => status === 'WAITING')
  const instructions = (await site.instructions()).flatMap(({ content }) =>
    content.type === 'payment.charge' ? [content.paymentUid] : [],
  )
  expect(instructions.toSorted()).toEqual(waiting.map(({ paymentUid }) => paymentUid).toSorted())
  expect(await brokenRules(site)).toEqual([])
}

class Bind extends Command {
  readonly uid: string
  readonly code: number
  readonly status: string
  constructor(uid: string, code: number, status: string) {
    super()
    this.uid = uid
    this.code = code
    this.status = status
  }
  async act(model: Model, { site, links }: Real) {
    const { uid, code, status } = this
    const known = model.tokens.get(uid)
    const wasCreated = known?.status === 'CREATED' || known?.status === 'EXPIRED'
    // A payer's stop outlasts the consent that a connector still has.
    const isStopped = known?.status === 'DELETED' && known.endedBy === 'payer' && status === 'CREATED'
    const isRefused =
      known !== undefined &&
      (known.code !== code ||
        (known.status === 'DELETED' && status !== 'DELETED' && !isStopped) ||
        (wasCreated && status === 'REJECTED'))
    const response = await site.at(connected).bind(links[code]?.linkId ?? '', { status }, uid)
    expect(response.status).toBe(isRefused ? 409 : 200)
    // The network was told to end the binding of an expired token: the confirmation changes nothing.
    const isSame =
      known?.status === status || (known?.status === 'EXPIRED' && status !== 'REJECTED') || isStopped
    if (isRefused || isSame) return
    const isNew = status === 'CREATED'
    model.tokens.set(uid, {
      code,
      status,
      value: known?.value ?? '',
      minutes: isNew ? 0 : (known?.minutes ?? 0),
    })
    const qrCode = model.codes[code]
    if (qrCode && code === BINDING_CODE && isPayable(qrCode.status)) {
      if (status === 'CREATED') qrCode.status = 'ACCEPTED'
      if (status === 'REJECTED') qrCode.status = 'DECLINED'
    }
    const token = model.tokens.get(uid)
    if (isNew && token) {
      const { qrCodeUid = '' } = links[code] ?? {}
      const values = new Set([...model.tokens.values()].map(({ value }) => value))
      const listed = (await site.tokens()).find(
        (one) => one.qrCodeUid === qrCodeUid && one.value !== undefined && !values.has(one.value),
      )
      token.value = listed?.value ?? ''
      expect(token.value).not.toBe('')
    }
  }
  toString = () => `bind(${this.uid}, ${this.code}, ${this.status})`
}

class ChargeToken extends Command {
  readonly uid: string
  readonly code: number
  constructor(uid: string, code: number) {
    super()
    this.uid = uid
    this.code = code
  }
  override check = ({ tokens }: Readonly<Model>) => (tokens.get(this.uid)?.value ?? '') !== ''
  async act(model: Model, { site, links }: Real) {
    const { uid, code } = this
    const token = model.tokens.get(uid)
    const qrCode = model.codes[code]
    if (!token || !qrCode) throw new Error('the model has no such token')
    const response = await site.charge(links[code]?.qrCodeUid ?? '', token.value, ACCOUNT, connected)
    if (model.charges.has(`${code} ${uid}`)) {
      expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    } else if (token.status !== 'CREATED') {
      expect(response.status).toBe(400)
      model.seen.refused++
    } else if (code === BINDING_CODE || !isPayable(qrCode.status)) {
      expect(response.status).toBe(409)
    } else {
      expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, null])
      const { payment } = await qrCodeIn(response)
      const paymentUid = payment?.paymentUid ?? ''
      model.charges.set(`${code} ${uid}`, { paymentUid, isSent: false, status: 'WAITING' })
      qrCode.status = 'INIT_PAYMENT_BY_TOKEN'
      qrCode.waitsFor = paymentUid
      model.seen.charged++
    }
  }
  toString = () => `charge(${this.uid}, ${this.code})`
}

/** The report of a charge, or of a payment by the customer's own scan. */
class Report extends Command {
  readonly code: number
  readonly nth: number | undefined
  readonly status: 'COMPLETED' | 'DECLINED'
  constructor(code: number, nth: number | undefined, status: 'COMPLETED' | 'DECLINED') {
    super()
    this.code = code
    this.nth = nth
    this.status = status
  }
  async act(model: Model, { site, links }: Real) {
    const { code, nth, status } = this
    const qrCode = model.codes[code]
    const charges = chargeOf(model, code)
    const charge = nth === undefined ? undefined : charges[nth % Math.max(charges.length, 1)]
    if (!qrCode || (nth !== undefined && !charge)) return
    const uid = charge?.paymentUid ?? crypto.randomUUID()
    const isRefused = charge?.status === 'COMPLETED' && status === 'DECLINED'
    const isSame = charge?.status === status
    const { status: answered } = await site.report(links[code]?.linkId ?? '', uid, { status })
    expect(answered).toBe(isRefused ? 409 : 200)
    if (isRefused || isSame) return
    if (charge) charge.status = status
    if (code === BINDING_CODE) return
    const isOwn = qrCode.status === 'INIT_PAYMENT_BY_TOKEN' && qrCode.waitsFor === uid
    if (status === 'COMPLETED') {
      if (qrCode.status === 'PAYED') {
        if (charge) model.seen.alreadyPaid++
        return
      }
      const other = charges.find(({ paymentUid }) => paymentUid === qrCode.waitsFor)
      if (qrCode.status === 'INIT_PAYMENT_BY_TOKEN' && other && !isOwn) {
        if (!other.isSent && other.status === 'WAITING') {
          other.status = 'DECLINED'
          model.seen.superseded++
        }
      }
      qrCode.status = 'PAYED'
      qrCode.paidBy = uid
    } else if (isOwn || isPayable(qrCode.status)) {
      qrCode.status = 'DECLINED'
    }
  }
  toString = () => `report(${this.code}, ${this.nth ?? 'scan'}, ${this.status})`
}

class Attempt extends Command {
  async act({ charges }: Model, { site }: Real) {
    await site.attempt()
    for (const charge of charges.values()) charge.isSent = true
  }
  toString = () => 'attempt'
}

class Delete extends Command {
  readonly uid: string
  constructor(uid: string) {
    super()
    this.uid = uid
  }
  override check = ({ tokens }: Readonly<Model>) => (tokens.get(this.uid)?.value ?? '') !== ''
  async act(model: Model, { site }: Real) {
    const token = model.tokens.get(this.uid)
    expect((await site.deleteToken(token?.value, ACCOUNT, connected)).status).toBe(204)
    end(model, this.uid, 'merchant')
    model.seen.deleted++
  }
  toString = () => `delete(${this.uid})`
}

/** The payer ends the account that the page of a code shows. */
class Stop extends Command {
  readonly code: number
  constructor(code: number) {
    super()
    this.code = code
  }
  async act(model: Model, { site, links }: Real) {
    const { pageUrl = '' } = links[this.code] ?? {}
    const open = [...model.tokens].filter(
      ([, { code, status }]) => code === this.code && status === 'CREATED',
    )
    const response = await site.stop(pageUrl)
    expect([response.status, response.headers.get('Location')]).toEqual([
      303,
      `${new URL(pageUrl).search}&until=0`,
    ])
    const [shown, other] = open
    if (!shown || other) return
    end(model, shown[0], 'payer')
    model.seen.stopped++
    const page = await (await site.page(pageUrl)).text()
    // Where no token of the code can be charged, the page shows the latest.
    const latest = [...model.tokens].findLast(([, { code, value }]) => code === this.code && value !== '')
    const sent = [...model.charges].filter(
      ([key, { status }]) => key.endsWith(` ${latest?.[0]}`) && status === 'WAITING',
    )
    expect(page.match(/it may still be charged/g) ?? []).toHaveLength(sent.length)
  }
  toString = () => `stop(${this.code})`
}

/** The process is killed, and starts from its disk. */
class Restart extends Command {
  act = (_: Model, { site }: Real) => restart(() => site.stub)
  toString = () => 'restart'
}

class Pass extends Command {
  readonly minutes: number
  constructor(minutes: number) {
    super()
    this.minutes = minutes
  }
  async act(model: Model) {
    for (const each of [...model.codes, ...model.tokens.values()]) each.minutes += this.minutes
    vi.setSystemTime(Date.now() + this.minutes * 60_000)
  }
  toString = () => `pass(${this.minutes})`
}

class Alarm extends Command {
  act = async (_: Model, { site }: Real) => void (await runDurableObjectAlarm(site.stub))
  toString = () => 'alarm'
}

async function setup() {
  const site = tokenSite()
  await site.rest()
  const plain = { qrCode: { type: 'DYNAMIC', ttl: TTL }, tokenizationAccount: ACCOUNT }
  const links = [
    await site.make(plain),
    await site.make(plain),
    await site.make({ ...plain, flags: ['CREATE_TOKEN'] }),
    await site.tokenCode(),
  ]
  const pageOf = async ({ qrCodeUid, linkId }: { qrCodeUid: string; linkId: string }) => {
    const { pageUrl } = await (await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).json<{ pageUrl: string }>()
    return { qrCodeUid, linkId, pageUrl }
  }
  return { site, links: await Promise.all(links.map(pageOf)) }
}

/** Everything that waits is released by a report, and each charge was one attempt. */
async function release(model: Model, real: Real): Promise<void> {
  for (const [key, { status, paymentUid }] of model.charges) {
    const code = Number(key.split(' ')[0])
    if (status === 'WAITING') {
      await real.site.report(real.links[code]?.linkId ?? '', paymentUid, { status: 'DECLINED' })
    }
  }
  expect((await real.site.instructions()).filter(({ content }) => content.type === 'payment.charge')).toEqual(
    [],
  )
  for (const { qrCodeUid } of real.links) {
    expect((await real.site.read(qrCodeUid)).qrCode.status).not.toBe('INIT_PAYMENT_BY_TOKEN')
  }
  const events = await real.site.feed()
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1))
  const attempts = events.flatMap(({ type, payment }) =>
    type === 'payment.waiting' ? [payment?.paymentUid] : [],
  )
  expect(attempts.toSorted()).toEqual(
    [...model.charges.values()].map(({ paymentUid }) => paymentUid).toSorted(),
  )
  const applied = new Map<string, number>()
  for (const { type, payment, qrCodeUid = '' } of events) {
    if (type === 'payment.completed' && payment?.applied)
      applied.set(qrCodeUid, (applied.get(qrCodeUid) ?? 0) + 1)
  }
  for (const times of applied.values()) expect(times).toBe(1)
  const statuses = new Map(events.map(({ qrCodeUid, status }) => [qrCodeUid, status]))
  for (const { qrCodeUid } of real.links) {
    expect(statuses.get(qrCodeUid)).toBe((await real.site.read(qrCodeUid)).qrCode.status)
  }
}

/** How often what the histories are about happened. */
const seen = {
  charged: 0,
  refused: 0,
  superseded: 0,
  alreadyPaid: 0,
  expired: 0,
  deleted: 0,
  stopped: 0,
  withdrawn: 0,
}

/** Where histories begin, so that they reach what chance seldom does. */
const OPENINGS: [string, Command[]][] = [
  ['the beginning', []],
  ['a charge that is superseded', [new ChargeToken('b-1', 1), new Report(1, undefined, 'COMPLETED')]],
  ['a charge that the payer stops', [new ChargeToken('b-2', 1), new Stop(0), new ChargeToken('b-2', 2)]],
  [
    'two payments',
    [
      new ChargeToken('b-1', 2),
      new Attempt(),
      new Report(2, undefined, 'COMPLETED'),
      new Report(2, 0, 'COMPLETED'),
    ],
  ],
  ['the end of a token', [new Pass(DAY), new ChargeToken('b-2', 1), new Delete('b-2')]],
  [
    'the confirmation of an end',
    [
      new Pass(DAY),
      new Bind('b-1', BINDING_CODE, 'DELETED'),
      new Bind('b-1', BINDING_CODE, 'CREATED'),
      new Bind('b-1', BINDING_CODE, 'REJECTED'),
    ],
  ],
]

it.each(OPENINGS)(
  'no token is charged twice for a code, an ended one pays nothing, and a report releases every wait, from %s on',
  async (_, opening) => {
    const uid = fc.constantFrom('b-1', 'b-1', 'b-2', 'b-3')
    const code = fc.constantFrom(0, 0, 0, 1, 2, BINDING_CODE)
    const often = <T>(times: number, make: T): T[] => Array.from({ length: times }, () => make)
    const commands = fc.commands(
      [
        ...often(
          2,
          fc
            .tuple(uid, code, fc.constantFrom('CREATED', 'CREATED', 'CREATED', 'REJECTED', 'DELETED'))
            .map(([one, where, status]) => new Bind(one, where, status)),
        ),
        ...often(
          4,
          fc.tuple(uid, code).map(([one, where]) => new ChargeToken(one, where)),
        ),
        ...often(
          4,
          fc
            .tuple(code, fc.constantFrom(0, 1, undefined), fc.constantFrom('COMPLETED', 'DECLINED'))
            .map(([where, nth, status]) => new Report(where, nth, status)),
        ),
        fc.constant(new Attempt()),
        uid.map((one) => new Delete(one)),
        code.map((where) => new Stop(where)),
        fc.constant(new Restart()),
        fc.constantFrom(1, 1, 5, DAY).map((minutes) => new Pass(minutes)),
        fc.constant(new Alarm()),
      ],
      { size: 'max', maxCommands: 30 },
    )
    await fc.assert(
      fc.asyncProperty(commands, async (history) => {
        const model: Model = {
          codes: Array.from({ length: CODES }, () => ({ status: 'CREATED', minutes: 0 })),
          tokens: new Map(),
          charges: new Map(),
          seen,
        }
        const real = await setup()
        const bound = [new Bind('b-1', BINDING_CODE, 'CREATED'), new Bind('b-2', 0, 'CREATED')]
        await fc.asyncModelRun(() => ({ model, real }), [...bound, ...opening, ...history])
        await release(model, real)
      }),
      { numRuns: 6 },
    )
  },
)

it('the histories had each of what they are about', () =>
  expect(Object.entries(seen).filter(([, times]) => times === 0)).toEqual([]))
