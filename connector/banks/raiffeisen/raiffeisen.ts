// Raiffeisenbank: dynamic codes, static ones with an amount, codes that bind, cancellation, refunds under an id of ours (its SBP API, October 2021).
import * as z from 'zod'
import { kopecksOf, roublesOf } from '../../amounts.ts'
import type { CheckResult, WebhookRequest } from '../../partner.ts'
import type { Answers } from '../answers.ts'
import type {
  Bank,
  Code,
  CodeState,
  CodeType,
  Link,
  NewCode,
  NewRefund,
  PaymentId,
  RefundState,
  SiteBank,
  Webhook,
  WebhookCheck,
} from '../bank.ts'
import { NotKnown, Unavailable } from '../bank-errors.ts'
import type { BankContext, BankKind } from '../bank-kind.ts'
import type { BankRequest } from '../http.ts'
import { moscowTime } from '../moscow.ts'
import * as answers from './answers.ts'
import { verifyCallback } from './callback.ts'
import { BASE_URL, credentialsOf, type Settings } from './credentials.ts'
import { isSamePayment, paymentOf } from './payments.ts'
import { Subscriptions } from './subscriptions.ts'

export const raiffeisen: BankKind = {
  kind: 'raiffeisen',
  baseUrl: BASE_URL,
  credentials: (secret) =>
    credentialsOf(secret).transform((settings) => (context) => new Raiffeisen(settings, context)),
  site: z.strictObject({}),
}

/** A static code is asked about until its end is this long ago. */
const HOUR_MS = 3_600_000

class Raiffeisen implements Bank {
  readonly title = 'Raiffeisenbank'
  readonly identity: string
  readonly types: readonly CodeType[] = ['DYNAMIC', 'STATIC', 'TOKEN']
  readonly takesOpenAmounts = false
  readonly refundKey = 'REPEATED'
  readonly refundsComparedBy = 'KEY'
  readonly webhookAnswer = ''
  readonly lacks = [
    'send the payer back to redirectUrl',
    'register cashbox codes, and static codes without an amount, here',
    'tell of all payments of a static code: of several webhooks that are lost, the payment of the last one is found',
    'tell of refunds that are made in its console',
    'tell where its webhooks go: `check --register` sets the address',
    'tell that a customer refused to bind an account, or sign its notifications of bindings: it is asked',
    'end a binding: the customer’s bank goes on showing the consent after you delete a token',
  ]
  readonly bindings: Subscriptions

  readonly #settings: Settings
  readonly #context: BankContext

  constructor(settings: Settings, context: BankContext) {
    this.identity = `raiffeisen:${settings.sbpMerchantId}`
    this.#settings = settings
    this.#context = context
    this.bindings = new Subscriptions(
      (answersOf, request) => this.#call(answersOf, request),
      settings.sbpMerchantId,
    )
  }

