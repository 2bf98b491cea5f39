// A fake of Tochka Pay Gateway, made of its document: codes, cashbox codes, consents, charges, refunds. It executes each repeat again.
import { type BankCall, type BankReply, linkId } from './fake-bank.ts'
import { NewCharge, NewRefund, read } from './tochka-pay/bodies.ts'
import { ERRORS, errorReply, Refusal, refusal } from './tochka-pay/errors.ts'
import { PayPeople } from './tochka-pay/people.ts'
import {
  type Code,
  codeShape,
  decisionShape,
  type Payment,
  paymentShape,
  refundShape,
} from './tochka-pay/records.ts'
import { idsOf, operationOf, partsOf } from './tochka-pay/routes.ts'

/** Why a test scenario declines. */
const DECLINED = 'INSUFFICIENT_FUNDS'
const ONCE = { times: 1 }

/** Errors after which nobody knows whether the call was executed. */
const UNKNOWN = ERRORS.filter(({ status }) => status > 423 || status === 401 || status === 403)

export class FakeTochkaPay extends PayPeople {
  /** How often the webhook of a charge or refund goes out after the answer. */
  callbackTimes: () => number = () => 0
  /** The operations whose answers do not have yet what was done. */
  readonly lagging = new Set<string>()
  /** What the bank answers to the question about a consent that nobody has given or refused: not in the document. */
  unanswered: BankReply = refusal('PAYMENT_NOT_FOUND').reply
  refundsPerPage = 100
  #failures = 0

  protected operationOf({ method, path }: Omit<BankCall, 'operation'>): string {
    return operationOf(method, path)
  }

  protected execute(call: BankCall): BankReply {
    if (call.operation === 'key') return { status: 200, body: this.keys.published }
    try {
      this.#admit(call)
      return this.#carryOut(call)
    } catch (error) {
      if (error instanceof Refusal) return error.reply
      throw error
    }
  }

  /** In turn each documented error that does not say whether the call was executed. */
  protected failureOf(): BankReply {
    const row = UNKNOWN[this.#failures++ % UNKNOWN.length]
    if (!row) throw new Error('the table of errors is empty')
    return errorReply(row)
  }

  /** A cashbox code never states a sale that is over: what a call ends is decided by that. */
  protected override isLasting({ operation }: BankCall): boolean {
    return operation !== 'cashbox_status'
  }

  #admit({ operation, path, headers, text }: BankCall): void {
    const { authorization = '' } = headers
    if (!/^Bearer \S+$/.test(authorization)) throw refusal('INCORRECT_FORMAT')
    if (authorization !== `Bearer ${this.jwt}`) throw refusal('UNKNOWN_TOKEN')
    if (partsOf(path).siteUid !== this.siteUid) throw refusal('MERCHANT_SITE_NOT_FOUND')
    const isSigned = operation === 'charge' || operation === 'refund'
    if (isSigned && !this.keys.isSigned(text, headers.signature))
      throw refusal('SIGNATURE_VERIFICATION_ERROR')
  }

