// The payments and refunds of the fake Pay Gateway. An id that comes again moves money again. Amounts are kopecks.
import { linkId } from '../fake-bank.ts'
import type { NewRefund } from './bodies.ts'
import { invalid, refusal } from './errors.ts'
import { type Payment, type Refund, type Result, refundedOf, type Status } from './records.ts'

export class PayLedger {
  readonly payments: Payment[] = []
  /** The paymentUid of each charge that moved money, or may: as often as it was executed. */
  readonly charged: string[] = []
  /** The refundUid of each refund that moved money. */
  readonly returned: string[] = []
  /** What becomes of the next charges, and of the next refunds. */
  chargeResult: Result = 'COMPLETED'
  refundResult: Result = 'COMPLETED'
  /** Whether the charges and refunds that are declined move money all the same. */
  movesDeclined = false
  /** Whether a payment whose refund waits takes no other one. */
  locks = true
  readonly #now: () => number
  #changedAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** @throws Refusal */
  payment(paymentUid: string | undefined): Payment {
    const found = this.payments.findLast((each) => each.paymentUid === paymentUid)
    if (!found) throw refusal('PAYMENT_NOT_FOUND')
    return found
  }

  refund(refundUid: string): { payment: Payment; refund: Refund } {
    for (const payment of this.payments) {
      const refund = payment.refunds.findLast((each) => each.refundUid === refundUid)
      if (refund) return { payment, refund }
    }
    throw new Error(`no refund ${refundUid}`)
  }

  add(
    payment: Omit<Payment, 'createdAt' | 'operationId' | 'status' | 'isMoved' | 'refunds'>,
    result: Result,
  ): Payment {
    const status = this.#statusOf(result)
    const isMoved = result === 'COMPLETED'
    const created = { createdAt: this.#now(), operationId: linkId('A') }
    const added: Payment = { ...payment, ...created, status, isMoved, refunds: [] }
    this.payments.push(added)
    return added
  }

  /**
   * The payment that a charge makes: nobody looks whether there is one already.
   * @param isBound whether its token can be charged
   */
  charge(
    payment: Parameters<PayLedger['add']>[0],
    isBound: boolean,
    result: Result = this.chargeResult,
  ): Payment {
    const added = this.add(payment, isBound ? result : 'SUBSCRIPTION_TOKEN_NOT_FOUND')
    if (isBound && added.status.value === 'DECLINED') added.isMoved = this.movesDeclined
    if (added.isMoved || added.status.value === 'WAITING') this.charged.push(added.paymentUid)
    return added
  }

  /**
   * A refund of a payment: nobody looks whether there is one of this id.
   * @throws Refusal
   */
  give(payment: Payment, { refundUid, amount, callbackUrl }: NewRefund, result = this.refundResult): Refund {
    if (!payment.isMoved) throw invalid('paymentUid')
    if (this.locks && payment.refunds.some(({ status }) => status.value === 'WAITING'))
      throw refusal('PAYMENT_LOCKED')
    const rest = payment.amount - refundedOf(payment)
    const given = amount ?? rest
    const isPossible = given > 0 && given <= rest
    const status = this.#statusOf(isPossible ? result : 'REFUND_AMOUNT_EXCEEDS_PAYMENT_AMOUNT')
    const isMoved =
      status.value === 'COMPLETED' || (isPossible && status.value === 'DECLINED' && this.movesDeclined)
    const created = { createdAt: this.#now(), operationId: linkId('B') }
    const refund = { refundUid, amount: given, ...created, status, isMoved, callbackUrl }
    payment.refunds.push(refund)
    if (isMoved) this.returned.push(refundUid)
    return refund
  }

  /** What was in progress, or was declined without being so, ends. */
  settle(record: Payment | Refund, result: Result): void {
    const { isMoved, status } = record
    record.status = this.#statusOf(result)
    record.isMoved = result === 'COMPLETED'
    if (isMoved || !record.isMoved) return
    if ('refundUid' in record) this.returned.push(record.refundUid)
    // One that waits is counted already.
    else if (record.type === 'SBP_TOKEN' && status.value === 'DECLINED') this.charged.push(record.paymentUid)
  }

  /** No two changes are of the same millisecond. */
  #statusOf(result: Result): Status {
    this.#changedAt = Math.max(this.#now(), this.#changedAt + 1)
    const changedAt = this.#changedAt
    if (result === 'COMPLETED' || result === 'WAITING') return { value: result, changedAt }
    return { value: 'DECLINED', changedAt, reasonCode: result }
  }
}
