// A fake of Raiffeisenbank: dynamic and static codes, cancellation, refunds under the merchant's id, signed callbacks, subscriptions.
import { createHmac } from 'node:crypto'
import { type BankCall, type BankReply, type Delivery, FakeBank, linkId, payloadOf } from './fake-bank.ts'
import { FakeRaiffeisenRegister } from './raiffeisen-register.ts'

interface Payment {
  transactionId: number
  transactionDate: string
  status: 'SUCCESS' | 'DECLINED' | 'IN_PROGRESS'
  refunded: number
}

interface Code {
  qrId: string
  order: string
  isStatic: boolean
  amount: number
  createDate: string
  expiresAt: number
  isCancelled: boolean
  /** The latest of the payments: of a static code all of them count. */
  payment?: Payment
  payments: Payment[]
  refunded: number
}

/** A request to bind an account. */
interface Subscription {
  id: string
  qrId: string
  purpose: string
  status: 'INACTIVE' | 'SUBSCRIBED' | 'UNSUBSCRIBED'
}

interface Refund {
  amount: number
  order: string
  payment: Payment
  status: 'IN_PROGRESS' | 'COMPLETED' | 'DECLINED'
}

export class FakeRaiffeisen extends FakeBank {
  sbpMerchantId = 'MA0000000552'
  readonly secretKey = 'a-secret-of-raiffeisen'
  readonly codes = new Map<string, Code>()
  readonly refunds = new Map<string, Refund>()
  refundStatus: Refund['status'] = 'COMPLETED'
  callbackUrl: string | undefined
  readonly subscriptions = new Map<string, Subscription>()
  /** The charges that moved money, or may: the order of each, as often as it was executed. */
  readonly charged: { order: string; subscription: string }[] = []
  /** What becomes of the next charges: a status, or the code of a refusal. */
  chargeResult = 'SUCCESS'
  /** Whether payment-info does not have the payments yet. */
  hidePayments = false
  readonly register = new FakeRaiffeisenRegister(() => this.now())
  #last = 40

  /** A payer pays; a second payment of one link is possible here. @returns transactionId */
  async pay(
    qrId: string,
    { status = 'SUCCESS' as Payment['status'], ...delivery }: PayOptions = {},
  ): Promise<number> {
    const transactionId = ++this.#last
    const code = this.#code(qrId)
    // A callback names its payment by the time alone, so no two payments of a code are of one millisecond.
    const latest = Date.parse(code.payment?.transactionDate ?? '') || 0
    const transactionDate = this.#dateOf(Math.max(this.now(), latest + 1))
    code.payment = { transactionId, status, transactionDate, refunded: 0 }
    code.payments.push(code.payment)
    await this.deliver(qrId, delivery)
    return transactionId
  }

  /** The callback about the present payment; unsigned fields can be changed by anybody. */
  async deliver(qrId: string, delivery: Delivery = {}, changes: object = {}): Promise<void> {
    const { body, signature } = this.callbackOf(qrId)
    if (!this.callbackUrl) return
    // As text: the amount keeps its digits.
    const changed = Object.entries(changes).reduce(
      (text, [name, value]) =>
        text.replace(new RegExp(`"${name}":[^,}]+`), `"${name}":${JSON.stringify(value)}`),
      body,
    )
    const headers = { 'content-type': 'application/json', 'x-api-signature-sha256': signature }
    await this.post({ code: qrId, url: this.callbackUrl, body: changed, headers }, delivery)
  }

  /** The customer answers, or ends it later. @param qrId of the code @returns the subscription's id */
  async consent(qrId: string, status: Subscription['status'], delivery: Delivery = {}): Promise<string> {
    const subscription = this.subscription(qrId)
    subscription.status = status
    await this.deliverSubscription(subscription.id, delivery)
    return subscription.id
  }

