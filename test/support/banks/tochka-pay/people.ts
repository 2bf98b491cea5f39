// What payers, customers and the bank do at the fake Pay Gateway without any call, and the webhooks that tell of it.
import { randomUUID } from 'node:crypto'
import { type Delivery, FakeBank } from '../fake-bank.ts'
import { PayCodes } from './codes.ts'
import { MERCHANT_KEY, PayKeys } from './keys.ts'
import { PayLedger } from './ledger.ts'
import {
  type Code,
  decisionShape,
  type Method,
  type Payment,
  paymentShape,
  type Refund,
  type Result,
  refundedOf,
  refundShape,
  type Tokenization,
} from './records.ts'
import { type PayEvent, PayWebhooks } from './webhooks.ts'

/** Kopecks that a payer types at a static code without an amount. */
const TYPED = 10_000

interface PayOptions extends Delivery {
  status?: Result
  method?: Method
  /** Of a static code without an amount. */
  amount?: number
}

export abstract class PayPeople extends FakeBank {
  siteUid = 'site-1'
  readonly jwt = 'a-jwt-of-pay-gateway'
  readonly privateKey = MERCHANT_KEY
  readonly keys = new PayKeys()
  readonly codes = new PayCodes(() => this.now())
  readonly ledger = new PayLedger(() => this.now())
  readonly webhooks = new PayWebhooks(this.keys, (post, delivery) => this.post(post, delivery))
  /** Whether a payment is told as WAITING before it is told as completed. */
  tellsWaiting = false

  /** The bank's key, which credentials pin. */
  get webhookKey() {
    return this.keys.published
  }

  /** Kopecks that have left the merchant's account. */
  get refundedSum(): number {
    return this.ledger.payments.reduce((sum, payment) => sum + refundedOf(payment), 0)
  }

  /** The sales of other programs that a call has ended without asking. */
  get wronglyEnded(): string[] {
    return Array.from(this.codes.sales.values()).flatMap(({ wronglyEnded }) => wronglyEnded)
  }

  code(qrcId: string): Code {
    const code = this.codes.all.get(qrcId)
    if (!code) throw new Error(`no code ${qrcId}`)
    return code
  }

  tokenization(qrcId: string): Tokenization {
    const { tokenization } = this.code(qrcId)
    if (!tokenization) throw new Error(`${qrcId} binds no account`)
    return tokenization
  }

  /** A payer pays, or tries to. The answer of the webhook is awaited. @returns paymentUid */
  async pay(qrcId: string, { status, method, amount, ...delivery }: PayOptions = {}): Promise<string> {
    const { payment, events } = this.paid(this.code(qrcId), status, method, amount)
    await this.webhooks.send(events, delivery)
    return payment.paymentUid
  }

  /** A payment or a charge ends that was in progress, or that only seemed to be declined. */
  async finish(paymentUid: string, result: Result, delivery: Delivery = {}): Promise<void> {
    const payment = this.ledger.payment(paymentUid)
    this.ledger.settle(payment, result)
    this.#endSale(payment)
    await this.webhooks.send([this.paymentUpdated(payment)], delivery)
  }

  /** A refund ends in the same way. */
  async finishRefund(refundUid: string, result: Result, delivery: Delivery = {}): Promise<void> {
    const { payment, refund } = this.ledger.refund(refundUid)
    this.ledger.settle(refund, result)
    await this.webhooks.send([this.refundUpdated(payment, refund)], delivery)
  }

  /** A refund in the bank's console. */
  async refundInConsole(paymentUid: string, amount: number, delivery: Delivery = {}): Promise<void> {
    const payment = this.ledger.payment(paymentUid)
    const refund = this.ledger.give(payment, { refundUid: randomUUID(), amount })
    await this.webhooks.send([this.refundUpdated(payment, refund)], delivery)
  }

  /** The customer answers to the request to bind an account. @returns the id of the request */
  async consent(qrcId: string, isGiven: boolean, delivery: Delivery = {}): Promise<string> {
    await this.webhooks.send([this.decided(this.code(qrcId), isGiven)], delivery)
    return qrcId
  }

  /** The customer ends at the bank of the account what is bound: no webhook and no call tells of it. */
  endBinding(qrcId: string): void {
    this.tokenization(qrcId).isOver = true
  }

  /** All webhooks of a payment, a refund or a code, as they were signed. */
  async deliver(id: string, delivery: Delivery = {}): Promise<void> {
    await this.webhooks.send(this.webhooks.of(id), delivery)
  }

  protected paid(
    code: Code,
    result: Result = 'COMPLETED',
    method: Method = 'SBP',
    typed = TYPED,
  ): { payment: Payment; events: PayEvent[] } {
    const { qrcId, type, merchantQrcId, methods } = code
    const sale = type === 'COUNTER' ? this.codes.salesOf(qrcId).open : undefined
    if (type === 'COUNTER' && !sale) throw new Error(`there is no sale at ${qrcId}`)
    if (!methods.includes(method)) throw new Error(`${qrcId} takes no ${method}`)
    const { callbackUrl, metadata, scenarios } = sale ?? code
    const payment = this.ledger.add(
      {
        ...{ paymentUid: randomUUID(), amount: sale?.amount ?? code.amount ?? typed, qrcId, merchantQrcId },
        ...{ activationUid: sale?.activationUid, type: sale ? `${method}_CASH_REGISTER_QRC` : method },
        ...{ orderUid: undefined, comment: undefined, metadata, callbackUrl, scenarios },
        isTest: this.codes.isTest,
      },
      this.tellsWaiting ? 'WAITING' : result,
    )
    code.payments.push(payment)
    const events = [this.paymentUpdated(payment)]
    if (this.tellsWaiting && result !== 'WAITING') {
      this.ledger.settle(payment, result)
      events.push(this.paymentUpdated(payment))
    }
    this.#endSale(payment)
    return { payment, events }
  }

  protected decided(code: Code, isGiven: boolean): PayEvent {
    const { qrcId, callbackUrl } = code
    this.tokenization(qrcId).state = isGiven ? 'ACCEPTED' : 'REJECTED'
    const event = isGiven ? 'sbp-token-issued' : 'sbp-token-declined'
    return this.#made({ event, id: qrcId, qrcId, callbackUrl }, decisionShape(code))
  }

  protected paymentUpdated(payment: Payment): PayEvent {
    const { paymentUid: id, qrcId, callbackUrl } = payment
    return this.#made({ event: 'payment-updated', id, qrcId, callbackUrl }, paymentShape(payment))
  }

  protected refundUpdated(payment: Payment, refund: Refund): PayEvent {
    const { qrcId, paymentUid } = payment
    const event = { event: 'refund-updated', id: refund.refundUid, qrcId } as const
    const payload = refundShape(payment, refund)
    return this.#made({ ...event, callbackUrl: refund.callbackUrl }, payload, { paymentUid })
  }

  #made(event: Omit<PayEvent, 'jwt'>, payload: object, more: object = {}): PayEvent {
    const createdAt = new Date(this.now()).toISOString()
    return this.webhooks.make(event, payload, { siteUid: this.siteUid, createdAt, ...more })
  }

  /** A sale that is paid is over. */
  #endSale({ status, qrcId, activationUid }: Payment): void {
    const sales = this.codes.sales.get(qrcId)
    const isPaid = status.value === 'COMPLETED' && activationUid !== undefined
    if (isPaid && sales?.current?.activationUid === activationUid) sales.current = undefined
  }
}
