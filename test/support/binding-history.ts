// One history of bound accounts at a site and its bank: random steps of a seed.
import type { BankDeployment, Merchant } from './bank-deployment.ts'
import { Misbehaviour, moodOf } from './banks/misbehaviour.ts'
import { type BindingBank, bindingBankOf } from './binding-bank.ts'
import { type Asked, orderOf, problemsOf, waitingOf } from './binding-claims.ts'
import { BindingMerchant, type Charge, type Code } from './binding-merchant.ts'
import type { Held } from './held.ts'
import { type Random, randomOf } from './random.ts'
import type { TestBank } from './test-banks.ts'

const POLL_MS = 50

/** The calls whose answer has the link, and is all that names the request. */
const REGISTERS = /^(?:AddAccountQr|GetQr|subscribe|register) /

/** What the connector could not report. */
const NOT_TAKEN = `SELECT path || ' ' || body || ': ' || answer AS report FROM reports WHERE site = :site AND state = 'PENDING'`

const ORDERS = `SELECT group_concat(bank_order) FROM charges
  WHERE charges.site = bindings.site AND charges.binding_uid = bindings.binding_uid`
/** A row where the connector has the end of a binding, with the orders that had begun, and those that it could still begin. */
const ENDED = `SELECT (${ORDERS} AND state <> 'QUEUED') AS begun,
    coalesce((${ORDERS} AND state = 'QUEUED' AND sent_at IS NULL), '') AS unsent
  FROM bindings WHERE site = :site AND request = :request AND state = 'DELETED'`

/** What the connector has of charges, and what became of their reports. */
const CHARGES = `SELECT charges.*, reports.state AS reported, answer FROM charges
  LEFT JOIN reports ON reports.site = charges.site AND path = 'qrCodes/' || qrc_id || '/payments/' || payment_uid WHERE charges.site = :site`

/** What the connector has reported as declined. */
const DECLINED = "SELECT bank_order AS bankOrder FROM charges WHERE site = :site AND state = 'DECLINED'"

/** Whether the connector decided to send a charge when its time was over. */
const LATE = 'SELECT sent_at >= expires_at AS late FROM charges WHERE site = :site AND bank_order = :order'

const WEIGHTS = {
  ...{ bind: 2, 'pay and bind': 1, consent: 4, unbind: 1, charge: 7, 'charge again': 3 },
  ...{ delete: 1, refund: 2, scan: 1 },
} as const
type Step = keyof typeof WEIGHTS

/** The steps of the first rounds: so each history has something to charge. */
const OPENING: Step[][] = [
  ['bind', 'consent', 'pay and bind', 'consent'],
  ['charge', 'charge', 'refund'],
]

export class BindingHistory {
  readonly seed: number
  readonly siteId: string
  readonly bank: TestBank
  readonly bound: BindingBank
  readonly #merchant: Merchant
  readonly #shop: BindingMerchant
  readonly #random: Random
  readonly #misbehaviour: Misbehaviour
  readonly #asking: Code[] = []
  readonly #payable: Code[] = []
  readonly #charges: Charge[] = []
  readonly #refunds: { paymentUid: string; refundUid: string }[] = []
  readonly #deletions: Asked['deletions'][number][] = []
  readonly #sent: Asked['sent'][number][] = []
  readonly #canForget: boolean
  readonly #connector: BankDeployment['connector']
  readonly #done: string[] = []
  #uids = 0

  /** @param canForget whether both disks are lost: then the bank answers all questions, because nobody else can */
  constructor(
    deployment: BankDeployment,
    { siteId, seed, canForget }: { siteId: string; seed: number; canForget: boolean },
  ) {
    this.seed = seed
    this.#canForget = canForget
    this.#connector = deployment.connector
    this.siteId = siteId
    this.bank = deployment.bankOf(siteId)
    this.bound = bindingBankOf(this.bank)
    this.#merchant = deployment.merchant(siteId)
    this.#shop = new BindingMerchant(this.#merchant)
    this.#random = randomOf(seed)
    this.#misbehaviour = new Misbehaviour(this.#random)
    this.bank.fake.misbehaviour = this.#misbehaviour
    this.bound.onCharge((order) => {
      const [row] = this.#connector.read(LATE, { site: siteId, order })
      this.#sent.push({ order, deletions: this.#deletions.length, isLate: row?.late === 1 })
    })
  }

  get counts() {
    const made = this.bound.made().length
    return {
      ...{
        charges: this.#charges.length,
        made,
        refunds: this.#refunds.length,
        deletions: this.#deletions.length,
      },
      troubles: this.bank.fake.troubles.length,
    }
  }

