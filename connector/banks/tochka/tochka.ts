// Tochka: dynamic, static and cashbox codes, refunds of dynamic ones (Tochka API 1.91).
import * as z from 'zod'
import { roublesOf } from '../../amounts.ts'
import type { WebhookRequest } from '../../partner.ts'
import type { Bank, Code, CodeState, CodeType, NewRefund, NewSale, RefundState, Webhook } from '../bank.ts'
import { notInDoubt, Refused, Unavailable } from '../bank-errors.ts'
import type { BankContext, BankKind } from '../bank-kind.ts'
import { Bearer } from '../bearer.ts'
import { moscowDay } from '../moscow.ts'
import { changes, reads } from './answers.ts'
import * as bodies from './bodies.ts'
import { checkCredentials, checkWebhook, type Settings } from './check.ts'
import { type TochkaCall, tochkaCall } from './client.ts'
import { refundStateOf } from './refunds.ts'
import { TochkaSite } from './site.ts'
import { declined, listedState, saleState } from './states.ts'
import { TochkaWebhooks } from './webhook.ts'

/** How long the status of a payment can be asked for; afterwards the list of payments has it. */
const STATUS_MS = 24 * 3_600_000

const Site = z.strictObject({
  merchantId: z.string().regex(/^[A-Za-z0-9]{12}$/, 'must be 12 characters, MF…'),
  accountId: z
    .string()
    .regex(/^\d{20}\/\d{9}$/, 'must be the account, a slash and the BIC: 40702…/044525104'),
})

export const tochka: BankKind = {
  kind: 'tochka',
  baseUrl: 'https://enter.tochka.com/uapi',
  credentials: (secret) =>
    z
      .strictObject({
        clientId: z.string().min(1),
        customerCode: z.string().regex(/^\d{9}$/, 'must be 9 digits'),
        jwt: secret.pipe(Bearer),
      })
      .transform((settings) => (context) => new Tochka(settings, context)),
  site: Site,
}

class Tochka implements Bank {
  readonly title = 'Tochka'
  readonly identity: string
  readonly types: readonly CodeType[] = ['DYNAMIC', 'STATIC', 'COUNTER']
  readonly takesOpenAmounts = true
  readonly refundKey = 'NONE'
  readonly refundsComparedBy = 'NOTE'
  readonly webhookAnswer = ''
  readonly lacks = [
    'cancel a link: it can be paid until it expires',
    'refund payments of static and cashbox codes: refund them in the bank’s console',
    'tell the amount of a payment of a static code without one, if its webhook is lost: see reconcile',
    'find an arming again whose answer was lost: the webhook of its payment stays listed here, and you report the payment by hand',
    'find a refund again whose answer was lost: it is held until you settle it',
    'tell of refunds that are made in its console',
  ]

  readonly #settings: Settings
  readonly #context: BankContext
  readonly #call: TochkaCall
  readonly #webhooks: TochkaWebhooks

  constructor(settings: Settings, context: BankContext) {
    this.identity = `tochka:${settings.customerCode}`
    this.#settings = settings
    this.#context = context
    this.#call = tochkaCall(settings.jwt, context)
    this.#webhooks = new TochkaWebhooks(settings.customerCode, context)
  }

  forSite(site: unknown): TochkaSite {
    return new TochkaSite(Site.parse(site), this.#call, this.#settings)
  }

  async state(code: Code): Promise<CodeState> {
    if (code.type === 'COUNTER') return this.#saleState(code)
    const isRecent = this.#context.now() - code.createdAt < STATUS_MS
    if (code.type === 'DYNAMIC' && isRecent) {
      const { Data } = await this.#call(reads(bodies.PaymentStatus), {
        operation: 'status',
        method: 'GET',
        url: `/sbp/v1.0/qr-codes/${encodeURIComponent(code.qrcId)}/payment-status`,
      })
      const found = Data.paymentList.find(({ qrcId }) => qrcId === code.qrcId)
      const status = found?.status ?? 'NotStarted'
      if (!['NotStarted', 'Rejected', 'Accepted'].includes(status)) return { payments: [], isPending: true }
      if (status === 'Accepted') return this.#listed(code, true)
      const payments = status === 'Rejected' ? declined(code, found?.trxId) : []
      // The status is of the latest attempt: after the end only the complete list says that none was paid.
      if (!this.#hasEnded(code)) return { payments, isPending: false }
      const listed = await this.#listed(code, false)
      return {
        ...listed,
        payments: [...payments, ...listed.payments.filter((each) => each.status === 'COMPLETED')],
      }
    }
    return this.#listed(code, false)
  }

