// One history of a site and its bank: random steps of a seed, and what must be true when everything has come to rest.

import * as z from 'zod'
import type { BankDeployment, Merchant } from './bank-deployment.ts'
import type { AskedRefund } from './bank-settling.ts'
import { Misbehaviour, type Mood, moodOf, troubleOf } from './banks/misbehaviour.ts'
import { qrcIdIn } from './binding-merchant.ts'
import { type Random, randomOf } from './random.ts'
import type { TestBank } from './test-banks.ts'

type Step =
  | { do: 'create'; type: 'DYNAMIC' | 'STATIC' | 'COUNTER'; ttl: number }
  | { do: 'pay'; code: number; webhook: 'once' | 'twice' | 'late' | 'lost' }
  | { do: 'refund'; payment: number; value: number }
  | { do: 'refund again'; refund: number }
  | { do: 'cancel' | 'sell' | 'sell elsewhere' | 'cancel sale'; code: number }
  | { do: 'deliver' }
  | { do: 'refunds end'; isRefunded: boolean }

/** What happens between two steps of the clock. */
interface Round {
  mood: Mood | undefined
  isRefundSlow: boolean
  steps: Step[]
}

/** A payment costs so many roubles. */
const PRICE = 100
/** The round in which a history is at rest at the latest. */
export const ROUNDS = 8

const WEIGHTS = { create: 2, pay: 4, refund: 6, 'refund again': 1, cancel: 1, deliver: 1, 'refunds end': 1 }
const AT_COUNTERS = { sell: 2, 'cancel sale': 1 }
/** At a bank where one call ends whichever sale is current. */
const ELSEWHERE = { sell: 5, 'cancel sale': 4, 'sell elsewhere': 3 }

/** The weights of the codes that a bank has besides the dynamic ones. */
const PRINTED = {
  ...{ tochka: { STATIC: 1, COUNTER: 2 }, tbank: {}, raiffeisen: { STATIC: 2 } },
  'tochka-pay': { STATIC: 1, COUNTER: 3 },
} as const

/** @param reach of how many codes and payments a step chooses one */
function stepOf(
  random: Random,
  bank: TestBank['kind'],
  weights: Partial<Record<Step['do'], number>>,
  reach: number,
): Step {
  const code = random.below(reach)
  const what = random.weighted(weights)
  switch (what) {
    case 'create': {
      const printed = PRINTED[bank]
      const type = random.weighted<'DYNAMIC' | 'STATIC' | 'COUNTER'>({ DYNAMIC: 4, ...printed })
      return { do: what, type, ttl: random.pick([1, 5, 60, 4_320]) }
    }
    case 'pay':
      return { do: what, code, webhook: random.weighted({ once: 3, twice: 1, late: 1, lost: 2 }) }
    case 'refund':
      return { do: what, payment: random.below(reach), value: random.pick([30, 30, 50, 100]) }
    case 'refund again':
      return { do: what, refund: random.below(2 * reach) }
    case 'refunds end':
      return { do: what, isRefunded: random.chance(0.7) }
    case 'deliver':
      return { do: what }
    default:
      return { do: what, code }
  }
}

function roundsOf(random: Random, bank: TestBank['kind'], reach: number): Round[] {
  const sales = { tochka: AT_COUNTERS, tbank: {}, raiffeisen: {}, 'tochka-pay': ELSEWHERE }[bank]
  const weights = { ...WEIGHTS, ...sales }
  const pay = (): Step => ({
    do: 'pay',
    code: random.below(reach),
    webhook: random.pick(['once', 'lost']),
  })
  const opening: Step[][] = [
    [
      stepOf(random, bank, { create: 1 }, reach),
      { do: 'create', type: 'DYNAMIC', ttl: random.pick([5, 60]) },
    ],
    [pay(), pay()],
  ]
  if (bank === 'tochka-pay') {
    opening[0]?.push({ do: 'create', type: 'COUNTER', ttl: 5 })
    opening[1]?.push({ do: 'sell', code: 0 })
  }
  // Some banks say nothing of a code from its payment until it has ended.
  const outage: Mood | undefined = random.chance(0.25)
    ? { of: random.pick(['all', 'reads']), rate: 1, trouble: troubleOf(random) }
    : undefined
  const moodAt = (i: number): Mood | undefined => {
    if (i > 0 && outage) return outage
    // Most have something that can be paid from the beginning.
    return i < 2 && random.chance(0.7) ? undefined : moodOf(random)
  }
  return Array.from({ length: ROUNDS }, (_, i) => ({
    mood: moodAt(i),
    isRefundSlow: random.chance(0.15),
    steps:
      opening[i] ?? Array.from({ length: 1 + random.below(3) }, () => stepOf(random, bank, weights, reach)),
  }))
}

