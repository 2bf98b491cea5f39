// Bound accounts at Raiffeisenbank, which it calls subscriptions: bind, state, charge (its SBP API, October 2021).
import { kopecksOf } from '../../amounts.ts'
import type { Answers } from '../answers.ts'
import type { Link, NewCode } from '../bank.ts'
import type { BankBindings, BindingState, ChargeState, NewCharge, OpenedCharge } from '../bank-bindings.ts'
import { Unavailable, undefinedIfNotKnown } from '../bank-errors.ts'
import type { BankRequest } from '../http.ts'
import * as answers from './answers.ts'

const STATUS_OF = {
  // Nobody has answered, or somebody has refused: the bank does not tell these apart.
  INACTIVE: 'WAITING',
  SUBSCRIBED: 'ACTIVE',
  UNSUBSCRIBED: 'ENDED',
} as const

type Calls = <T>(answers: Answers<T>, request: BankRequest) => Promise<T>

export class Subscriptions implements BankBindings {
  readonly isFoundByOrder = true
  readonly isNamedByOrder = true
  readonly chargesByToken = false
  /** The bank's calls, with a path below its base URL. */
  readonly #call: Calls
  readonly #sbpMerchantId: string

  constructor(call: Calls, sbpMerchantId: string) {
    this.#call = call
    this.#sbpMerchantId = sbpMerchantId
  }

  /**
   * Makes the link of a code that binds an account alone. Its id is the key of the register, so that a repeat on any disk
   * is the same subscription: after any answer but success, the bank is asked for it.
   */
  async register({ key, tokenizationPurpose = '' }: NewCode, signal: AbortSignal): Promise<Link> {
    const { qr, id } = await this.#subscribe(key, tokenizationPurpose, signal)
    return { qrcId: qr.id, payload: qr.payload, reference: '', request: id }
  }

  async #subscribe(id: string, purpose: string, signal: AbortSignal): Promise<answers.Subscription> {
    const body = { id, subscriptionPurpose: purpose, sbpMerchantId: this.#sbpMerchantId }
    try {
      const url = '/sbp/v1/subscriptions'
      const made = await this.#call(answers.SUBSCRIBE, {
        operation: 'subscribe',
        method: 'POST',
        url,
        body,
        signal,
      })
      if (made.id === id) return made
    } catch (error) {
      return await this.#subscription(id, signal).catch(() => {
        throw error
      })
    }
    throw new Unavailable('subscribe: the answer is of another subscription', { isInDoubt: true })
  }

  async #subscription(id: string, signal?: AbortSignal): Promise<answers.Subscription> {
    const found = await this.#call(answers.SUBSCRIPTION, {
      operation: 'subscription',
      method: 'GET',
      url: `/sbp/v1/subscriptions/${encodeURIComponent(id)}`,
      ...(signal && { signal }),
    })
    if (found.id === id) return found
    throw new Unavailable('subscription: the answer is of another subscription', { isInDoubt: false })
  }

  async state(request: string): Promise<BindingState> {
    const { status } = await this.#subscription(request)
    return { status: STATUS_OF[status] }
  }

  /**
   * Neither disk may have an order that was made before both were lost, and the bank executes a repeat of one in progress.
   * @throws Unavailable after anything else, a gateway's 404 too: an order that was begun would be charged twice
   */
  async open(charge: NewCharge): Promise<OpenedCharge> {
    const known = await this.chargeState(charge).catch(undefinedIfNotKnown)
    return { note: '', isBegun: known !== undefined }
  }

  async charge({ order, request, amount, purpose }: NewCharge): Promise<ChargeState> {
    const made = await this.#call(answers.CHARGE, {
      operation: 'charge',
      method: 'POST',
      url: `/sbp/v1/subscriptions/${encodeURIComponent(request)}/orders`,
      body: { amount: amount / 100, currency: 'RUB', order, paymentDetails: purpose },
    })
    return this.#stateOf(made, { operation: 'charge', order })
  }

  async chargeState({ order, request }: NewCharge): Promise<ChargeState> {
    const url = `/sbp/v1/subscriptions/${encodeURIComponent(request)}/orders/${order}`
    const found = await this.#call(answers.CHARGE_STATUS, { operation: 'charge_status', method: 'GET', url })
    return this.#stateOf(found, { operation: 'charge_status', order })
  }

  /** The order is the reference: by it a refund finds the charge. */
  #stateOf(answer: answers.Order, { operation, order }: { operation: string; order: string }): ChargeState {
    if (answer.order !== order || answer.sbpMerchantId !== this.#sbpMerchantId) {
      throw new Unavailable(`${operation}: the answer is of another order`, { isInDoubt: true })
    }
    if (answer.paymentStatus === 'SUCCESS') {
      const amount = kopecksOf(String(answer.amount))
      if (!amount) throw new Unavailable(`${operation}: SUCCESS without an amount`, { isInDoubt: true })
      return { status: 'COMPLETED', number: order, amount, reference: order }
    }
    return answer.paymentStatus === 'DECLINED'
      ? { status: 'DECLINED', reason: 'declined by the bank' }
      : { status: 'PENDING' }
  }
}