  /** The bank's mood of a round, and what it makes of charges. */
  begin(index: number): void {
    const random = this.#random
    const mood = index < OPENING.length && random.chance(0.7) ? undefined : moodOf(random)
    this.#misbehaviour.mood = mood && this.#canForget ? { ...mood, of: 'writes' } : mood
    this.#note(`round ${index}`, this.#misbehaviour.mood ?? 'well', this.bound.chooseResult(random))
  }

  /** The bank is well for ever, and decides what is in progress. */
  async heal(): Promise<void> {
    this.#misbehaviour.mood = undefined
    await this.bound.decide(this.#random)
  }

  /** A step at random, but for the first rounds. */
  async act(round: number, index: number): Promise<void> {
    await this.take(OPENING[round]?.[index] ?? this.#random.weighted<Step>(WEIGHTS))
  }

  async take(step: Step): Promise<void> {
    const answer = await this.#carryOut(step).catch((error: unknown) => `no answer: ${String(error)}`)
    this.#note(step, answer)
  }

  /** Charges an account, and often lets it go, while the bank keeps back what it is asked first. @returns the bank answers */
  async chargeSlowly(): Promise<() => void> {
    this.#misbehaviour.mood = undefined
    const { isAsked, answer } = this.bound.keepBack()
    this.#note('charge slowly', await this.#carryOut('charge').catch(String))
    for (let poll = 0; poll < 60 && !isAsked(); poll++) await sleep()
    this.#note(isAsked() ? 'the bank is asked' : 'the bank is not asked')
    if (this.#random.chance(0.5)) this.#note('delete', await this.#delete().catch(String))
    return answer
  }

  async #carryOut(step: Step): Promise<unknown> {
    switch (step) {
      case 'bind':
      case 'pay and bind':
        return this.#ask(step === 'bind')
      case 'consent':
      case 'unbind':
        return this.#answer(step === 'consent' && this.#random.chance(0.85))
      case 'charge': {
        const token = await this.#token()
        if (!token) return this.#ask(true)
        const charge: Charge = { uid: `charge-${this.#uids++}`, token: token.value, paymentUid: undefined }
        this.#charges.push(charge)
        return this.#askCharge(charge)
      }
      case 'charge again': {
        const charge = pick(this.#random, this.#charges)
        return charge && this.#askCharge(charge)
      }
      case 'delete':
        return this.#delete()
      case 'refund':
        return this.#refund()
      case 'scan': {
        const code = pick(this.#random, this.#payable)
        const isOpen = code !== undefined && this.bank.isPayable(code.qrcId)
        if (isOpen) await this.bank.pay(code.qrcId, { times: this.#random.below(2) })
        return isOpen
      }
    }
  }

  async #ask(isAlone: boolean): Promise<unknown> {
    const code = await this.#shop.bind(`token-${this.#uids++}`, isAlone)
    if (typeof code === 'string') return code
    this.#asking.push(code)
    if (!isAlone) this.#payable.push(code)
    return code
  }

  /** The customer answers, or ends what was bound. The bank's notification can be lost. */
  async #answer(isGiven: boolean): Promise<unknown> {
    const code = this.#random.chance(0.6) ? this.#asking.at(-1) : pick(this.#random, this.#asking)
    if (!code) return 'no code'
    if (this.bound.hasEnded(code.qrcId) && this.#random.chance(0.7)) return 'it has ended'
    await this.bound.consent(code.qrcId, isGiven, this.#random.below(3)).catch(() => {})
    // The merchant of a customer who has just agreed waits a little for the token.
    for (let poll = 0; isGiven && poll < 10 && (await this.#shop.tokenOf(code)) === undefined; poll++)
      await sleep()
    return isGiven
  }

  /** A token that the merchant has. */
  async #token(): Promise<{ value: string; qrcId: string } | undefined> {
    for (const code of this.#asking.toReversed()) {
      const value = await this.#shop.tokenOf(code)
      if (value !== undefined) return { value, qrcId: code.qrcId }
    }
  }

  /** The whole of it can be repeated. */
  async #askCharge(charge: Charge): Promise<unknown> {
    const asked = await this.#shop.charge(charge)
    if (typeof asked === 'string') return asked
    const { code, answer } = asked
    if (code.qrcId !== '' && !this.#payable.some(({ qrcId }) => qrcId === code.qrcId))
      this.#payable.push(code)
    return answer
  }

  /** A merchant that has lost its answers asks for everything again. */
  async repeatCharges(): Promise<void> {
    for (const charge of this.#charges) await this.#askCharge(charge).catch(() => {})
  }

  async #delete(): Promise<unknown> {
    const token = await this.#token()
    if (!token) return 'no token'
    const fault = await this.#shop.delete(token.value)
    if (fault !== undefined) return fault
    const request = this.bound.requestOf(token.qrcId)
    for (let poll = 0; poll < 40; poll++) {
      const [row] = this.#connector.read(ENDED, { site: this.siteId, request })
      if (row) {
        const { begun, unsent } = row
        this.#deletions.push({ token: token.value, begun: String(begun), unsent: String(unsent) })
        return `${request} deleted`
      }
      await sleep()
    }
    return `${request} is not deleted at the connector yet`
  }

  async #refund(): Promise<unknown> {
    const made = new Set(this.bound.made().map(({ order }) => order))
    const charge = pick(
      this.#random,
      this.#charges.filter((each) => made.has(orderOf(this.siteId, each.paymentUid ?? ''))),
    )
    if (charge?.paymentUid === undefined) return 'no charge'
    const { paymentUid } = charge
    const refundUid = `${this.siteId}-refund-${this.#uids++}`
    const { status } = await this.#merchant.refund(paymentUid, refundUid, 10)
    if (status === 200) this.#refunds.push({ paymentUid, refundUid })
    return `${refundUid} of ${paymentUid} ${status}`
  }

  /** What the operator decides by the bank's console. @returns the options of `settle` */
  async decision({ paymentUid, refundUid, amount }: Held): Promise<string[]> {
    const order = orderOf(this.siteId, paymentUid)
    const made = this.bound.made().find((charge) => charge.order === order)
    const as = (isDone: boolean) => ['--site', this.siteId, '--as', isDone ? 'completed' : 'declined']
    const number = made?.number === undefined ? [] : ['--number', made.number]
    if (refundUid === null) return [...as(made !== undefined), '--charge', paymentUid, ...number]
    // Given back, and nobody was told.
    const rest = (made?.refunded ?? 0) - (await this.#merchant.payment(paymentUid)).refunded
    return [...as(rest >= amount), '--payment', paymentUid, '--refund', refundUid]
  }

  /** The charges that the connector has reported as declined, and the bank has made: a webhook can correct it, but too late. */
  contradictions(): string[] {
    const declined = this.#connector.read(DECLINED, { site: this.siteId }).map(({ bankOrder }) => bankOrder)
    return this.bound
      .made()
      .filter(({ order }) => declined.includes(order))
      .map(({ order }) => `${this.siteId}: charge ${order} is declined, and made`)
  }

  /** The uids of charges and refunds that the service has accepted, and that wait. */
  waiting(): Promise<string[]> {
    return waitingOf(this.#merchant, this.#asked)
  }

  /** What is wrong now that everything is at rest. Then the history ends with what the connector has of the charges concerned. */
  async problems(): Promise<string[]> {
    const problems = await problemsOf(this.#merchant, this.#asked)
    if (problems.length === 0) return problems
    for (const row of this.#connector.read(CHARGES, { site: this.siteId }))
      if (problems.some((each) => each.includes(String(row.payment_uid)))) this.#note('at the connector', row)
    return problems
  }

  get #asked(): Asked {
    const { siteId, bound } = this
    const asked = { charges: this.#charges, refunds: this.#refunds, codes: this.#asking }
    const reports = this.#connector.read(NOT_TAKEN, { site: siteId }).map(({ report }) => String(report))
    return {
      siteId,
      bound,
      ...asked,
      reports,
      deletions: this.#deletions,
      sent: this.#sent,
      canForget: this.#canForget,
      isMisnamed: (qrcId) =>
        this.bank.fake.troubles.some(
          (each) => REGISTERS.test(each) && each.includes(qrcId) && !each.includes(bound.requestOf(qrcId)),
        ),
    }
  }

  /** What happened, for a person. */
  toString(): string {
    return [`history SEED=${this.seed} HISTORIES=1, ${this.siteId}`, ...this.#done].join('\n')
  }

  #note(...what: unknown[]): void {
    this.#done.push(what.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(' '))
  }
}

const sleep = () => new Promise((resolve) => setTimeout(resolve, POLL_MS))

const pick = <T>(random: Random, values: readonly T[]): T | undefined =>
  values.length === 0 ? undefined : values[random.below(values.length)]
