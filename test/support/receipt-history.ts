// One history of a site whose payments have receipts: random steps of a seed, and what must be true when everything has come to rest.
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { lineAmount } from '../../src/contract/receipts/item.ts'
import type { BankDeployment, Merchant } from './bank-deployment.ts'
import { Misbehaviour, moodOf } from './banks/misbehaviour.ts'
import { qrcIdIn } from './binding-merchant.ts'
import { type Random, randomOf } from './random.ts'
import { problemsOf } from './receipt-claims.ts'
import type { TestBank } from './test-banks.ts'
import type { TestRegister } from './test-registers.ts'

const WEIGHTS = {
  ...{ create: 4, pay: 6, refund: 4, close: 4, retry: 3, repeat: 1 },
  ...{ callback: 2, 'forged callback': 1, 'tokens end': 1 },
} as const
type Step = keyof typeof WEIGHTS

/** A killed connector is up again after less. */
const MAX_RETRIES = 4
const RETRY_MS = 500

/** The steps of the first rounds: so each history has something to make receipts of. */
const OPENING: Step[][] = [
  ['create', 'create', 'create', 'pay', 'pay'],
  ['pay', 'close', 'refund', 'close', 'callback'],
]

/** A document as the service answers with it. */
const Document = z.object({
  receiptUid: z.string(),
  kind: z.enum(['sale', 'refund', 'closing']),
  state: z.enum(['WAITING', 'SENT', 'REGISTERED', 'FAILED']),
  paymentId: z.string(),
  refundId: z.string().optional(),
  closingUid: z.string().optional(),
  amount: z.object({ value: z.string() }),
  createdOn: z.string(),
  waitsFor: z.string().optional(),
  held: z.string().optional(),
  fiscal: z.object({ fd: z.string().optional() }).optional(),
  error: z.object({ reason: z.string(), canRetry: z.boolean() }).optional(),
})
export type Document = z.output<typeof Document>
const Page = z.object({ receipts: z.array(Document), nextCursor: z.string().optional() })

/** What the connector has of documents, and what became of their reports. */
const AT_CONNECTOR = `SELECT receipt_uid, receipts.state, note, reason, receipts.rests, receipts.due_at, sent_at, receipts.attempts, body, reports.state AS reported, answer
  FROM receipts LEFT JOIN reports ON reports.site = receipts.site AND path LIKE '%/receipts/' || receipt_uid
  WHERE receipts.site = :site`

interface Code {
  uid: string
  /** The request: a repeat is the same. */
  body: object
  qrcId: string
  /** Roubles. */
  value: number
}

export class ReceiptHistory {
  readonly seed: number
  readonly siteId: string
  readonly bank: TestBank
  readonly register: TestRegister
  readonly merchant: Merchant
  readonly #random: Random
  readonly #misbehaviour: Misbehaviour
  readonly #connector: BankDeployment['connector']
  readonly #codes: Code[] = []
  readonly #done: string[] = []
  #uids = 0
  /** The closings that the service accepted. */
  readonly #closings = new Map<string, { paymentId: string; closingUid: string }>()

  constructor(
    deployment: BankDeployment,
    { siteId, seed, register }: { siteId: string; seed: number; register: TestRegister },
  ) {
    this.seed = seed
    this.siteId = siteId
    this.bank = deployment.bankOf(siteId)
    this.register = register
    this.merchant = deployment.merchant(siteId)
    this.#connector = deployment.connector
    this.#random = randomOf(seed)
    this.#misbehaviour = new Misbehaviour(this.#random)
    this.register.fake.misbehaviour = this.#misbehaviour
  }

