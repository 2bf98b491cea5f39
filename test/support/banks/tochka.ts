// A fake of Tochka: dynamic, static and cashbox codes, the list of payments, refunds, webhooks as a signed JWT.
import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { type BankCall, type BankReply, type Delivery, FakeBank, linkId, payloadOf } from './fake-bank.ts'

const DAY_MS = 24 * 3_600_000

interface Payment {
  refTransactionId: string
  trxId: string
  amount: number
  status: 'Accepted' | 'InProgress' | 'Rejected'
  paidAt: number
  refunded: number
}

interface Code {
  qrcId: string
  merchantId: string
  accountId: string
  type: '01' | '02' | 'cashbox'
  amount: number | undefined
  createdAt: number
  expiresAt: number | undefined
  payments: Payment[]
  arming?: { paramsId: string; amount: number; expiresAt: number; payment?: Payment }
  armings: Map<string, { amount: number; payment?: Payment }>
}

interface Refund {
  requestId: string
  status: 'WaitingForAccept' | 'Accepted' | 'Rejected'
  amount: number
  payment: Payment
}

export interface Claims {
  [name: string]: string
}

/** All have the same one, because making it takes time. */
const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 })

export class FakeTochka extends FakeBank {
  readonly jwt = 'a-jwt-of-tochka'
  readonly clientId = 'client-1'
  customerCode = '300000092'
  readonly merchantId = 'MF0000000042'
  readonly accountId = '40702810500000000001/044525104'
  readonly codes = new Map<string, Code>()
  readonly refunds = new Map<string, Refund>()
  /** What the next refunds become at once. */
  refundStatus: Refund['status'] = 'Accepted'
  webhook: { url: string; webhooksList: string[] } | undefined
  /** Whether the status of an arming has the amount of its payment: the document lets the bank leave it out. */
  statesSaleAmounts = true
  /** Which codes the shop can have. */
  capabilities = '111'
  #keys = KEYS

  get publicKey() {
    return this.#keys.publicKey
  }

