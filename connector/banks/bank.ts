// The interface that each bank in banks/ implements. Amounts are kopecks, times Unix milliseconds; what a bank lacks is absent.

import type { CheckResult, WebhookRequest } from '../partner.ts'
import type { BankBindings } from './bank-bindings.ts'
import type { DocumentNotice, RidingReceipt } from './bank-receipts.ts'
import type { Change } from './change-id.ts'
import type { PaymentMethod } from './payment-method.ts'

/** `TOKEN`: it binds an account and takes no payment. */
export type CodeType = 'DYNAMIC' | 'STATIC' | 'COUNTER' | 'TOKEN'

/** A code to be registered. */
export interface NewCode {
  type: CodeType
  /** The same for every repeat of this registration, on any disk: 32 of `A-Z 0-9`. */
  key: string
  /** A fresh identifier of this registration, at most 36 of `a-z 0-9`. It is on disk before the bank is called. */
  order: string
  /** Always given for DYNAMIC; for STATIC unless the bank takes open amounts. */
  amount: number | undefined
  purpose: string
  /** Minutes. */
  ttl: number | undefined
  expiresAt: number | undefined
  redirectUrl: string | undefined
  /** What an account is bound for. Given where the code asks for one: for TOKEN, and for DYNAMIC with `CREATE_TOKEN`. */
  tokenizationPurpose: string | undefined
  /** Where the bank's webhooks go. */
  webhookUrl: string
  /** Given only to a bank that `takesReceipts`. */
  receipt?: RidingReceipt
  /** The reserved id of a COUNTER code, on disk before the bank is called. Given where the site has `reservedQrcIds`. */
  qrcId?: string
}

/** A registered link. */
export interface Link {
  qrcId: string
  payload: string
  /** The data that later calls need in addition to the credentials: the part of a `reference` after the bank's name. */
  reference: string
  /** The bank's id of the request to bind an account, where the code asks for one: 1 to 64 of `A-Z a-z 0-9 . _ -`. */
  request?: string
}

/** A registered code, as the bank's calls get it; if the disk does not have the code, all fields come from the service. */
export interface Code {
  type: CodeType
  qrcId: string
  /** Without the bank's name. */
  reference: string
  amount: number | undefined
  createdAt: number
  /** Where it is known and not open-ended: by then the bank takes no new payment. */
  endsAt?: number | undefined
}

/** The key that distinguishes a payment from all others of the same bank. */
export const paymentKeyOf = ({ key, number }: BankPayment): string => key ?? number

/** What a bank states of a payment's identity, and what the disk has of it. */
export interface PaymentId {
  key: string
  number: string
}

/** A payment as the bank states it. */
export interface BankPayment {
  status: 'COMPLETED' | 'DECLINED'
  /** The bank's number, for the operator and for refunds. */
  number: string
  /** The order under which its code was registered, where the bank's settlement files name the payment by it. */
  order?: string
  /** The key that is stable for this payment; by default its number. */
  key?: string
  amount: number
  /** Whether the bank has not stated the amount: then it is the code's. */
  isAmountAssumed?: boolean
  /** ISO 8601 with an offset. */
  paidAt?: string
  reason?: string
  payer?: { phone?: string; bankMemberId?: string }
  method?: PaymentMethod
  /** The data that a refund of this payment needs, where they are more than the code's. */
  reference?: string
}

/** What a bank says of a code. */
export interface CodeState {
  payments: BankPayment[]
  /** Whether the code can have further payments, which the bank does not state. */
  isPartial?: boolean
  /** Whether a payment is in progress: it is asked about again, also after the end of the code. */
  isPending: boolean
  /** Whether the bank states that nothing will be paid any more. It counts after the end of the code. */
  isOver?: boolean
  /** What the bank states to be refunded of the payment, by whomever. */
  refunded?: 'ALL' | 'PART'
}

/** A refund to be carried out. */
export interface NewRefund {
  /** At most 40 of `a-f 0-9`, the same for every attempt of this refund. */
  key: string
  /** Of its code, where the disk knows it. */
  type: CodeType | undefined
  qrcId: string
  reference: string
  /** The order under which its code was registered, or its charge made; undefined where this disk does not have it. */
  order: string | undefined
  /** The bank's number of the payment, where it is known. */
  number: string | undefined
  paidFrom: number
  amount: number
  /** Where the bank's webhooks go; undefined where it is not configured any more. */
  webhookUrl: string | undefined
  /** Whether it is the first refund of its payment, beyond doubt. */
  isFirst: boolean
  /** Whether the code has no other completed payment. */
  isOfOnlyPayment: boolean
  /** Given only to a bank that `takesReceipts`. */
  receipt?: RidingReceipt
}

/**
 * `REPEATED`: it is sent under a key of ours, by which it is asked about and sent again. `ASKED`: what a repeat of the key does is
 * not documented, so it is only asked about. `NONE`: the bank takes no key of ours.
 */
export type RefundKey = 'REPEATED' | 'ASKED' | 'NONE'