  /** The notification of a subscription: the bank signs none of it. */
  async deliverSubscription(id: string, delivery: Delivery = {}): Promise<void> {
    const { qrId = '', status = 'SUBSCRIBED' } = this.subscriptions.get(id) ?? {}
    const qr = { id: qrId, payload: payloadOf(qrId, '03', 0), url: `https://bank/${qrId}/image` }
    const subscription = { id, bank: 'someBank', createDate: this.#dateOf(this.now()), status, qr }
    const body = JSON.stringify({ event: 'subscription', subscription })
    const headers = { 'content-type': 'application/json' }
    if (this.callbackUrl) await this.post({ code: qrId, url: this.callbackUrl, body, headers }, delivery)
  }

  subscription(qrId: string): Subscription {
    const found = Array.from(this.subscriptions.values()).find((each) => each.qrId === qrId)
    if (!found) throw new Error(`no subscription of ${qrId}`)
    return found
  }

  /** Ends a charge that is in progress. */
  finishCharge(order: string, status: 'SUCCESS' | 'DECLINED'): void {
    const { payment } = this.#ofOrder(order)
    if (payment) payment.status = status
  }

  callbackOf(qrId: string): { body: string; signature: string } {
    const { order, amount, payment, createDate } = this.#code(qrId)
    const { transactionId, transactionDate, status } = payment ?? {
      transactionId: 0,
      transactionDate: '',
      status: 'NO_INFO',
    }
    // The bank writes roubles with two digits, and signs what it writes.
    const roubles = (amount / 100).toFixed(2)
    const text = [roubles, this.sbpMerchantId, order, status, transactionDate].join('|')
    const fields = {
      ...{
        transactionId,
        qrId,
        sbpMerchantId: this.sbpMerchantId,
        merchantId: 1_780_672_001,
        currency: 'RUB',
      },
      ...{ transactionDate, paymentStatus: status, order, createDate },
    }
    const body = JSON.stringify(fields).replace('{', `{"amount":${roubles},`)
    return { body, signature: createHmac('sha256', this.secretKey).update(text).digest('hex') }
  }

  settleRefund(refundId: string, status: 'COMPLETED' | 'DECLINED'): void {
    const refund = this.refunds.get(refundId)
    if (!refund) throw new Error(`no refund ${refundId}`)
    if (status === 'DECLINED') {
      this.#ofOrder(refund.order).refunded -= refund.amount
      refund.payment.refunded -= refund.amount
    }
    refund.status = status
  }

  get refundedSum(): number {
    return Array.from(this.codes.values()).reduce((sum, { refunded }) => sum + refunded, 0)
  }

  protected operationOf({ method, path }: Omit<BankCall, 'operation'>): string {
    const fiscal = FakeRaiffeisenRegister.operationOf(method, path)
    if (fiscal !== undefined) return fiscal
    if (path.endsWith('/qr/register')) return 'register'
    if (path.endsWith('/subscriptions')) return 'subscribe'
    if (path.endsWith('/orders')) return 'charge'
    if (path.includes('/orders/')) return 'charge_status'
    if (path.includes('/subscriptions/')) return 'subscription'
    if (path.endsWith('/payment-info')) return 'status'
    if (path.endsWith('/refund')) return 'refund'
    if (path.includes('/refund/')) return 'refund_status'
    if (path.includes('/qrs/')) return method === 'DELETE' ? 'cancel' : 'code'
    return path.endsWith('/settings/v1/callback') ? 'set_webhook' : 'unknown'
  }

  protected execute({ operation, path, headers, body }: BankCall): BankReply {
    const fields = (body ?? {}) as Record<string, unknown>
    if (operation === 'register') return this.#register(fields)
    if (headers.authorization !== `Bearer ${this.secretKey}`) return { status: 401 }
    if (operation.startsWith('fiscal_')) return this.register.execute(operation, path, body)
    const segments = path.split('/')
    if (operation === 'status') return this.#paymentInfo(segments.at(-2) ?? '')
    if (operation === 'code') return this.#qrInfo(segments.at(-1) ?? '')
    if (operation === 'cancel') return this.#cancel(segments.at(-1) ?? '')
    if (operation === 'subscribe') return this.#subscribe(fields)
    if (operation === 'subscription') return this.#subscriptionInfo(segments.at(-1) ?? '')
    if (operation === 'charge') return this.#charge(segments.at(-2) ?? '', fields)
    if (operation === 'charge_status') return this.#chargeInfo(segments.at(-1) ?? '')
    if (operation === 'refund') return this.#refund(fields)
    if (operation === 'refund_status') {
      const refund = this.refunds.get(segments.at(-1) ?? '')
      if (!refund) return refusal('ERROR.REFUND_NOT_FOUND')
      return reply({ code: 'SUCCESS', amount: refund.amount / 100, refundStatus: refund.status })
    }
    if (operation === 'set_webhook') {
      this.callbackUrl = String(fields.callbackUrl)
      return reply({ callbackUrl: this.callbackUrl })
    }
    return refusal('ERROR.NOT_FOUND')
  }

  /** Its document has examples of codes, and not this one. */
  protected failureOf(): BankReply {
    return refusal('ERROR.SERVICE_UNAVAILABLE')
  }

  #register(fields: Record<string, unknown>): BankReply {
    const expiresAt = Date.parse(String(fields.qrExpirationDate ?? ''))
    if (fields.sbpMerchantId !== this.sbpMerchantId) return refusal('ERROR.MERCHANT_NOT_REGISTERED')
    if (expiresAt < this.now()) return refusal('ERROR.QR_EXPIRATION_DATE_NOT_VALID')
    const isStatic = fields.qrType === 'QRStatic'
    const qrId = linkId(isStatic ? 'AS1000' : 'AD1000')
    const amount = Math.round(Number(fields.amount) * 100)
    this.codes.set(qrId, {
      ...{
        qrId,
        order: String(fields.order),
        isStatic,
        amount,
        createDate: this.#dateOf(this.now()),
        isCancelled: false,
        payments: [],
      },
      ...{ expiresAt: expiresAt || this.now() + 3 * 86_400_000, refunded: 0 },
    })
    const subscription = fields.subscription as { id: string; subscriptionPurpose: string } | undefined
    if (subscription) {
      const { id, subscriptionPurpose: purpose } = subscription
      this.subscriptions.set(id, { id, qrId, purpose, status: 'INACTIVE' })
    }
    return reply({
      code: 'SUCCESS',
      qrId,
      payload: payloadOf(qrId, isStatic ? '01' : '02', amount),
      qrUrl: `https://bank/${qrId}/image`,
      ...(subscription && { subscriptionId: subscription.id }),
    })
  }