  get closings(): { paymentId: string; closingUid: string }[] {
    return Array.from(this.#closings.values())
  }

  /** What there is in the end. */
  async counts(): Promise<Record<string, number>> {
    const documents = await this.documents()
    const count = (is: (document: Document) => boolean) => documents.filter(is).length
    const registered = (kind: Document['kind']) =>
      count((each) => each.kind === kind && each.state === 'REGISTERED')
    return {
      codes: this.#codes.length,
      ...{ sales: registered('sale'), refunds: registered('refund'), closings: registered('closing') },
      failed: count(({ state }) => state === 'FAILED'),
      held: count(({ held }) => held !== undefined),
      waiting: count(({ waitsFor }) => waitsFor !== undefined),
      troubles: this.register.fake.troubles.length,
    }
  }

  /** What the register is like in a round, and how it takes documents. */
  begin(index: number): void {
    const random = this.#random
    this.#misbehaviour.mood = index === 0 && random.chance(0.5) ? undefined : moodOf(random)
    const mood = this.#misbehaviour.mood ?? 'well'
    this.#note(`round ${index}`, mood, this.register.misbehave(random))
  }

  /** The register is well for ever. */
  heal(): void {
    this.#misbehaviour.mood = undefined
    this.register.heal()
  }

  async act(round: number, index: number): Promise<void> {
    const step = OPENING[round]?.[index] ?? this.#random.weighted<Step>(WEIGHTS)
    const answer = await this.#carryOut(step).catch((error: unknown) => `no answer: ${String(error)}`)
    this.#note(step, answer ?? '')
  }

  async #carryOut(step: Step): Promise<unknown> {
    switch (step) {
      case 'create':
        return this.#create()
      case 'pay':
        return this.#pay()
      case 'refund':
        return this.#refund()
      case 'close':
        return this.#close()
      case 'retry':
        return this.retryAll(this.#random.chance(0.5))
      case 'repeat':
        return this.repeatCreates()
      case 'tokens end':
        return this.register.endTokens()
      case 'callback':
      case 'forged callback':
        return this.register.callBack(this.#random, step === 'callback')
    }
  }

  async #create(): Promise<unknown> {
    const random = this.#random
    const uid = `uid-${this.#uids++}`
    const { methods, needsContact } = this.register
    const method = random.pick(methods)
    const items = Array.from({ length: 1 + random.below(4) }, (_, i) => {
      const [price, quantity] = [1 + random.below(50_000), 1 + random.below(20) * 50]
      const amount = lineAmount(price, quantity)
      const text = { price: (price / 100).toFixed(2), quantity: String(quantity / 1000) }
      return {
        item: { name: `Чай ${i}`, ...text, vat: random.pick(['22', '10', 'none'] as const), method },
        amount,
      }
    })
    const kopecks = items.reduce((sum, { amount }) => sum + amount, 0)
    if (kopecks === 0) return 'nothing is sold'
    const contact = random.chance(needsContact ? 1 : 0.9)
      ? { contact: { email: `buyer-${this.#uids}@mail.example` } }
      : {}
    // Without one, the settings say what the receipt has, and it waits for a contact in vain.
    const receipt = random.chance(needsContact ? 1 : 0.9)
      ? { receipt: { ...contact, items: items.map(({ item }) => item) } }
      : {}
    const value = kopecks / 100
    const body = { amount: { value }, ...receipt }
    const answer = await this.#created(uid, body)
    if (answer.status === 200) this.#codes.push({ uid, body, qrcId: qrcIdIn(answer.text), value })
    return `${uid} ${answer.status} ${answer.status === 200 ? '' : answer.text}`
  }

  /** A merchant sends a request again that had 503: the connector may be killed just now. */
  async #created(uid: string, body: object) {
    let answer = await this.merchant.create(uid, body)
    for (let retries = 0; retries < MAX_RETRIES && answer.status === 503; retries++) {
      await sleep(RETRY_MS)
      answer = await this.merchant.create(uid, body)
    }
    return answer
  }