  #carryOut(call: BankCall): BankReply {
    const { operation, method, path, query, body } = call
    if (operation === 'register') return this.#registered(this.codes.register(body))
    if (operation === 'register_cashbox') return this.#content(this.codes.registerCashbox(body))
    if (operation === 'charge') return this.#charge(body)
    const ids = idsOf(method, path)
    if (ids.paymentUid !== undefined) return this.#ofPayment(call, this.ledger.payment(ids.paymentUid), ids)
    if (ids.qrcId !== undefined) return this.#ofCode(call, this.codes.named(ids.qrcId, query), ids)
    return { status: 404, body: '<html></html>' }
  }

  #ofPayment(
    { operation, body }: BankCall,
    payment: Payment,
    { refundUid }: Record<string, string>,
  ): BankReply {
    const lags = this.lagging.has(operation)
    if (operation === 'refund') return this.#refund(payment, body)
    if (operation === 'refunds') return this.#listRefunds(lags ? { ...payment, refunds: [] } : payment)
    if (lags) throw refusal('PAYMENT_NOT_FOUND')
    if (operation === 'payment') return ok(this.#stated(payment))
    const refund = payment.refunds.findLast((each) => each.refundUid === refundUid)
    // The document has no error of a refund.
    if (!refund) throw refusal('PAYMENT_NOT_FOUND')
    return ok(refundShape(payment, refund))
  }

  #ofCode({ operation, body }: BankCall, code: Code, { activationUid }: Record<string, string>): BankReply {
    const payments = this.lagging.has(operation) ? [] : code.payments
    if (operation === 'code') return this.#content(code)
    if (operation === 'code_payments') return ok(payments.map((payment) => this.#stated(payment)))
    if (operation === 'tokenization') return this.#decision(code)
    if (operation === 'activate') return this.#activate(code, body)
    if (operation === 'deactivate') {
      this.codes.deactivate(code)
      return ok({})
    }
    if (operation === 'cashbox_status') return ok(this.codes.status(code))
    const payment = payments.findLast((each) => each.activationUid === activationUid)
    if (!payment) throw refusal('PAYMENT_NOT_FOUND')
    return ok(this.#stated(payment))
  }

  #content = (code: Code): BankReply => ok(codeShape(code, this.codes.isTest))

  #decision(code: Code): BankReply {
    const isDecided = code.tokenization !== undefined && code.tokenization.state !== 'WAITING'
    return isDecided ? ok(decisionShape(code)) : this.unanswered
  }

  /** While the list of refunds lags behind, so does their sum. */
  #stated(payment: Payment): object {
    return paymentShape(payment, this.lagging.has('refunds') ? [] : payment.refunds)
  }

  #listRefunds(payment: Payment): BankReply {
    const { refundsPerPage } = this
    const { refunds } = payment
    const page = refunds.slice(0, refundsPerPage).map((refund) => refundShape(payment, refund))
    return ok(page, Math.max(1, Math.ceil(refunds.length / refundsPerPage)))
  }

  #registered(code: Code): BankReply {
    const { createQrc } = code.scenarios
    if (createQrc === 'OK_PAYMENT_REJECTED') this.webhooks.sendSoon(this.paid(code, DECLINED).events, ONCE)
    if (createQrc.startsWith('OK_PAYMENT_A')) this.webhooks.sendSoon(this.paid(code).events, ONCE)
    if (createQrc.includes('SUBSCRIPTION') && code.tokenization)
      this.webhooks.sendSoon([this.decided(code, createQrc.endsWith('ACCEPTED'))], ONCE)
    return this.#content(code)
  }

  #activate(code: Code, body: unknown): BankReply {
    const { activationUid, scenarios } = this.codes.activate(code, body)
    const { activateCRQRC } = scenarios
    if (activateCRQRC === 'OK_PAYMENT_REJECTED')
      this.webhooks.sendSoon(this.paid(code, DECLINED).events, ONCE)
    if (activateCRQRC === 'OK_PAYMENT_ACCEPTED') this.webhooks.sendSoon(this.paid(code).events, ONCE)
    return ok({ activationUid })
  }

  /** The token decides: the document has no other check. */
  #charge(body: unknown): BankReply {
    const { paymentUid, amount, paymentMethod, orderUid, comment, metadata, callbackUrl } = read(
      NewCharge,
      body,
    )
    const scenarios = this.codes.scenariosOf(comment)
    const { payWithToken } = scenarios
    if (payWithToken === 'ERROR') throw refusal('INTERNAL_ERROR')
    const payment = this.ledger.charge(
      {
        ...{ paymentUid, amount, orderUid, comment, metadata, callbackUrl, scenarios, type: 'SBP_TOKEN' },
        ...{ qrcId: linkId('AD1000'), merchantQrcId: undefined, activationUid: undefined },
        isTest: this.codes.isTest,
      },
      this.codes.isBound(paymentMethod),
      payWithToken === 'OK_REJECTED' ? DECLINED : undefined,
    )
    const isTold = this.codes.isTest && payWithToken !== 'OK_WITHOUT_CALLBACKS'
    this.webhooks.sendSoon([this.paymentUpdated(payment)], isTold ? ONCE : { times: this.callbackTimes() })
    return ok(this.#stated(payment))
  }

  #refund(payment: Payment, body: unknown): BankReply {
    const asked = read(NewRefund, body)
    const { refund: scenario } = payment.scenarios
    if (scenario === 'ERROR') throw refusal('INTERNAL_ERROR')
    const refund = this.ledger.give(payment, asked, scenario === 'OK_REJECTED' ? DECLINED : undefined)
    const isTold = scenario === 'OK_ACCEPTED' || scenario === 'OK_REJECTED'
    this.webhooks.sendSoon(
      [this.refundUpdated(payment, refund)],
      isTold ? ONCE : { times: this.callbackTimes() },
    )
    return ok(refundShape(payment, refund))
  }
}

const ok = (Data: object, totalPages = 1): BankReply => ({
  status: 200,
  body: { Data, Links: { self: 'https://bank/self' }, Meta: { totalPages } },
})