/** What the connector's disk has: the bank's ids of armings, and the webhooks that have led to a report. */
interface Processed {
  armings: ReadonlySet<string>
  webhooks: readonly string[]
}

const Id = z.object({ id: z.string() })

export function processedBy({ connector }: BankDeployment): Processed {
  const idsOf = (query: string) => connector.read(query).map((row) => Id.parse(row).id)
  const references = idsOf('SELECT reference AS id FROM sales WHERE reference IS NOT NULL')
  return {
    armings: new Set(references.map((reference) => reference.split(':').at(-1) ?? '')),
    webhooks: idsOf("SELECT id FROM webhooks WHERE state = 'DONE'"),
  }
}

interface Code {
  uid: string
  type: 'DYNAMIC' | 'STATIC' | 'COUNTER'
  ttl: number
  /** Undefined while the merchant has no answer. */
  qrcId: string | undefined
  isCancelled: boolean
  /** The answer by which the merchant has the word of the bank that it will never work. */
  refusal?: string
  sale?: string
}

export class History {
  readonly seed: number
  readonly siteId: string
  readonly bank: TestBank
  readonly rounds: readonly Round[]
  readonly #merchant: Merchant
  readonly #misbehaviour: Misbehaviour
  readonly #codes: Code[] = []
  /** The refunds that the service has accepted. */
  readonly refunds: (AskedRefund & { value: number })[] = []
  readonly #late: string[] = []
  readonly #done: string[] = []
  #uids = 0

  /** @param days so many times its rounds follow each other; then a step chooses among all that there is */
  constructor(deployment: BankDeployment, siteId: string, seed: number, days = 1) {
    this.seed = seed
    this.siteId = siteId
    this.bank = deployment.bankOf(siteId)
    this.#merchant = deployment.merchant(siteId)
    const random = randomOf(seed)
    const reach = days > 1 ? Number.MAX_SAFE_INTEGER : 4
    this.rounds = Array.from({ length: days }, () => roundsOf(random, this.bank.kind, reach)).flat()
    this.#misbehaviour = new Misbehaviour(random)
    this.bank.fake.misbehaviour = this.#misbehaviour
  }

  /** The QR codes that the merchant was told of. */
  get acknowledged(): string[] {
    return this.#codes.filter(({ qrcId }) => qrcId !== undefined).map(({ uid }) => uid)
  }

  /** Those of them that end without any payment: retention deletes them. */
  get unpaid(): string[] {
    const paid = new Set(this.bank.ledger().map(({ qrcId }) => qrcId))
    return this.#codes
      .filter(({ type, qrcId }) => type === 'DYNAMIC' && qrcId !== undefined && !paid.has(qrcId))
      .map(({ uid }) => uid)
  }

  /** The bank's mood of the round; what the merchant has not been answered, it asks again. */
  begin({ mood, isRefundSlow }: Round): void {
    this.#misbehaviour.mood = mood
    this.bank.slowRefunds(isRefundSlow)
    this.#note('mood', mood ?? 'well', isRefundSlow ? 'slow refunds' : '')
  }

  /** The bank is well for ever. */
  async heal(): Promise<void> {
    this.begin({ mood: undefined, isRefundSlow: false, steps: [] })
    this.bank.finishRefunds(this.seed % 2 === 0)
    await this.#deliver()
  }

  /** @returns once the merchant or the payer has an answer, or knows that there is none */
  async act(step: Step): Promise<void> {
    this.#note(step)
    const troubles = this.bank.fake.troubles.length
    const answer = await this.#carryOut(step).catch((error: unknown) => `no answer: ${String(error)}`)
    this.#note('  →', answer ?? '', ...this.bank.fake.troubles.slice(troubles))
  }

