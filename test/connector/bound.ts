// Bound accounts in tests: codes that bind, consents, charges, deletions, as the service asks for them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Delivery, FakeBank, Fault } from '../support/banks/fake-bank.ts'
import { refundedOf } from '../support/banks/tochka-pay/records.ts'
import {
  HOUR,
  launched,
  MINUTE,
  type Running,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

export const PRICE = { value: '50.00', currency: 'RUB' }

/** A call whose result the bank does not tell. */
const UNANSWERED: [string, Fault][] = [
  ['the answer is lost', { broken: 'after' }],
  ['the request is lost', { broken: 'before' }],
  ['the bank answers 500 and has executed it', { status: 500, executed: true }],
  ['the bank answers 504 and has done nothing', { status: 504 }],
  ['a gateway answers 404 in HTML', { status: 404, body: '<html></html>', executed: true }],
  ['a gateway answers 200 in HTML', { status: 200, body: '<html></html>', executed: true }],
  ['the bank answers 429', { status: 429, retryAfter: 5, executed: true }],
]

/** The same with an error that no document of the bank has. */
const lost = (status: number, body: object): [string, Fault][] => [
  ...UNANSWERED,
  ['an error that no document has', { status, body, executed: true }],
]

/** A bank that binds accounts, and how a test does with it what it does with another. */
export interface BindingBank {
  site: 'cafe' | 'farm' | 'club'
  /** Its name in the configuration. */
  name: string
  of: (at: Surroundings) => FakeBank
  /** Its operations: the request to bind, the question about it, the charge, the question about that. */
  bind: string
  state: string
  charge: string
  result: string
  lost: [string, Fault][]
  /** The customer agrees, or ends what is bound. @returns the bank's id of the request to bind */
  consent: (at: Surroundings, qrcId: string, isGiven: boolean, delivery?: Delivery) => Promise<string>
  /** The bank's numbers of the charges, one for each call. */
  numbers: (at: Surroundings) => string[]
  /** How often money moved, by order. */
  moved: (at: Surroundings) => Map<string, number>
  /** A payer pays the link of a code, or is about to; its webhook is lost. */
  pay: (at: Surroundings, qrcId: string, isDone: boolean) => Promise<unknown>
  /** What becomes of the next charges. */
  decide: (at: Surroundings, result: string) => void
  /** The charge ends that is in progress; its webhook is lost. */
  finish: (at: Surroundings, number: string, isMade: boolean) => Promise<void> | void
  /** The webhook of a charge. */
  deliver: (at: Surroundings, number: string) => Promise<void>
  /** Kopecks of a charge that were refunded. */
  refunded: (at: Surroundings, number: string) => number | undefined
}

const UNTOLD = { times: 0 }

export const TBANK: BindingBank = {
  ...{ site: 'cafe', name: 'tbank-cafe', of: (at) => at.tbank },
  ...{ bind: 'AddAccountQr', state: 'GetAddAccountQrState', charge: 'ChargeQr', result: 'GetState' },
  lost: lost(200, { Success: false, ErrorCode: '9999', Message: 'x' }),
  consent: (at, ...given) => at.tbank.consent(...given),
  numbers: (at) => at.tbank.callsOf('ChargeQr').map(({ body }) => String(Object(body).PaymentId)),
  moved: (at) => at.tbank.chargesByOrder(),
  pay: (at, qrcId, isDone) =>
    at.tbank.pay(qrcId, { status: isDone ? 'CONFIRMED' : 'AUTHORIZING', ...UNTOLD }),
  decide({ tbank }, result) {
    tbank.chargeResult = result
  },
  finish: (at, number, isMade) => at.tbank.finishCharge(number, isMade ? 'CONFIRMED' : 'REJECTED', UNTOLD),
  deliver: (at, number) => at.tbank.deliver(number),
  refunded: (at, number) => at.tbank.sessions.get(number)?.refunded,
}

export const RAIFFEISEN: BindingBank = {
  ...{ site: 'farm', name: 'raif-farm', of: (at) => at.raiffeisen },
  ...{ bind: 'subscribe', state: 'subscription', charge: 'charge', result: 'charge_status' },
  lost: lost(400, { code: 'ERROR.UNKNOWN', message: 'x' }),
  consent: (at, qrcId, isGiven, delivery) =>
    at.raiffeisen.consent(qrcId, isGiven ? 'SUBSCRIBED' : 'UNSUBSCRIBED', delivery),
  numbers: (at) => at.raiffeisen.callsOf('charge').map(({ body }) => String(Object(body).order)),
  moved: ({ raiffeisen }) => countsOf(raiffeisen.charged.map(({ order }) => order)),
  pay: (at, qrcId, isDone) =>
    at.raiffeisen.pay(qrcId, { status: isDone ? 'SUCCESS' : 'IN_PROGRESS', ...UNTOLD }),
  decide({ raiffeisen }, result) {
    raiffeisen.chargeResult = result
  },
  finish: (at, number, isMade) => at.raiffeisen.finishCharge(number, isMade ? 'SUCCESS' : 'DECLINED'),
  deliver: (at, number) => at.raiffeisen.deliver(codeOf(at, number)?.qrId ?? ''),
  refunded: (at, number) => codeOf(at, number)?.refunded,
}

export const TOCHKA_PAY: BindingBank = {
  ...{ site: 'club', name: 'pay-club', of: (at) => at.tochkaPay },
  ...{ bind: 'register', state: 'tokenization', charge: 'charge', result: 'payment' },
  lost: lost(400, { code: '400', message: 'x' }),
  async consent({ tochkaPay }, qrcId, isGiven, delivery) {
    const isEnd = !isGiven && tochkaPay.tokenization(qrcId).state === 'ACCEPTED'
    if (!isEnd) return tochkaPay.consent(qrcId, isGiven, delivery)
    tochkaPay.endBinding(qrcId)
    return qrcId
  },
  numbers: (at) => at.tochkaPay.callsOf('charge').map(({ body }) => String(Object(body).Data.paymentUid)),
  moved: ({ tochkaPay }) => countsOf(tochkaPay.ledger.charged),
  pay: (at, qrcId, isDone) =>
    at.tochkaPay.pay(qrcId, { status: isDone ? 'COMPLETED' : 'WAITING', ...UNTOLD }),
  decide({ tochkaPay }, result) {
    tochkaPay.ledger.chargeResult = result
  },
  finish: (at, number, isMade) =>
    at.tochkaPay.finish(number, isMade ? 'COMPLETED' : 'INSUFFICIENT_FUNDS', UNTOLD),
  deliver: (at, number) => at.tochkaPay.deliver(number),
  refunded: (at, number) => refundedOf(at.tochkaPay.ledger.payment(number)),
}

function countsOf(orders: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const order of orders) counts.set(order, (counts.get(order) ?? 0) + 1)
  return counts
}

