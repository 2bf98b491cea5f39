// Bound accounts at Tochka Pay Gateway: the payer's answer, and charges by its token under a paymentUid of ours.
import type { BankBindings, BindingState, ChargeState, NewCharge, OpenedCharge } from '../bank-bindings.ts'
import { NotKnown, Refused, Unavailable, undefinedIfNotKnown } from '../bank-errors.ts'
import { CHARGE, PAYMENT, TOKENIZATION } from './answers.ts'
import { chargeStateOf } from './charges.ts'
import type { PayCall } from './client.ts'
import { amountOf, paymentPathOf } from './requests.ts'
import type { TestPayments } from './test-payments.ts'

/** The longest `comment` of a payment; an empty one is not allowed. */
const MAX_COMMENT = 255

export class PayBindings implements BankBindings {
  readonly isFoundByOrder = true
  readonly isNamedByOrder = false
  readonly chargesByToken = true
  readonly method = 'sbp'
  readonly #call: PayCall
  readonly #tests: TestPayments

  constructor(call: PayCall, tests: TestPayments) {
    this.#call = call
    this.#tests = tests
  }

  /** @param request the `qrcId` of the code that asks for the consent */
  async state(request: string): Promise<BindingState> {
    const path = `/sbp/qrc/${encodeURIComponent(request)}/tokenization/result`
    const stated = await this.#call(TOKENIZATION, { operation: 'tokenization', method: 'GET', path })
    if (stated.qrcId !== request) {
      throw new Unavailable('tokenization: the answer is of another code', { isInDoubt: false })
    }
    if (stated.status === 'REJECTED') return { status: 'INACTIVE' }
    return { status: 'ACTIVE', token: stated.token, bankMemberId: stated.memberId }
  }

  /**
   * After a restore, both disks can lack a charge that was sent. The document does not say what a repeated id does, so the bank is
   * asked first.
   * @throws Unavailable after anything but 200 and 404 PAYMENT_NOT_FOUND
   */
  async open(charge: NewCharge): Promise<OpenedCharge> {
    const known = await this.chargeState(charge).catch(undefinedIfNotKnown)
    return { note: '', isBegun: known !== undefined }
  }

  async charge(charge: NewCharge, _note: string, token: string | undefined): Promise<ChargeState> {
    if (token === undefined) {
      throw new Unavailable('tokenization: ACCEPTED without a token', { isInDoubt: false })
    }
    try {
      return await this.#send(charge, token)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return await this.#refused(charge, error)
    }
  }

  async #send({ order, amount, purpose, webhookUrl }: NewCharge, token: string): Promise<ChargeState> {
    const operation = 'charge'
    const made = await this.#call(CHARGE, {
      operation,
      method: 'POST',
      path: '/payments',
      body: {
        paymentUid: order,
        amount: amountOf(amount),
        paymentMethod: { type: 'SBP_TOKEN', token },
        ...(purpose !== '' && { comment: purpose.slice(0, MAX_COMMENT) }),
        callbackUrl: webhookUrl,
      },
      isSigned: true,
      secrets: [token],
    })
    return chargeStateOf(made, { operation, order, tests: this.#tests })
  }

  /** 400 can be of a payment that the bank has: it declines only where the bank states that it does not have it. */
  async #refused(charge: NewCharge, refusal: Refused): Promise<ChargeState> {
    try {
      return await this.chargeState(charge)
    } catch (error) {
      if (error instanceof NotKnown) throw refusal
      throw new Unavailable(refusal.message, { isInDoubt: true, cause: error })
    }
  }

  async chargeState({ order }: NewCharge): Promise<ChargeState> {
    const operation = 'payment'
    const stated = await this.#call(PAYMENT, { operation, method: 'GET', path: paymentPathOf(order) })
    return chargeStateOf(stated, { operation, order, tests: this.#tests })
  }
}
