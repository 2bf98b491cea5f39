// Tochka Pay Gateway: codes, sales, bound accounts and refunds of one site («API Приёма платежей», 1.0).
import type { CheckResult, WebhookRequest } from '../../partner.ts'
import type {
  Bank,
  Code,
  CodeState,
  CodeType,
  NewRefund,
  NewSale,
  RefundState,
  Webhook,
  WebhookCheck,
} from '../bank.ts'
import type { BankBindings } from '../bank-bindings.ts'
import type { BankContext, BankKind } from '../bank-kind.ts'
import { PayBindings } from './bindings.ts'
import { checkAccess, checkKey } from './check.ts'
import { type PayCall, payCall } from './client.ts'
import { Counter } from './counter.ts'
import { credentialsOf, type Settings } from './credentials.ts'
import { refundPayment, stateOfRefund } from './refunds.ts'
import { PaySite } from './site.ts'
import { SiteFields } from './site-fields.ts'
import { codeState } from './states.ts'
import { TestPayments } from './test-payments.ts'
import { verifyWebhook } from './webhook.ts'

export const tochkaPay: BankKind = {
  kind: 'tochka-pay',
  baseUrl: 'https://enter.tochka.com/uapi',
  credentials: (secret) =>
    credentialsOf(secret).transform((settings) => (context) => new TochkaPay(settings, context)),
  site: SiteFields,
}

class TochkaPay implements Bank {
  readonly title = 'Tochka Pay Gateway'
  readonly identity: string
  readonly types: readonly CodeType[] = ['DYNAMIC', 'STATIC', 'COUNTER', 'TOKEN']
  readonly takesOpenAmounts = true
  readonly refundKey = 'ASKED'
  readonly armsByKey = true
  readonly refundsComparedBy = 'KEY'
  readonly webhookAnswer = ''
  readonly lacks = [
    'cancel a link: it can be paid until it expires',
    'list the payments of the site: reconcile asks about each code, and finds no payment of a code that neither disk nor service has',
    'list more than a page of a code’s payments: those of the other pages are known by their webhooks alone',
    'reserve the id of a cashbox code: the bank does it, and cashRegisterQrcIds has it',
    'deactivate a cashbox code by the id of an activation: see the guide for another program that activates the code',
    'end a binding: the customer’s bank goes on showing the consent after you delete a token',
    'tell of refunds that are made in its console',
  ]
  readonly bindings: BankBindings

  readonly #settings: Settings
  readonly #context: BankContext
  readonly #call: PayCall
  readonly #tests: TestPayments
  readonly #counter: Counter

  constructor(settings: Settings, context: BankContext) {
    this.identity = `tochka-pay:${settings.siteUid}`
    this.#settings = settings
    this.#context = context
    this.#call = payCall(settings, context)
    this.#tests = new TestPayments(settings.test, context)
    this.#counter = new Counter(this.#call, this.#tests, context.now)
    this.bindings = new PayBindings(this.#call, this.#tests)
  }

  forSite(site: unknown): PaySite {
    return new PaySite(SiteFields.parse(site), {
      call: this.#call,
      tests: this.#tests,
      counter: this.#counter,
    })
  }

  state(code: Code): Promise<CodeState> {
    return code.type === 'COUNTER' ? this.#counter.state(code) : codeState(this.#call, code, this.#tests)
  }

  refund(refund: NewRefund): Promise<RefundState> {
    return refundPayment(this.#call, refund)
  }

  refundState(refund: NewRefund, note: string): Promise<RefundState> {
    return stateOfRefund(this.#call, refund, { note, now: this.#context.now() })
  }

  arm(code: Code, sale: NewSale, signal: AbortSignal): Promise<string> {
    return this.#counter.arm(code, sale, signal)
  }

  disarm(code: Code, signal: AbortSignal): Promise<void> {
    return this.#counter.disarm(code, signal)
  }

  verify(request: WebhookRequest): Promise<Webhook | undefined> {
    return verifyWebhook(request, this.#settings, this.#tests)
  }

  async checkCredentials(): Promise<CheckResult[]> {
    const access = await checkAccess(this.#call, this.#context.now())
    return [access, await checkKey(this.#context, this.#settings.webhookKey)]
  }

  async checkWebhook({ url }: WebhookCheck): Promise<CheckResult[]> {
    return [{ isGood: true, text: `every code, sale, charge and refund is sent with the address ${url}` }]
  }
}