/** Raiffeisenbank's code of an order. */
const codeOf = ({ raiffeisen }: Surroundings, order: string) =>
  Array.from(raiffeisen.codes.values()).find((each) => each.order === order)

/** Registers a code that binds an account alone. */
export async function registerToken(at: Surroundings, siteId: string, changes: object = {}) {
  const data = registerData(at, siteId, {
    ...{ type: 'TOKEN', amount: undefined, paymentPurpose: undefined, tokenizationPurpose: 'Monthly tea' },
    ...changes,
  })
  const { status, body } = await at.service.instruct('qrCode.register', data, at.clock.now)
  if (status !== 200) throw new Error(`the register got ${status} ${JSON.stringify(body)}`)
  return { qrcId: String(body.qrcId), payload: String(body.payload), reference: String(body.reference) }
}

export interface Bound {
  siteId: string
  /** Of the code that bound it. */
  qrcId: string
  bindingUid: string
  bindingReference: string
}

/** The binding that was reported of a code. */
export function boundBy(at: Surroundings, siteId: string, qrcId: string): Bound {
  const report = at.service.reports.findLast(({ path }) => path.includes(`/qrCodes/${qrcId}/bindings/`))
  if (!report) throw new Error(`no binding of ${qrcId} was reported`)
  const bindingUid = report.path.split('/').at(-1) ?? ''
  return { siteId, qrcId, bindingUid, bindingReference: String(report.body.reference) }
}