  /** A merchant whose service was restored asks for everything again. */
  async repeatCreates(): Promise<void> {
    for (const { uid, body } of this.#codes) await this.merchant.create(uid, body).catch(() => {})
  }

  /** The same of closings. One that is refused now, because its payment or what it closed is not there, is accepted no more. */
  async repeatClosings(): Promise<void> {
    for (const closing of this.closings) await this.#putClosing(closing)
  }

  async #pay(): Promise<unknown> {
    const payable = this.#codes.filter(({ qrcId }) => this.bank.isPayable(qrcId))
    const code = pick(this.#random, payable)
    if (!code) return 'nothing can be paid'
    await this.bank.pay(code.qrcId, { times: this.#random.pick([0, 1, 1, 2]) })
    return code.qrcId
  }

  async #refund(): Promise<unknown> {
    const payment = pick(this.#random, this.bank.ledger())
    if (!payment) return 'nothing is paid'
    const { paymentUid, paid, refunded } = payment
    const kopecks = this.#random.chance(0.4) ? paid - refunded : 1 + this.#random.below(paid)
    const refundUid = `refund-${this.#uids++}`
    const { status } = await this.merchant.refund(paymentUid, refundUid, kopecks / 100)
    return `${refundUid} of ${paymentUid}: ${kopecks} of ${paid}: ${status}`
  }

  async #close(): Promise<unknown> {
    const payment = pick(this.#random, this.bank.ledger())
    if (!payment) return 'nothing is paid'
    return this.#putClosing({ paymentId: payment.paymentUid, closingUid: `closing-${this.#uids++}` })
  }

  async #putClosing(closing: { paymentId: string; closingUid: string }): Promise<string> {
    const path = `/payments/${closing.paymentId}/receipts/${closing.closingUid}`
    const { status, text } = await this.merchant.ask(path, { method: 'PUT', body: { kind: 'closing' } })
    if (status === 200) this.#closings.set(path, closing)
    else this.#closings.delete(path)
    return `${path} ${status} ${status === 200 ? '' : text}`
  }

  /** The merchant has another attempt made of what failed, with a contact where there was none. */
  async retryAll(isAll = true): Promise<string[]> {
    const answers: string[] = []
    for (const { receiptUid, error } of await this.documents()) {
      if (!error?.canRetry || (!isAll && this.#random.chance(0.5))) continue
      const body = error.reason === 'noContact' ? { receipt: { contact: this.register.laterContact } } : {}
      const { status } = await this.merchant.ask(`/receipts/${receiptUid}/retry`, { body })
      answers.push(`${receiptUid} ${status}`)
    }
    return answers
  }

  /** All documents of the site, also those that failed. */
  async documents(): Promise<Document[]> {
    const documents: Document[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { status, text } = await this.merchant.ask(`/receipts?limit=100${cursor && `&cursor=${cursor}`}`)
      if (status !== 200) throw new Error(`${status} ${text}`)
      const page = Page.parse(JSON.parse(text))
      documents.push(...page.receipts)
      cursor = page.nextCursor
    }
    return documents
  }

  /** What is wrong now that everything is at rest. */
  async problems(): Promise<string[]> {
    const [documents, results] = [await this.documents(), await this.merchant.refundResults()]
    const completed = await this.merchant.refundResults(['refund.completed'])
    const problems = [
      ...problemsOf(this, documents, { feed: await this.merchant.feed(), results, completed }),
      ...this.register.violations().map((violation) => `at the register: ${violation}`),
    ]
    if (problems.length === 0) return problems
    for (const row of this.#connector.read(AT_CONNECTOR, { site: this.siteId }))
      this.#note('at the connector', row)
    for (const document of documents) this.#note('at the service', document)
    return problems
  }

  /** What happened, for a person. */
  toString(): string {
    return [
      `history SEED=${this.seed} HISTORIES=1, ${this.siteId} at ${this.bank.kind} with ${this.register.stated.kind}`,
      ...this.#done,
    ].join('\n')
  }

  #note(...what: unknown[]): void {
    const time = new Date(this.register.fake.now()).toISOString()
    this.#done.push(
      `${time} ${what.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(' ')}`,
    )
  }
}

const pick = <T>(random: Random, values: readonly T[]): T | undefined =>
  values.length === 0 ? undefined : values[random.below(values.length)]
