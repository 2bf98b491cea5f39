// T-Bank: dynamic codes of its internet acquiring (T-Bank acquiring API 1.80, the SBP operations).
import * as z from 'zod'
import type {
  Bank,
  BankPayment,
  CheckResult,
  Code,
  CodeState,
  CodeType,
  Link,
  NewCode,
  NewRefund,
  RefundState,
  SiteBank,
  Webhook,
  WebhookCheck,
  WebhookRequest,
} from '../../bank.ts'
import { Refused, Unauthorized, Unavailable } from '../../bank-errors.ts'
import type { BankContext, BankKind } from '../../bank-kind.ts'
import { roublesOf } from '../../money.ts'
import { moscowTime } from '../../moscow.ts'
import { rawFieldsOf } from '../../raw-json.ts'
import * as answers from './answers.ts'
import { type Settings, type TBankCall, tbankCall } from './client.ts'
import { refundPayment, stateOfRefund } from './refunds.ts'
import { isSigned } from './token.ts'

/** The least that can be paid by SBP here: 10 roubles. */
const MIN_KOPECKS = 1_000
/** `Amount` has at most ten digits. */
const MAX_KOPECKS = 9_999_999_999
/** The bank refuses an end that is less than a minute away. */
const MIN_TTL_MS = 65_000

export const tbank: BankKind = {
  kind: 'tbank',
  baseUrl: 'https://securepay.tinkoff.ru',
  credentials: (secret) =>
    z
      .strictObject({ terminalKey: z.string().min(1).max(20), password: secret })
      .transform((settings) => (context) => new TBank(settings, context)),
  site: z.strictObject({}),
}

const Notification = z.object({
  TerminalKey: z.string(),
  PaymentId: z.string(),
  Status: z.string(),
  Amount: z.string().optional(),
})

const PAID = ['CONFIRMED', 'REFUNDING', 'ASYNC_REFUNDING', 'PARTIAL_REFUNDED', 'REFUNDED']
const IN_PROGRESS = ['AUTHORIZING', 'AUTHORIZED', 'CONFIRMING']
const DECLINED = ['REJECTED', 'AUTH_FAIL']
/** The session is closed unpaid (the table of statuses in "Статусная модель платежа"). */
const OVER = ['DEADLINE_EXPIRED', 'CANCELED', 'REJECTED']

class TBank implements Bank {
  readonly title = 'T-Bank'
  readonly identity: string
  readonly types: readonly CodeType[] = ['DYNAMIC']
  readonly takesOpenAmounts = false
  readonly hasRefundKey = false
  readonly refundsComparedBy = 'PAYMENT'
  readonly webhookAnswer = 'OK'
  readonly lacks = [
    'cancel a link: it can be paid until it expires',
    'register codes under 10 roubles, static and cashbox codes',
    'send the payer back to redirectUrl',
    'find a refund again whose answer was lost: it is held until you settle it',
    'state how much of a payment is refunded: only that all of it is',
  ]

  readonly #settings: Settings
  readonly #context: BankContext
  readonly #call: TBankCall

  constructor(settings: Settings, context: BankContext) {
    this.identity = `tbank:${settings.terminalKey}`
    this.#settings = settings
    this.#context = context
    this.#call = tbankCall(settings, context)
  }