/** Binds an account on a running connector: the code, and the binding that its customer has agreed to. */
export async function bind({ at, running }: { at: Surroundings; running: Running }, bank: BindingBank) {
  const token = await registerToken(at, bank.site)
  // An unsigned notification makes the bank asked once a minute.
  at.clock.now += MINUTE
  const request = await bank.consent(at, token.qrcId, true)
  await running.connector.settle()
  return { token, request, binding: boundBy(at, bank.site, token.qrcId) }
}

/** A connector, and a code that binds, to which nobody has answered yet. */
export async function awaiting(bank: BindingBank) {
  const { at, running } = await launched()
  at.clock.now += 1_000
  return { at, running, ...(await registerToken(at, bank.site)) }
}

/** A connector, a binding that its customer has agreed to, and a code to charge. */
export async function bound(bank: BindingBank, setUp: (at: Surroundings) => void = () => {}) {
  const at = await surroundings()
  setUp(at)
  const running = await start(at)
  at.clock.now += 1_000
  const of = await bind({ at, running }, bank)
  const link = await register(at, bank.site, { amount: PRICE })
  return { at, running, bank: bank.of(at), ...of, link }
}

/** What the service knows of the binding of a code that was reported last. */
export const bindingOf = (at: Surroundings, siteId: string, qrcId: string) =>
  at.service.site(siteId).bindings.get(boundBy(at, siteId, qrcId).bindingUid)

/** A charge of a bound account that is asked for once all is prepared, and of which all was done that is due. */
export async function charged(
  bank: BindingBank,
  prepare: (of: Awaited<ReturnType<typeof bound>>) => unknown = () => {},
) {
  const of = await bound(bank)
  await prepare(of)
  const asked = await charge(of.at, of.binding, of.link)
  await of.running.connector.settle()
  return { ...of, asked, calls: () => of.bank.callsOf(bank.charge).length }
}

let charges = 0

/** The data of a `payment.charge` of a bound account, for a code of the same site. */
export function chargeData(
  at: Surroundings,
  { siteId, bindingUid, bindingReference }: Bound,
  link: { qrcId: string; reference: string },
  changes: object = {},
) {
  charges++
  return {
    ...{ siteId, qrcId: link.qrcId, reference: link.reference, bindingUid, bindingReference, amount: PRICE },
    ...{ paymentUid: `CHARGE${charges}`, paymentPurpose: 'Tea' },
    expiresOn: new Date(at.clock.now + HOUR).toISOString(),
    ...changes,
  }
}

/** Asks for a charge as the service does. */
export async function charge(...request: Parameters<typeof chargeData>) {
  const [at] = request
  const data = chargeData(...request)
  const givenAt = at.clock.now
  const again = () => at.service.instruct('payment.charge', data, givenAt)
  const { status } = await again()
  if (status !== 202) throw new Error(`the charge got ${status}`)
  return { ...data, again, result: () => at.service.site(data.siteId).payments.get(data.paymentUid) }
}

/** A charge that is asked for on one disk, which is lost; another one begins, and the service's list has the charge. */
export async function onNewDisk(bank: BindingBank, isSent: boolean) {
  const { at, running, asked, calls } = await charged(bank, (of) => {
    if (!isSent) of.bank.fail(bank.state, { status: 502 }, 9)
    of.at.service.failures.push(...Array<number>(99).fill(500))
  })
  at.service.failures.length = 0
  await running.loseDisk()
  at.service.charges = [{ ...asked, createdOn: new Date(at.clock.now).toISOString() }]
  bank.of(at).heal()
  at.clock.now += MINUTE
  return { at, running: await start(at), asked, calls }
}

export const deleteToken = (
  { service, clock }: Surroundings,
  { siteId, qrcId, bindingUid, bindingReference }: Bound,
) => service.instruct('token.delete', { siteId, qrcId, bindingUid, bindingReference }, clock.now)

/** Whether the connector's database has the text anywhere, in its log of writes too. */
export const isOnDisk = ({ directory }: Surroundings, text: string): boolean =>
  ['connector.sqlite', 'connector.sqlite-wal'].some((name) =>
    readFileSync(join(directory, name)).includes(text),
  )
