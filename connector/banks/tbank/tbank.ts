// T-Bank: dynamic codes of its internet acquiring (T-Bank acquiring API 1.80, the SBP operations).
import * as z from 'zod'
import { noticeOf } from '../../cash-registers/tbank/notice.ts'
import type { CheckResult, WebhookRequest } from '../../partner.ts'
import type {
  Bank,
  BankPayment,
  Code,
  CodeState,
  CodeType,
  NewRefund,
  RefundState,
  SiteBank,
  Webhook,
  WebhookCheck,
} from '../bank.ts'
import type { BankBindings } from '../bank-bindings.ts'
import { Unauthorized } from '../bank-errors.ts'
import type { BankContext, BankKind } from '../bank-kind.ts'
import { IDENTIFIER } from '../identifiers.ts'
import { rawFieldsOf } from '../raw-json.ts'
import { TBankBindings } from './bindings.ts'
import { checkTerminal, paymentState, type Settings, type TBankCall, tbankCall } from './client.ts'
import { refundPayment, stateOfRefund } from './refunds.ts'
import { registerCode } from './registers.ts'
import { OVER, PAID, REFUNDED } from './statuses.ts'
import { isSigned } from './token.ts'

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
  PaymentId: z.string(),
  OrderId: z.string().exactOptional(),
  Status: z.string(),
  Amount: z.string().optional(),
})
/** The notification of a request to bind an account. Its `AccountToken` is not read. */
const LinkNotification = z.object({
  NotificationType: z.literal('LINKACCOUNT'),
  RequestKey: z.string().regex(IDENTIFIER),
  Status: z.string(),
  BankMemberId: z.string().min(1).max(64).exactOptional(),
})

const IN_PROGRESS = ['AUTHORIZING', 'AUTHORIZED', 'CONFIRMING']
const DECLINED = ['REJECTED', 'AUTH_FAIL']

class TBank implements Bank {
  readonly title = 'T-Bank'
  readonly identity: string
  readonly types: readonly CodeType[] = ['DYNAMIC', 'TOKEN']
  readonly takesOpenAmounts = false
  readonly refundKey = 'NONE'
  readonly refundsComparedBy = 'PAYMENT'
  readonly takesReceipts = true
  readonly webhookAnswer = 'OK'
  readonly lacks = [
    'cancel a link: it can be paid until it expires',
    'register codes under 10 roubles, static and cashbox codes',
    'send the payer back to redirectUrl',
    'find a refund again whose answer was lost: it is held until you settle it',
    'state how much of a payment is refunded: only that all of it is',
    'end a binding: the customer’s bank goes on showing the consent after you delete a token',
  ]
  readonly bindings: BankBindings

  readonly #settings: Settings
  readonly #context: BankContext
  readonly #call: TBankCall

  constructor(settings: Settings, context: BankContext) {
    this.identity = `tbank:${settings.terminalKey}`
    this.#settings = settings
    this.#context = context
    this.#call = tbankCall(settings, context)
    this.bindings = new TBankBindings(this.#call, context.now)
  }

  forSite(): SiteBank {
    const { now } = this.#context
    return { register: (code, signal) => registerCode(this.#call, code, { now: now(), signal }) }
  }

  async state({ reference, amount }: Code): Promise<CodeState> {
    const state = await paymentState(this.#call, reference)
    const { Status = '', OrderId: order } = state
    // After a refund the bank may state what is left. Nobody pays nothing.
    const named = state.Amount || undefined
    const stated = Status === 'CONFIRMED' ? named : undefined
    const paid = stated ?? amount ?? named
    if (paid === undefined) return { payments: [], isPending: false }
    const isAmountAssumed = stated === undefined
    const ids = { number: reference, ...(order !== undefined && { order }) }
    const payment: Omit<BankPayment, 'status'> = { ...ids, amount: paid, isAmountAssumed }
    const isOver = OVER.includes(Status)
    if (DECLINED.includes(Status)) {
      return { payments: [{ ...payment, status: 'DECLINED', reason: Status }], isPending: false, isOver }
    }
    if (!PAID.includes(Status)) return { payments: [], isPending: IN_PROGRESS.includes(Status), isOver }
    // The bank states no sum of refunds: GetQrState has that of the last cancellation, perhaps of a failed one.
    const refunded = REFUNDED[Status]
    return {
      payments: [{ ...payment, status: 'COMPLETED' }],
      isPending: false,
      ...(refunded && { refunded }),
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
    const id = String(fields.Token).toLowerCase()
    const link = LinkNotification.safeParse(fields).data
    if (link) {
      const { RequestKey: request, Status, BankMemberId: bankMemberId } = link
      const isActive = Status === 'ACTIVE' && fields.Success === true
      return { id, binding: { request, isActive, ...(bankMemberId && { bankMemberId }) } }
    }
    const { data } = Notification.safeParse(fields)
    // Saved cards are signed too, and concern no payment of a link.
    if (!data) return undefined
    const { PaymentId: reference, OrderId: order } = data
    const ordered = order === undefined ? {} : { order }
    const webhook = { id, reference, ...ordered }
    if (data.Status === 'RECEIPT') {
      const receipt = noticeOf(fields)
      return receipt && { ...webhook, receipt }
    }
    const amount = Number(data.Amount)
    // Where no payment can have the amount, the bank is asked.
    const isAmount = Number.isSafeInteger(amount) && amount > 0
    if (data.Status !== 'CONFIRMED' || fields.Success !== true || !isAmount) return webhook
    return { ...webhook, payment: { status: 'COMPLETED', number: data.PaymentId, ...ordered, amount } }
  }

  checkCredentials(): Promise<CheckResult[]> {
    return checkTerminal(this.#call, this.#context.now())
  }

  async checkWebhook({ url }: WebhookCheck): Promise<CheckResult[]> {
    return [
      { isGood: true, text: `every code is registered with the address ${url}` },
      {
        isGood: true,
        text:
          `consents to bind an account go to the terminal’s address: set ${url} in the console of the acquiring, ` +
          'Магазины → Настройки → уведомления по HTTP(s); without it the bank is asked about each',
      },
    ]
  }
}