  forSite(): SiteBank {
    return { register: (code, signal) => this.#register(code, signal) }
  }

  async #register(code: NewCode, signal: AbortSignal): Promise<Link> {
    if (code.type === 'TOKEN') return this.bindings.register(code, signal)
    const { type, amount = 0, order, purpose, expiresAt, tokenizationPurpose } = code
    const { qrId, payload, subscriptionId } = await this.#call(answers.REGISTER, {
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
        ...(tokenizationPurpose === undefined
          ? {}
          : { subscription: { id: order, subscriptionPurpose: tokenizationPurpose } }),
      },
      signal,
    })
    const request = tokenizationPurpose === undefined ? {} : { request: subscriptionId ?? order }
    return { qrcId: qrId, payload, reference: order, ...request }
  }

  async state(code: Code): Promise<CodeState> {
    const state = await this.#paymentState(code)
    const { type, endsAt } = code
    // A static one is never PAID, and what the bank states can be old.
    const settlingMs = type === 'STATIC' ? HOUR_MS : 0
    const hasEnded = endsAt !== undefined && this.#context.now() >= endsAt + settlingMs
    if (!hasEnded || !state.isOver) return { ...state, isOver: false }
    // Without this answer the code is asked about again; what was paid is reported now.
    const status = await this.#qrStatus(code).catch(() => 'unknown')
    // A code that is PAID has a payment that the bank does not state yet.
    return { ...state, isOver: status === 'EXPIRED' || status === 'CANCELLED' }
  }

  async #qrStatus({ qrcId }: Code) {
    const url = `/sbp/v2/qrs/${encodeURIComponent(qrcId)}`
    const { qrId, qrStatus } = await this.#call(answers.CODE, { operation: 'code', method: 'GET', url })
    if (qrId === qrcId) return qrStatus
    throw new Unavailable('code: the answer is of another code', { isInDoubt: false })
  }

  /** The bank states only the latest payment of a static code. */
  async #paymentState({ type, qrcId, reference }: Code): Promise<CodeState> {
    const info = await this.#call(answers.STATUS, {
      operation: 'status',
      method: 'GET',
      url: `/sbp/v1/qr/${encodeURIComponent(qrcId)}/payment-info`,
    })
    if (info.order !== reference || info.sbpMerchantId !== this.#settings.sbpMerchantId) {
      throw new Unavailable('status: the answer is of another order', { isInDoubt: false })
    }
    const payment = paymentOf(type, info)
    const isPending = info.paymentStatus === 'IN_PROGRESS'
    // A payment that cannot be told is none that is over.
    const isOver = info.paymentStatus === 'NO_INFO' || payment !== undefined
    return { payments: payment ? [payment] : [], isPartial: type === 'STATIC', isPending, isOver }
  }

  isSamePayment(a: PaymentId, b: PaymentId): boolean {
    return isSamePayment(a, b)
  }

  async cancel({ qrcId }: Code): Promise<void> {
    const url = `/sbp/v2/qrs/${encodeURIComponent(qrcId)}`
    await this.#call(answers.CANCEL, { operation: 'cancel', method: 'DELETE', url })
  }

  async isClosed(code: Code): Promise<boolean> {
    const status = await this.#qrStatus(code)
    // A code that is IN_PROGRESS can still be paid, whatever the bank answered to its cancellation. A printed code can be paid again.
    return status === 'CANCELLED' || status === 'EXPIRED' || (status === 'PAID' && code.type === 'DYNAMIC')
  }

  async isPaid(code: Code): Promise<boolean> {
    return code.type === 'DYNAMIC' && (await this.#qrStatus(code)) === 'PAID'
  }

  async refund({ key, reference, amount, isOfOnlyPayment }: NewRefund): Promise<RefundState> {
    // A payment of a static code has its number in its reference.
    const [order, transactionId] = reference.split(':')
    if (transactionId === undefined && !isOfOnlyPayment) {
      const reason =
        'the link has several payments, and the bank does not say which one a refund by the order takes'
      return { status: 'IN_DOUBT', reason }
    }
    const stated = await this.#call(answers.REFUND, {
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
    return refundStateOf(stated, amount)
  }

  async refundState({ key, amount }: Pick<NewRefund, 'key' | 'amount'>): Promise<RefundState> {
    const stated = await this.#call(answers.REFUND_STATUS, {
      operation: 'refund_status',
      method: 'GET',
      url: `/sbp/v1/refund/${key}`,
    })
    return refundStateOf(stated, amount)
  }

  async verify(request: WebhookRequest): Promise<Webhook> {
    return verifyCallback(request, this.#settings)
  }

  async checkCredentials(): Promise<CheckResult[]> {
    const good = { isGood: true, text: 'the credentials work' }
    try {
      // Nothing is asked for without a change but by an id: an unknown one is refused only with good credentials.
      await this.refundState({ key: `check-${this.#context.now()}`, amount: 0 })
      return [good]
    } catch (error) {
      if (error instanceof NotKnown) return [good]
      if (!(error instanceof Unavailable)) throw error
      return [{ isGood: false, text: error.message }]
    }
  }

  async checkWebhook({ url, register }: WebhookCheck): Promise<CheckResult[]> {
    if (!register) {
      return [{ isGood: true, text: `the bank does not tell where its webhooks go; --register sets ${url}` }]
    }
    await this.#call(answers.SET_WEBHOOK, {
      operation: 'set_webhook',
      method: 'POST',
      url: '/settings/v1/callback',
      body: { callbackUrl: url },
    })
    return [{ isGood: true, text: `set: the bank sends webhooks to ${url}` }]
  }

  #call<T>(answersOf: Answers<T>, request: BankRequest): Promise<T> {
    const { baseUrl, call } = this.#context
    const headers = { Authorization: `Bearer ${this.#settings.secretKey}` }
    return call({ ...request, url: baseUrl + request.url, headers }, answersOf)
  }
}

/** @param asked the amount of the refund */
function refundStateOf({ amount, refundStatus: status }: answers.Refund, asked: number): RefundState {
  const stated = kopecksOf(String(amount))
  if (stated !== asked) {
    const of = stated === undefined ? 'another amount' : `${roublesOf(stated)} RUB`
    return { status: 'IN_DOUBT', reason: `the bank states a refund of ${of} under this id` }
  }
  if (status === 'COMPLETED') return { status }
  if (status === 'DECLINED') return { status, reason: 'declined by the bank' }
  return { status: 'PENDING', note: '' }
}
