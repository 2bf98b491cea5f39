// A fake of Raiffeisenbank: dynamic and static codes, cancellation, refunds under the merchant's id, signed callbacks.
import { createHmac } from 'node:crypto'
import { type BankCall, type BankReply, type Delivery, FakeBank, linkId, payloadOf } from './fake-bank.ts'

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
  /** Whether payment-info does not have the payments yet. */
  hidePayments = false
  #last = 40

  /** A payer pays; a second payment of one link is possible here. @returns transactionId */
  async pay(
    qrId: string,
    { status = 'SUCCESS' as Payment['status'], ...delivery }: PayOptions = {},
  ): Promise<number> {
    const transactionId = ++this.#last
    const code = this.#code(qrId)
    code.payment = { transactionId, status, transactionDate: this.#dateOf(this.now()), refunded: 0 }
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
    if (path.endsWith('/qr/register')) return 'register'
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
    const segments = path.split('/')
    if (operation === 'status') return this.#paymentInfo(segments.at(-2) ?? '')
    if (operation === 'code') return this.#qrInfo(segments.at(-1) ?? '')
    if (operation === 'cancel') return this.#cancel(segments.at(-1) ?? '')
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
    return reply({
      code: 'SUCCESS',
      qrId,
      payload: payloadOf(qrId, isStatic ? '01' : '02', amount),
      qrUrl: `https://bank/${qrId}/image`,
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