  forSite(): SiteBank {
    return { register: (code, signal) => this.#register(code, signal) }
  }

  async #register(
    { amount = 0, order, purpose, expiresAt, webhookUrl }: NewCode,
    signal: AbortSignal,
  ): Promise<Link> {
    if (amount < MIN_KOPECKS || amount > MAX_KOPECKS) {
      throw new Refused(
        `T-Bank takes payments from ${roublesOf(MIN_KOPECKS)} to ${roublesOf(MAX_KOPECKS)} RUB`,
      )
    }
    const earliest = this.#context.now() + MIN_TTL_MS
    const init = await this.#call(
      {
        operation: 'Init',
        fields: {
          Amount: amount,
          OrderId: order,
          Description: purpose,
          PayType: 'O',
          NotificationURL: webhookUrl,
          ...(expiresAt === undefined ? {} : { RedirectDueDate: moscowTime(Math.max(expiresAt, earliest)) }),
        },
        signal,
      },
      answers.REGISTER,
    )
    const { PaymentId: paymentId = '' } = init
    const id = Number(paymentId)
    const fields = { PaymentId: Number.isSafeInteger(id) ? id : paymentId, DataType: 'PAYLOAD' }
    const qr = await this.#call({ operation: 'GetQr', fields, signal }, answers.REGISTER)
    const { Data: payload = '' } = qr
    const qrcId = URL.parse(payload)?.pathname.split('/').at(-1) ?? ''
    if (!paymentId || !qrcId) {
      throw new Unavailable('Init, GetQr: the answers lack PaymentId or Data', { isInDoubt: true })
    }
    return { qrcId, payload, reference: paymentId }
  }

  async state({ reference, amount }: Code): Promise<CodeState> {
    const fields = { PaymentId: reference }
    const state = await this.#call({ operation: 'GetState', fields }, answers.STATE)
    const { Status = '' } = state
    // After a refund the bank may state what is left.
    const paid = Status === 'CONFIRMED' ? (state.Amount ?? amount) : (amount ?? state.Amount)
    if (paid === undefined) return { payments: [], isPending: false }
    const payment: Omit<BankPayment, 'status'> = { number: reference, amount: paid }
    const isOver = OVER.includes(Status)
    if (DECLINED.includes(Status)) {
      return { payments: [{ ...payment, status: 'DECLINED', reason: Status }], isPending: false, isOver }
    }
    if (!PAID.includes(Status)) return { payments: [], isPending: IN_PROGRESS.includes(Status), isOver }
    return {
      payments: [{ ...payment, status: 'COMPLETED' }],
      isPending: false,
      // The bank states no sum of refunds: GetQrState has that of the last cancellation, perhaps of a failed one.
      ...(Status === 'REFUNDED' && { refunded: 'ALL' as const }),
      ...(Status === 'PARTIAL_REFUNDED' && { refunded: 'PART' as const }),
    }
  }

  refund(refund: NewRefund): Promise<RefundState> {
    return refundPayment(this.#call, refund)
  }

  refundState(refund: NewRefund, note: string): Promise<RefundState> {
    return stateOfRefund(this.#call, refund, { text: note, now: this.#context.now() })
  }

  async verify({ body }: WebhookRequest): Promise<Webhook | undefined> {
    const fields = rawFieldsOf(body)
    if (!fields || !isSigned(fields, this.#settings.password)) throw new Unauthorized('the Token is wrong')
    if (fields.TerminalKey !== this.#settings.terminalKey) throw new Unauthorized('it is of another terminal')
    const { data } = Notification.safeParse(fields)
    // Receipts and bindings are signed too, and concern no payment of a link.
    if (!data || data.Status === 'RECEIPT') return undefined
    const webhook = { id: String(fields.Token).toLowerCase(), reference: data.PaymentId }
    const amount = Number(data.Amount)
    if (data.Status !== 'CONFIRMED' || fields.Success !== true || !Number.isSafeInteger(amount))
      return webhook
    return { ...webhook, payment: { status: 'COMPLETED', number: data.PaymentId, amount } }
  }

  async checkCredentials(): Promise<CheckResult[]> {
    try {
      const fields = { OrderId: `check-${this.#context.now()}` }
      const code = await this.#call({ operation: 'CheckOrder', fields }, answers.CHECK_ORDER)
      return [{ isGood: true, text: `the credentials work (CheckOrder: ${code})` }]
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      return [{ isGood: false, text: error.message }]
    }
  }

  async checkWebhook({ url }: WebhookCheck): Promise<CheckResult[]> {
    return [{ isGood: true, text: `every code is registered with the address ${url}` }]
  }
}
