// Raiffeisenbank: dynamic codes, static ones with an amount, their cancellation, refunds under an id of ours (its SBP API, October 2021).
import * as z from 'zod'
import {
  type Bank,
  type BankPayment,
  type Code,
  type CodeState,
  type CodeType,
  type Finding,
  type Link,
  type NewCode,
  type NewRefund,
  type RefundState,
  Refused,
  type SiteBank,
  Unavailable,
  type Webhook,
  type WebhookCheck,
  type WebhookRequest,
} from '../../bank.ts'
import type { BankContext, BankKind } from '../../bank-kind.ts'
import type { BankRequest } from '../../http.ts'
import { kopecksOf } from '../../money.ts'
import { moscowTime } from '../../moscow.ts'
import { verifyCallback } from './callback.ts'

interface Settings {
  sbpMerchantId: string
  secretKey: string
}

export const raiffeisen: BankKind = {
  kind: 'raiffeisen',
  baseUrl: 'https://e-commerce.raiffeisen.ru/api',
  credentials: (secret) =>
    z
      .strictObject({
        sbpMerchantId: z.string().regex(/^[A-Z]{2}\d{10}$/, 'must be 12 characters, MA…'),
        secretKey: secret,
      })
      .transform((settings) => (context) => new Raiffeisen(settings, context)),
  site: z.strictObject({}),
}

const Registered = z.object({ code: z.literal('SUCCESS'), qrId: z.string(), payload: z.string() })
const PaymentInfo = z.object({
  amount: z.number(),
  order: z.string(),
  paymentStatus: z.string(),
  sbpMerchantId: z.string(),
  transactionDate: z.string().optional(),
  transactionId: z.number().optional(),
})
const Refund = z.object({ code: z.literal('SUCCESS'), refundStatus: z.string() })
const Failure = z.object({ code: z.string(), message: z.string().optional() })

class Raiffeisen implements Bank {
  readonly title = 'Raiffeisenbank'
  readonly identity: string
  readonly types: readonly CodeType[] = ['DYNAMIC', 'STATIC']
  readonly takesOpenAmounts = false
  readonly hasRefundKey = true
  readonly webhookAnswer = ''
  readonly lacks = [
    'send the payer back to redirectUrl',
    'register cashbox codes, and static codes without an amount, here',
    'tell of all payments of a static code: of several webhooks that are lost, the payment of the last one is found',
    'tell of refunds that are made in its console',
    'tell where its webhooks go: `check --register` sets the address',
  ]

  readonly #settings: Settings
  readonly #context: BankContext

  constructor(settings: Settings, context: BankContext) {
    this.identity = `raiffeisen:${settings.sbpMerchantId}`
    this.#settings = settings
    this.#context = context
  }