  /** The bank signs with another key from now on. */
  changeKey(): void {
    this.#keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  }

  /** A payer pays. The answer of the webhook is awaited. @returns refTransactionId */
  async pay(
    qrcId: string,
    { status = 'Accepted' as Payment['status'], amount, ...delivery }: PayOptions = {},
  ) {
    const code = this.#code(qrcId)
    const sum = amount ?? code.arming?.amount ?? code.amount ?? 0
    const payment: Payment = {
      ...{ refTransactionId: randomUUID(), trxId: linkId('A'), amount: sum, status },
      ...{ paidAt: this.now(), refunded: 0 },
    }
    code.payments.push(payment)
    if (code.arming) {
      code.arming.payment = payment
      code.armings.set(code.arming.paramsId, code.arming)
      delete code.arming
    }
    if (status === 'Accepted') await this.deliver(payment.refTransactionId, delivery)
    return payment.refTransactionId
  }

  /** The payment in progress ends. */
  finish(refTransactionId: string, status: 'Accepted' | 'Rejected'): void {
    this.#payment(refTransactionId).payment.status = status
  }

  /** The webhook of a payment, again or for the first time. */
  async deliver(refTransactionId: string, delivery: Delivery = {}): Promise<void> {
    const claims = this.claimsOf(refTransactionId)
    if (!this.webhook) return
    const { url } = this.webhook
    await this.post({ code: claims.qrcId ?? '', url, body: this.sign(claims), headers: TEXT }, delivery)
  }

  claimsOf(refTransactionId: string): Claims {
    const { code, payment } = this.#payment(refTransactionId)
    return {
      ...{ operationId: payment.trxId, qrcId: code.qrcId, amount: (payment.amount / 100).toFixed(2) },
      ...{
        payerMobileNumber: '+79991234567',
        payerName: 'Иван И.',
        brandName: 'Чай',
        merchantId: code.merchantId,
      },
      ...{ purpose: 'Чай', webhookType: 'incomingSbpPayment', customerCode: this.customerCode },
      refTransactionId: payment.refTransactionId,
    }
  }

  /** A JWT as the bank signs it. */
  sign(claims: Claims, header: object = { typ: 'JWT', alg: 'RS256' }): string {
    const signed = [header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(this.#keys.privateKey).toString('base64url')}`
  }

  settleRefund(requestId: string, status: 'Accepted' | 'Rejected'): void {
    const refund = this.refunds.get(requestId)
    if (!refund) throw new Error(`no refund ${requestId}`)
    if (status === 'Rejected' && refund.status !== 'Rejected') refund.payment.refunded -= refund.amount
    refund.status = status
  }

  /** Kopecks that have left the merchant's account. */
  get refundedSum(): number {
    return Array.from(this.codes.values())
      .flatMap(({ payments }) => payments)
      .reduce((sum, each) => sum + each.refunded, 0)
  }

  protected operationOf({ method, path }: Omit<BankCall, 'operation'>): string {
    const rules: [RegExp, string][] = [
      [/keys\/public$/, 'key'],
      [/\/qr-code\/merchant\//, 'register'],
      [/\/payment-status$/, 'status'],
      [/\/get-sbp-payments$/, 'payments'],
      [/\/refund$/, 'refund'],
      [/\/refund\//, 'refund_status'],
      [/\/cashbox-qr-code$/, 'register'],
      [/\/activate$/, 'arm'],
      [/\/deactivate$/, 'disarm'],
      [/\/operation$/, 'sale_status'],
      [/\/customer\//, 'customer'],
      [/\/webhook\//, method === 'GET' ? 'webhook' : 'set_webhook'],
    ]
    return rules.find(([rule]) => rule.test(path))?.[1] ?? 'unknown'
  }

  protected execute(call: BankCall): BankReply {
    const { operation, path, query } = call
    if (operation === 'key') return { status: 200, body: this.#keys.publicKey.export({ format: 'jwk' }) }
    if (call.headers.authorization !== `Bearer ${this.jwt}`) return refusal(403, 'no access')
    const segments = path.split('/').map(decodeURIComponent)
    const data = dataOf(call.body)
    if (operation === 'register') return this.#register(segments, data)
    if (operation === 'status') return this.#status(segments.at(-2) ?? '')
    if (operation === 'payments') return this.#list(query)
    if (operation === 'refund') return this.#refund(data)
    if (operation === 'refund_status') {
      const refund = this.refunds.get(segments.at(-1) ?? '')
      return refund
        ? ok({ requestId: refund.requestId, status: refund.status })
        : refusal(404, 'no such refund')
    }
    if (operation === 'arm') return this.#arm(this.#code(segments.at(-2) ?? ''), data)
    if (operation === 'disarm') {
      const code = this.#code(segments.at(-2) ?? '')
      if (code.arming) code.armings.set(code.arming.paramsId, code.arming)
      delete code.arming
      return ok({ result: true })
    }
    if (operation === 'sale_status') return this.#saleStatus(segments.at(-2) ?? '', query.paramsId ?? '')
    if (operation === 'customer') return this.#customer()
    if (operation === 'webhook') return this.webhook ? ok(this.webhook) : refusal(404, 'no webhook')
    if (operation === 'set_webhook') {
      const body = call.body as { url: string; webhooksList: string[] }
      this.webhook = { url: body.url, webhooksList: body.webhooksList }
      return ok(this.webhook)
    }
    return refusal(404, 'no such method')
  }

  /** Each call's document has 424 and 500 in the same shape, and does not say what was executed. */
  protected failureOf({ operation }: BankCall): BankReply {
    return refusal(operation.length % 2 === 0 ? 424 : 500, 'a system behind this one failed')
  }

  #register(segments: string[], data: Record<string, unknown>): BankReply {
    const isCashbox = segments.at(-1) === 'cashbox-qr-code'
    const type = isCashbox ? 'cashbox' : data.qrcType === '01' ? '01' : '02'
    const amount = typeof data.amount === 'number' ? data.amount : undefined
    if (type === '02' && amount === undefined) return refusal(400, 'amount is required')
    if (!isCashbox && typeof data.paymentPurpose !== 'string')
      return refusal(400, 'paymentPurpose is required')
    const qrcId = linkId(type === '02' ? 'AD1000' : 'AS1000')
    const ttl = typeof data.ttl === 'number' ? data.ttl : 4_320
    this.codes.set(qrcId, {
      ...{ qrcId, type, amount, createdAt: this.now(), payments: [], armings: new Map() },
      merchantId: isCashbox ? String(data.merchantId) : (segments.at(-2) ?? ''),
      accountId: isCashbox ? String(data.accountId) : (segments.at(-1) ?? ''),
      expiresAt: type === '02' ? this.now() + ttl * 60_000 : undefined,
    })
    return ok({ qrcId, payload: payloadOf(qrcId, type === '02' ? '02' : '01', amount) })
  }

  #status(qrcIds: string): BankReply {
    const paymentList = qrcIds.split(',').map((qrcId) => {
      const payment = this.codes.get(qrcId)?.payments.at(-1)
      const isTold = payment && this.now() - payment.paidAt < DAY_MS
      const state = isTold ? { status: payment.status, trxId: payment.trxId } : { status: 'NotStarted' }
      return { qrcId, code: 'RQ00000', message: 'ok', ...state }
    })
    return ok({ paymentList })
  }

  #list({
    qrcId,
    fromDate,
    toDate,
    customerCode,
    page = '1',
    perPage = '1000',
  }: Record<string, string>): BankReply {
    if (customerCode !== this.customerCode) return refusal(400, 'customerCode')
    const dayOf = (time: number) => new Date(time + 3 * 3_600_000).toISOString().slice(0, 10)
    const since = fromDate ?? dayOf(this.now() - DAY_MS)
    const all = Array.from(this.codes.values()).flatMap((code) =>
      code.payments
        .filter(() => qrcId === undefined || code.qrcId === qrcId)
        .filter(({ paidAt }) => dayOf(paidAt) >= since && dayOf(paidAt) <= (toDate ?? '9'))
        .map(({ status, refTransactionId }) => ({
          qrcId: code.qrcId,
          status,
          message: 'ok',
          refTransactionId,
        })),
    )
    const size = Number(perPage)
    const Payments = all.slice((Number(page) - 1) * size, Number(page) * size)
    return {
      ...ok({ Payments }),
      body: { ...envelope({ Payments }), Meta: { totalPages: Math.ceil(all.length / size) || 1 } },
    }
  }

  #refund(data: Record<string, unknown>): BankReply {
    const code = this.codes.get(String(data.qrcId))
    const payment = code?.payments.find((each) => each.refTransactionId === data.refTransactionId)
    if (!code || !payment) return refusal(400, 'no such payment')
    const [accountCode, bankCode] = code.accountId.split('/')
    if (data.accountCode !== accountCode || data.bankCode !== bankCode) return refusal(400, 'another account')
    if (code.type !== '02') return refusal(400, 'only dynamic codes')
    const amount = Math.round(Number(data.amount) * 100)
    if (payment.refunded + amount > payment.amount) return refusal(400, 'the refund exceeds the payment')
    const requestId = `openapi-${randomUUID()}`
    if (this.refundStatus !== 'Rejected') payment.refunded += amount
    this.refunds.set(requestId, { requestId, status: this.refundStatus, amount, payment })
    return ok({ requestId, status: this.refundStatus })
  }

  #arm(code: Code, data: Record<string, unknown>): BankReply {
    const paramsId = linkId('AP1000')
    const amount = Number(data.amount)
    if (code.arming) code.armings.set(code.arming.paramsId, code.arming)
    code.arming = { paramsId, amount, expiresAt: this.now() + Number(data.ttl ?? 5) * 60_000 }
    return ok({ qrcId: code.qrcId, amount, paramsId })
  }

  #saleStatus(qrcId: string, paramsId: string): BankReply {
    const code = this.#code(qrcId)
    const arming = code.arming?.paramsId === paramsId ? code.arming : code.armings.get(paramsId)
    const payment = arming?.payment
    if (!payment) return ok({ qrCodeStatus: 'WAITING_PAYMENT', trxStatus: 'NTST' })
    const dateTime = new Date(payment.paidAt).toISOString().replace('Z', '+00:00')
    return ok({
      qrCodeStatus: 'DEACTIVATED',
      trxStatus: 'ACWP',
      trxId: payment.trxId,
      ...(this.statesSaleAmounts && { amount: payment.amount }),
      dateTime,
    })
  }

  #customer(): BankReply {
    return ok({
      ...{
        status: 'Active',
        legalId: 'LF0000000001',
        createdAt: '2019-01-01T06:06:06.364+00:00',
        countryCode: 'RU',
      },
      ...{ customerCode: this.customerCode, inn: '7706812159', name: 'Чай', ogrn: '1147746831352' },
      bankCode: '044525104',
      MerchantList: [{ merchantId: this.merchantId, status: 'Active', capabilities: this.capabilities }],
      AccountList: [{ accountId: this.accountId, status: 'Active' }],
    })
  }

  #code(qrcId: string): Code {
    const code = this.codes.get(qrcId)
    if (!code) throw new Error(`no code ${qrcId}`)
    return code
  }

  #payment(refTransactionId: string): { code: Code; payment: Payment } {
    for (const code of this.codes.values()) {
      const payment = code.payments.find((each) => each.refTransactionId === refTransactionId)
      if (payment) return { code, payment }
    }
    throw new Error(`no payment ${refTransactionId}`)
  }
}

interface PayOptions extends Delivery {
  status?: Payment['status']
  amount?: number
}

const TEXT = { 'content-type': 'text/plain' }
const envelope = (Data: object) => ({ Data, Links: { self: 'https://bank/self' }, Meta: { totalPages: 1 } })
const ok = (data: object): BankReply => ({ status: 200, body: envelope(data) })
const refusal = (status: number, message: string): BankReply => ({
  status,
  body: {
    code: String(status),
    id: randomUUID(),
    message,
    Errors: [{ errorCode: 'Error', message, url: 'https://bank/help' }],
  },
})
const dataOf = (body: unknown): Record<string, unknown> => {
  const { Data } = (body ?? {}) as { Data?: Record<string, unknown> }
  return Data ?? {}
}