  /** An id that it has changes nothing. */
  #subscribe(fields: Record<string, unknown>): BankReply {
    if (fields.sbpMerchantId !== this.sbpMerchantId) return refusal('ERROR.MERCHANT_NOT_REGISTERED')
    const id = String(fields.id)
    if (!this.subscriptions.has(id)) {
      const purpose = String(fields.subscriptionPurpose)
      this.subscriptions.set(id, { id, qrId: linkId('AB1S00'), purpose, status: 'INACTIVE' })
    }
    return this.#subscriptionInfo(id)
  }

  /** Of an unknown one its document says nothing. */
  #subscriptionInfo(id: string): BankReply {
    const found = this.subscriptions.get(id)
    if (!found) return refusal('ERROR.SUBSCRIPTION_NOT_FOUND')
    const { qrId, status } = found
    const qr = { id: qrId, payload: payloadOf(qrId, '03', 0), url: `https://bank/${qrId}/image` }
    return reply({ id, bank: 'someBank', createDate: this.#dateOf(this.now()), status, qr })
  }

  /** It refuses a repeat only of an order that has a successful payment: any other is executed again. */
  #charge(subscription: string, fields: Record<string, unknown>): BankReply {
    const order = String(fields.order)
    const before = Array.from(this.codes.values()).find((each) => each.order === order)
    if (before?.payment?.status === 'SUCCESS') return refusal('ERROR.ORDER_NUMBER_ALREADY_REGISTERED')
    if (this.subscriptions.get(subscription)?.status !== 'SUBSCRIBED') return refusal('ERROR.SUBSCRIPTION')
    const status = this.chargeResult
    if (status !== 'SUCCESS' && status !== 'DECLINED' && status !== 'IN_PROGRESS') return refusal(status)
    if (status !== 'DECLINED') this.charged.push({ order, subscription })
    const transactionDate = this.#dateOf(this.now())
    const payment: Payment = { transactionId: ++this.#last, status, transactionDate, refunded: 0 }
    const qrId = linkId('AD1000')
    const amount = Math.round(Number(fields.amount) * 100)
    this.codes.set(qrId, {
      ...{ qrId, order, isStatic: false, amount, createDate: transactionDate, expiresAt: this.now() },
      ...{ isCancelled: false, payment, payments: [payment], refunded: 0 },
    })
    return this.#chargeInfo(order)
  }

  #chargeInfo(order: string): BankReply {
    const code = Array.from(this.codes.values()).find((each) => each.order === order)
    if (!code?.payment) return refusal('ERROR.NOT_FOUND')
    return reply({
      ...{ amount: code.amount / 100, currency: 'RUB', order, paymentStatus: code.payment.status },
      ...{ qrId: code.qrId, sbpMerchantId: this.sbpMerchantId },
    })
  }

  #paymentInfo(qrId: string): BankReply {
    const code = this.codes.get(qrId)
    if (!code) return refusal('ERROR.NOT_FOUND')
    const { amount, order, createDate, expiresAt } = code
    const payment = this.hidePayments ? undefined : code.payment
    return reply({
      ...{ code: 'SUCCESS', amount: amount / 100, currency: 'RUB', merchantId: 123, order, qrId, createDate },
      ...{ sbpMerchantId: this.sbpMerchantId, qrExpirationDate: this.#dateOf(expiresAt) },
      paymentStatus: payment?.status ?? 'NO_INFO',
      ...(payment && { transactionId: payment.transactionId, transactionDate: payment.transactionDate }),
    })
  }

  #qrInfo(qrId: string): BankReply {
    const code = this.codes.get(qrId)
    if (!code) return refusal('ERROR.NOT_FOUND')
    const qrExpirationDate = this.#dateOf(code.expiresAt)
    const links = { payload: payloadOf(qrId, '02', code.amount), qrUrl: `https://bank/${qrId}/image` }
    return reply({ qrId, qrStatus: this.#statusOf(code), qrExpirationDate, ...links })
  }

  #statusOf({ payment, isStatic, isCancelled, expiresAt }: Code): string {
    if (payment?.status === 'IN_PROGRESS') return 'IN_PROGRESS'
    if (payment?.status === 'SUCCESS' && !isStatic) return 'PAID'
    if (isCancelled) return 'CANCELLED'
    return !isStatic && this.now() >= expiresAt ? 'EXPIRED' : 'NEW'
  }

  #cancel(qrId: string): BankReply {
    const code = this.codes.get(qrId)
    if (!code || (!code.isStatic && code.payment?.status === 'SUCCESS')) return refusal('ERROR.QR_PAID')
    code.isCancelled = true
    return { status: 200 }
  }

  #refund(fields: Record<string, unknown>): BankReply {
    const refundId = String(fields.refundId)
    if (this.refunds.has(refundId)) return refusal('ERROR.REFUND_ID_ALREADY_USED')
    const amount = Math.round(Number(fields.amount) * 100)
    const code = this.#ofOrder(String(fields.order))
    const payment = code.isStatic
      ? code.payments.find(({ transactionId }) => transactionId === fields.transactionId)
      : code.payment
    if (payment?.status !== 'SUCCESS') return refusal('ERROR.NOT_PAID')
    const refunded = code.isStatic ? payment.refunded : code.refunded
    if (refunded + amount > code.amount) return refusal('ERROR.REFUND_INSUFFICIENT_FUNDS')
    if (this.refundStatus !== 'DECLINED') {
      code.refunded += amount
      payment.refunded += amount
    }
    this.refunds.set(refundId, { amount, order: code.order, payment, status: this.refundStatus })
    return reply({ code: 'SUCCESS', amount: amount / 100, refundStatus: this.refundStatus })
  }

  #ofOrder(order: string): Code {
    const code = Array.from(this.codes.values()).find((each) => each.order === order)
    if (!code) throw new Error(`no order ${order}`)
    return code
  }

  #code(qrId: string): Code {
    const code = this.codes.get(qrId)
    if (!code) throw new Error(`no code ${qrId}`)
    return code
  }

  #dateOf(time: number): string {
    return `${new Date(time + 3 * 3_600_000).toISOString().slice(0, 23)}227+03:00`
  }
}

interface PayOptions extends Delivery {
  status?: Payment['status']
}

const reply = (body: object): BankReply => ({ status: 200, body })
const refusal = (code: string): BankReply => ({ status: 400, body: { code, message: 'refused' } })