  forSite(): SiteBank {
    return { register: (code, signal) => this.#register(code, signal) }
  }

  async #register(
    { type, amount = 0, order, purpose, expiresAt }: NewCode,
    signal: AbortSignal,
  ): Promise<Link> {
    const { qrId, payload } = await this.#call(Registered, {
      operation: 'register',
      method: 'POST',
      url: '/sbp/v1/qr/register',
      body: {
        amount: amount / 100,
        currency: 'RUB',
        order,
        paymentDetails: purpose,
        qrType: type === 'STATIC' ? 'QRStatic' : 'QRDynamic',
        sbpMerchantId: this.#settings.sbpMerchantId,
        ...(expiresAt === undefined ? {} : { qrExpirationDate: moscowTime(expiresAt) }),
      },
      signal,
    })
    return { qrcId: qrId, payload, reference: order }
  }

  /** Of a static code the bank tells the latest payment alone. */
  async state({ type, qrcId, reference }: Code): Promise<CodeState> {
    const info = await this.#call(PaymentInfo, {
      operation: 'status',
      method: 'GET',
      url: `/sbp/v1/qr/${encodeURIComponent(qrcId)}/payment-info`,
    })
    if (info.order !== reference || info.sbpMerchantId !== this.#settings.sbpMerchantId) {
      throw new Unavailable('status: the answer is of another order', { isInDoubt: false })
    }
    const amount = kopecksOf(String(info.amount))
    const { paymentStatus, transactionDate: paidAt, transactionId } = info
    const isPartial = type === 'STATIC'
    const isFinal = paymentStatus === 'SUCCESS' || paymentStatus === 'DECLINED'
    // Without its number a payment of a static code cannot be told from others, nor refunded.
    if (amount === undefined || !isFinal || (isPartial && transactionId === undefined)) {
      return { payments: [], isPartial, isPending: paymentStatus === 'IN_PROGRESS' }
    }
    const payment: BankPayment = {
      status: paymentStatus === 'SUCCESS' ? 'COMPLETED' : 'DECLINED',
      number: String(transactionId ?? reference),
      // The callback's signature covers the time and not the number, so payments are distinguished by time.
      key: `${reference} ${paidAt === undefined ? transactionId : Date.parse(paidAt)}`,
      amount,
      ...(paidAt ? { paidAt } : {}),
      ...(isPartial ? { reference: `${reference}:${transactionId}` } : {}),
    }
    return { payments: [payment], isPartial, isPending: false }
  }

  async cancel({ qrcId }: Code): Promise<void> {
    await this.#call(z.unknown(), {
      operation: 'cancel',
      method: 'DELETE',
      url: `/sbp/v2/qrs/${encodeURIComponent(qrcId)}`,
    })
  }

  async refund(refund: NewRefund): Promise<RefundState> {
    const { key, reference, amount } = refund
    // A payment of a static code has its number in its reference.
    const [order, transactionId] = reference.split(':')
    try {
      const { refundStatus } = await this.#call(Refund, {
        operation: 'refund',
        method: 'POST',
        url: '/sbp/v1/refund',
        body: {
          amount: amount / 100,
          order,
          refundId: key,
          ...(transactionId !== undefined && { transactionId: Number(transactionId) }),
        },
      })
      return refundStateOf(refundStatus)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      // The bank refuses an id that it has: then the first request has counted.
      const state = await this.refundState(refund)
      if (state.status === 'UNKNOWN') throw error
      return state
    }
  }

  async refundState({ key }: NewRefund): Promise<RefundState> {
    try {
      const { refundStatus } = await this.#call(Refund, {
        operation: 'refund_status',
        method: 'GET',
        url: `/sbp/v1/refund/${key}`,
      })
      return refundStateOf(refundStatus)
    } catch (error) {
      if (error instanceof Refused) return { status: 'UNKNOWN', reason: error.message }
      throw error
    }
  }

  async verify(request: WebhookRequest): Promise<Webhook> {
    return verifyCallback(request, this.#settings)
  }

  async checkCredentials(): Promise<Finding[]> {
    try {
      // Nothing is asked for without a change but by an id: an unknown one is refused only with good credentials.
      const key = `check-${this.#context.now()}`
      const nothing = { type: undefined, qrcId: '', reference: '', number: undefined, paidFrom: 0, amount: 0 }
      await this.refundState({ key, ...nothing })
      return [{ isGood: true, text: 'the credentials work' }]
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      return [{ isGood: false, text: error.message }]
    }
  }

  async checkWebhook({ url, register }: WebhookCheck): Promise<Finding[]> {
    if (!register) {
      return [{ isGood: true, text: `the bank does not tell where its webhooks go; --register sets ${url}` }]
    }
    await this.#call(z.unknown(), {
      operation: 'set_webhook',
      method: 'POST',
      url: '/settings/v1/callback',
      body: { callbackUrl: url },
    })
    return [{ isGood: true, text: `set: the bank sends webhooks to ${url}` }]
  }

  async #call<T>(schema: z.ZodType<T>, request: BankRequest): Promise<T> {
    const { baseUrl, call } = this.#context
    const headers = { Authorization: `Bearer ${this.#settings.secretKey}` }
    const { status, body } = await call({ ...request, url: baseUrl + request.url, headers })
    const failure = Failure.safeParse(body).data
    if (status >= 400 || failure?.code.startsWith('ERROR')) {
      const text = [failure?.code, failure?.message].filter(Boolean).join(', ') || `answers ${status}`
      throw new Refused(`Raiffeisenbank: ${text}`.slice(0, 300))
    }
    const parsed = schema.safeParse(body)
    if (parsed.success) return parsed.data
    throw new Unavailable(`${request.operation}: the answer is not as documented`, { isInDoubt: true })
  }
}

function refundStateOf(status: string): RefundState {
  if (status === 'COMPLETED') return { status: 'COMPLETED' }
  if (status === 'DECLINED') return { status: 'DECLINED', reason: 'declined by the bank' }
  return { status: 'PENDING', note: '' }
}