/** The refund as the bank states it; `note` is the bank's own text for later status calls. */
export type RefundState =
  | { status: 'COMPLETED'; note?: string }
  | { status: 'DECLINED'; reason: string; note?: string }
  | { status: 'PENDING'; note: string }
  /** Nothing that the bank says decides; without a note, nothing that it will say does. */
  | { status: 'IN_DOUBT'; reason: string; note?: string }

/** An arming of a COUNTER code. */
export interface NewSale {
  /** 32 of `0-9 a-f`, the same for every repeat of this sale and amount, on any disk. */
  key: string
  amount: number
  purpose: string
  /** Minutes. */
  ttl: number
  webhookUrl: string
  /** The references of the latest other armings of this code. */
  earlier: readonly string[]
}

/** What a verified webhook says. */
export interface Webhook {
  /** The same for every repeat. */
  id: string
  /** How the code is found: by one of these, as they were registered. */
  qrcId?: string
  reference?: string
  /** The payment, where the signature covers all of it. */
  payment?: BankPayment
  /** The key of the sale that was paid, where the bank names it: see NewSale. */
  saleKey?: string
  /** The bank's number of the payment, where the webhook is about a refund of it. */
  refundOf?: string
  /** Where the bank states it: what has changed, and when. An earlier change of the same is not reported after a later one that is final. */
  change?: Change
  /** The order of the registration or of the charge, where the bank states it. */
  order?: string
  /** The state of a request to bind an account. It is not about a payment. */
  binding?: { request: string; isActive: boolean; bankMemberId?: string }
  /** A document of the bank's own cash register. It is not about a state of the payment. */
  receipt?: DocumentNotice
  /** Whether nobody has signed it: nothing of it is stored, and the bank is asked about a binding that is known. */
  isUnsigned?: boolean
  /** Without `payment`: the bank's state must have a payment of exactly that time; until then the webhook stays on disk. */
  paidAt?: string
  /** What the code's reference must begin with: a webhook about another merchant is not reported. */
  owner?: string
}

export interface WebhookCheck {
  url: string
  /** Whether the webhook may be set at the bank. */
  register: boolean
}

/** One set of credentials at a bank. */
export interface Bank {
  /** As messages name it. */
  title: string
  /** The owner of the credentials: two sets with one identity see each other's codes. */
  identity: string
  types: readonly CodeType[]
  /** Whether a STATIC code can be without an amount, so that the payer types it. */
  takesOpenAmounts: boolean
  /** By what a refund whose answer is lost is found again. See money/refund/rule.ts. */
  refundKey: RefundKey
  /** Whether receipts are a part of its calls, because it has a cash register of its own. */
  takesReceipts?: boolean
  /** Whether a sale is armed under its key: then its reference is that of the code, a colon and the key, and known before the call. */
  armsByKey?: boolean
  /** The body of the response to an accepted webhook. */
  webhookAnswer: string
  /** What the bank cannot do, for `check`. */
  lacks: readonly string[]
  /** How `reconcile` compares refunds: each by our key, each by the bank's number in its note, or all of a payment. */
  refundsComparedBy: 'KEY' | 'NOTE' | 'PAYMENT'

  /** Left out where the bank's document has no bound accounts. */
  bindings?: BankBindings

  /** @param site the site's own fields of the configuration, already validated */
  forSite(site: unknown): SiteBank
  state(code: Code): Promise<CodeState>
  /** Whether both are one payment, where the bank does not always state the same key. */
  isSamePayment?(a: PaymentId, b: PaymentId): boolean
  cancel?(code: Code): Promise<void>
  /** Whether the bank states that nobody can pay the code any more. */
  isClosed?(code: Code): Promise<boolean>
  /** Whether the bank states the link as paid, of which it may not state the payment yet. */
  isPaid?(code: Code): Promise<boolean>
  /** @throws Refused only where the bank's document says that nothing was done */
  refund(refund: NewRefund): Promise<RefundState>
  /** @throws NotKnown where the bank states that it does not have the refund */
  refundState(refund: NewRefund, note: string): Promise<RefundState>
  /** @returns the reference of the arming, by which `state` finds its payment */
  arm?(code: Code, sale: NewSale, signal: AbortSignal): Promise<string>
  /** @param code with the reference of the arming, where it is known */
  disarm?(code: Code, signal: AbortSignal): Promise<void>
  /**
   * @returns undefined for a webhook of the bank that concerns no payment, such as a test
   * @throws Unauthorized
   */
  verify(request: WebhookRequest): Promise<Webhook | undefined>
  /** Every payment of a period, where the bank has such a list. */
  payments?(from: Date, to: Date): Promise<{ qrcId: string; number: string }[]>
  checkCredentials(): Promise<CheckResult[]>
  checkWebhook(check: WebhookCheck): Promise<CheckResult[]>
}

/** A bank with the account of one site. */
export interface SiteBank {
  /** The ids that the bank has reserved for COUNTER codes, where it gives a code no id by itself. */
  readonly reservedQrcIds?: readonly string[]
  /** @throws QrcIdTaken where the reserved id is of another code */
  register(code: NewCode, signal: AbortSignal): Promise<Link>
  check?(): Promise<CheckResult[]>
}