  async #carryOut(step: Step): Promise<unknown> {
    switch (step.do) {
      case 'create': {
        const { ttl } = step
        const type = this.#hasRoomFor(step.type) ? step.type : 'DYNAMIC'
        const uid = `uid-${this.#uids++}`
        const code: Code = { uid, type, ttl, qrcId: undefined, isCancelled: false }
        this.#codes.push(code)
        return this.#create(code)
      }
      case 'pay':
        return this.#pay(step.code, step.webhook)
      case 'refund':
        return this.#refund(step.payment, step.value)
      case 'refund again': {
        const refund = at(this.refunds, step.refund)
        return refund && this.#askRefund(refund)
      }
      case 'deliver':
        return this.#deliver()
      case 'refunds end':
        return this.bank.finishRefunds(step.isRefunded)
      default:
        return this.#onCode(step.do, step.code)
    }
  }

  /** A merchant knows how many cashbox codes its bank gives it. */
  #hasRoomFor(type: Code['type']): boolean {
    const { maxCounters = Number.POSITIVE_INFINITY } = this.bank
    return type !== 'COUNTER' || this.#codes.filter((code) => code.type === 'COUNTER').length < maxCounters
  }

  async #create(code: Code): Promise<unknown> {
    const { uid, type, ttl } = code
    const amount = type === 'COUNTER' ? { amount: undefined } : {}
    const printed = { type, ttl: type === 'DYNAMIC' ? ttl : undefined }
    const answer = await this.#merchant.create(uid, amount, printed)
    if (answer.status === 200) code.qrcId = qrcIdIn(answer.text)
    else if (answer.status < 500) code.refusal = `${answer.status} ${answer.text}`
    return `${answer.status} ${code.qrcId ?? answer.text}`
  }

  /** Only a code that the merchant has shown is paid. */
  async #pay(index: number, webhook: 'once' | 'twice' | 'late' | 'lost'): Promise<unknown> {
    const payable = this.#codes.filter(({ qrcId }) => qrcId !== undefined && this.bank.isPayable(qrcId))
    const { qrcId } = at(payable, index) ?? {}
    if (qrcId === undefined) return 'there is nothing to pay'
    if (webhook === 'late') this.#late.push(qrcId)
    await this.bank.pay(qrcId, { times: { once: 1, twice: 2, late: 0, lost: 0 }[webhook] })
    return 'paid'
  }

  async #refund(index: number, value: number): Promise<unknown> {
    const payment = at(this.bank.ledger(), index)
    if (!payment) return 'nothing is paid'
    const { paymentUid } = payment
    const refundUid = `refund-${this.#uids++}`
    return this.#askRefund({ siteId: this.siteId, paymentUid, refundUid, value })
  }

  async #askRefund(refund: AskedRefund & { value: number }): Promise<unknown> {
    const { paymentUid, refundUid, value } = refund
    const { status, text } = await this.#merchant.refund(paymentUid, refundUid, value)
    if (status === 200 && !this.refunds.includes(refund)) this.refunds.push(refund)
    return `${refundUid} of ${paymentUid}: ${status} ${status === 200 ? '' : text}`
  }

  async #onCode(what: 'cancel' | 'sell' | 'sell elsewhere' | 'cancel sale', index: number): Promise<unknown> {
    const isPossible = ({ type, qrcId }: Code) =>
      qrcId !== undefined && (what === 'cancel' || type === 'COUNTER')
    const code = at(this.#codes.filter(isPossible), index)
    if (!code) return 'there is no such code'
    if (what === 'cancel') {
      const { status } = await this.#merchant.cancel(code.uid)
      if (status === 200) code.isCancelled = true
      return status
    }
    if (what === 'sell elsewhere') return this.bank.sellElsewhere?.(code.qrcId ?? '')
    // A webhook names the sum and not the sale: no two have the same.
    const value = PRICE + this.#uids
    if (what === 'sell') code.sale = `sale-${this.#uids++}`
    const path = `/sbp/qrCodes/${code.uid}/sales/${code.sale}`
    const call = what === 'sell' ? { method: 'PUT', body: { amount: { value } } } : { method: 'DELETE' }
    const { status, text } = await this.#merchant.ask(path, call)
    return `${status} ${text}`
  }

  async #deliver(): Promise<void> {
    for (const qrcId of this.#late.splice(0)) await this.bank.deliver(qrcId)
  }

  /** The merchant repeats the creates that got 503, as its contract says; the bank is well. @returns those that still get none */
  async createAgain(attempts = 3): Promise<string[]> {
    const open = this.#codes.filter(({ qrcId, refusal }) => qrcId === undefined && refusal === undefined)
    const answers = await Promise.all(open.map((code) => this.#create(code)))
    const failed = open.flatMap(({ uid, qrcId }, i) =>
      qrcId === undefined ? [`code ${uid} cannot be created again: ${answers[i]}`] : [],
    )
    // A register has nine seconds, which a busy machine can miss.
    return failed.length > 0 && attempts > 1 ? this.createAgain(attempts - 1) : failed
  }

  /** What the merchant was told of payments and refunds. */
  async told() {
    return { feed: await this.#merchant.feed(), results: await this.#merchant.refundResults() }
  }

  /**
   * The payments that the feed does not have, and that neither the connector's questions nor a webhook could tell of: its document
   * gives the bank no way to. @param reconciled what `reconcile` has printed after `told` was read
   */
  untold({ feed }: Told, reconciled: string, { armings, webhooks }: Processed): string[] {
    return this.bank
      .ledger()
      .filter(({ qrcId, paymentUid, lack }) => {
        if (feed.has(paymentUid) || !lack || webhooks.some((id) => id.endsWith(lack.webhook))) return false
        return lack.kind === 'unseen' || (!armings.has(paymentUid) && reconciled.includes(qrcId))
      })
      .map(({ paymentUid }) => paymentUid)
  }

  /** What is wrong now that everything is at rest. @param untold the payments that may be missing */
  problems({ feed, results }: Told, untold: readonly string[]): string[] {
    const ledger = this.bank.ledger()
    const uids = new Set(ledger.map(({ paymentUid }) => paymentUid))
    const canCancel = this.bank.kind === 'raiffeisen'
    return [
      ...ledger.flatMap(({ paymentUid, paid, refunded }) => {
        const told = feed.get(paymentUid)
        if (!told) return untold.includes(paymentUid) ? [] : [`payment ${paymentUid} is missing`]
        return [
          ...(told.paid === paid ? [] : [`payment ${paymentUid}: paid ${paid}, told ${told.paid}`]),
          ...(told.refunded === refunded
            ? []
            : [`payment ${paymentUid}: the bank gave back ${refunded}, told ${told.refunded}`]),
        ]
      }),
      ...Array.from(feed.keys())
        .filter((uid) => !uids.has(uid))
        .map((uid) => `payment ${uid} is not the bank's`),
      ...this.refunds
        .filter(({ paymentUid, refundUid }) => !results.has(`${paymentUid}/${refundUid}`))
        .map(({ paymentUid, refundUid }) => `refund ${refundUid} of ${paymentUid} has no result`),
      ...this.#codes
        .filter(({ qrcId, isCancelled }) => canCancel && isCancelled && this.bank.isPayable(qrcId ?? ''))
        .map(({ uid, qrcId }) => `code ${uid} (${qrcId}) is cancelled, and can be paid`),
      ...this.#codes
        .filter(({ refusal }) => refusal !== undefined)
        .map(({ uid, refusal }) => `code ${uid}: the merchant was told that it will never work: ${refusal}`),
      ...(this.bank.wronglyEnded?.() ?? []).map(
        (sale) => `the sale ${sale}, and was not the one that the call was for`,
      ),
    ]
  }

  /** What happened, for a person. */
  toString(): string {
    const ledger = this.bank.ledger().map((payment) => JSON.stringify(payment))
    return [
      `history SEED=${this.seed} HISTORIES=1, ${this.siteId} at ${this.bank.kind}`,
      ...this.#done,
      ...ledger,
    ].join('\n')
  }

  #note(...what: unknown[]): void {
    const time = new Date(this.bank.fake.now()).toISOString()
    this.#done.push(
      `${time} ${what.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(' ')}`,
    )
  }
}

type Told = Awaited<ReturnType<History['told']>>

const at = <T>(values: readonly T[], index: number): T | undefined => values[index % values.length]