  #hasEnded({ endsAt }: Code): boolean {
    return endsAt !== undefined && this.#context.now() >= endsAt
  }

  /** Only the list has the number of the payment by which webhooks name it, too. It has no amount. */
  async #listed(code: Code, isExpected: boolean): Promise<CodeState> {
    const { qrcId, createdAt } = code
    const payments = await this.#payments({ qrcId, fromDate: moscowDay(createdAt) })
    return listedState(code, payments, isExpected)
  }

  async refund({ type, qrcId, reference, number, paidFrom, amount }: NewRefund): Promise<RefundState> {
    if (type === 'STATIC' || type === 'COUNTER') {
      throw new Refused('Tochka: payments of static and cashbox codes are refunded in its console')
    }
    const { accountId } = partsOf(reference)
    const [accountCode, bankCode] = accountId.split('/')
    // Of several payments of one link only the number says which one is refunded.
    const refTransactionId = number || (await notInDoubt(this.#numberOf(qrcId, paidFrom)))
    const { Data } = await this.#call(changes(bodies.Refund), {
      operation: 'refund',
      method: 'POST',
      url: '/sbp/v1.0/refund',
      body: {
        Data: { accountCode, bankCode, amount: roublesOf(amount), currency: 'RUB', qrcId, refTransactionId },
      },
    })
    return refundStateOf(Data)
  }

  async refundState(_: NewRefund, note: string): Promise<RefundState> {
    const { Data } = await this.#call(reads(bodies.Refund), {
      operation: 'refund_status',
      method: 'GET',
      url: `/sbp/v1.0/refund/${encodeURIComponent(note)}`,
    })
    if (Data.requestId !== note) {
      throw new Unavailable('refund_status: the answer is of another refund', { isInDoubt: false })
    }
    return refundStateOf(Data)
  }

  /** The last part of a sale's reference is the bank's id of the arming; a code without one has no payment. */
  async #saleState({ qrcId, reference, amount }: Code): Promise<CodeState> {
    const { paramsId } = partsOf(reference)
    if (!paramsId) return { payments: [], isPending: false }
    const { Data } = await this.#call(reads(bodies.Operation), {
      operation: 'sale_status',
      method: 'GET',
      url: `/sbp/v1.0/cashbox-qr-code/${encodeURIComponent(qrcId)}/operation?paramsId=${encodeURIComponent(paramsId)}`,
    })
    return saleState(Data, paramsId, amount)
  }

  async arm({ qrcId, reference }: Code, sale: NewSale, signal: AbortSignal): Promise<string> {
    const { Data } = await this.#call(changes(bodies.Activated), {
      operation: 'arm',
      method: 'POST',
      url: `/sbp/v1.0/cashbox-qr-code/${encodeURIComponent(qrcId)}/activate`,
      body: { Data: { amount: sale.amount, currency: 'RUB', paymentPurpose: sale.purpose, ttl: sale.ttl } },
      signal,
    })
    if ((Data.qrcId ?? qrcId) !== qrcId || (Data.amount ?? sale.amount) !== sale.amount) {
      throw new Unavailable('arm: the answer is of another code or amount', { isInDoubt: true })
    }
    return `${reference}:${Data.paramsId}`
  }

  async disarm({ qrcId }: Code, signal: AbortSignal): Promise<void> {
    await this.#call(changes(bodies.Disarmed), {
      operation: 'disarm',
      method: 'POST',
      url: `/sbp/v1.0/cashbox-qr-code/${encodeURIComponent(qrcId)}/deactivate`,
      signal,
    })
  }

  verify(request: WebhookRequest): Promise<Webhook | undefined> {
    return this.#webhooks.verify(request)
  }

  async payments(from: Date, to: Date): Promise<{ qrcId: string; number: string }[]> {
    const payments = await this.#payments({
      fromDate: moscowDay(from.getTime()),
      toDate: moscowDay(to.getTime()),
    })
    return payments
      .filter(({ status }) => status === 'Accepted')
      .map(({ qrcId, refTransactionId: number }) => ({ qrcId, number }))
  }

  checkCredentials: Bank['checkCredentials'] = () => checkCredentials(this.#call, this.#settings)
  checkWebhook: Bank['checkWebhook'] = (check) => checkWebhook(this.#call, this.#settings, check)

  async #numberOf(qrcId: string, paidFrom: number): Promise<string> {
    const payments = await this.#payments({ qrcId, fromDate: moscowDay(paidFrom) })
    const [accepted, second] = payments.filter(({ status }) => status === 'Accepted')
    if (accepted === undefined || second !== undefined) {
      const found = second ? 'several payments' : 'no payment'
      throw new Unavailable(`refund: the bank lists ${found} of this link`, { isInDoubt: false })
    }
    return accepted.refTransactionId
  }

  async #payments(
    query: Record<string, string>,
  ): Promise<z.output<typeof bodies.Payments>['Data']['Payments']> {
    const payments: z.output<typeof bodies.Payments>['Data']['Payments'] = []
    for (let page = 1; ; page++) {
      const { customerCode } = this.#settings
      const parameters = new URLSearchParams({ customerCode, ...query, page: String(page), perPage: '1000' })
      const { Data, Meta } = await this.#call(reads(bodies.Payments), {
        operation: 'payments',
        method: 'GET',
        url: `/sbp/v1.0/get-sbp-payments?${parameters}`,
      })
      if (Data.Payments.some(({ qrcId }) => qrcId !== (query.qrcId ?? qrcId))) {
        throw new Unavailable('payments: the list is of another code', { isInDoubt: false })
      }
      payments.push(...Data.Payments)
      if (page >= Meta.totalPages) return payments
      // It would go on for as many pages as the bank says, and what it lacks could be the payment.
      if (Data.Payments.length === 0) {
        throw new Unavailable(`payments: the page ${page} of the list is empty`, { isInDoubt: false })
      }
    }
  }
}

/** A reference is `{merchantId}:{accountId}`; of a sale, `:{paramsId}` follows. */
function partsOf(reference: string): { merchantId: string; accountId: string; paramsId: string } {
  const [merchantId = '', accountId = '', paramsId = ''] = reference.split(':')
  return { merchantId, accountId, paramsId }
}
