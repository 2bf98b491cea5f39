// Bound accounts of T-Bank: their states, and their charges by Init and ChargeQr.
import { contactsOf, receiptOf } from '../../cash-registers/tbank/body.ts'
import type { BankBindings, BindingState, ChargeState, NewCharge, OpenedCharge } from '../bank-bindings.ts'
import { NotKnown, notInDoubt, Refused, Unavailable } from '../bank-errors.ts'
import * as answers from './answers.ts'
import { paymentState, requireSame, type TBankCall } from './client.ts'
import { dueDateOf, RECURRENT, requireAmount } from './registers.ts'
import { PAID, REFUNDED } from './statuses.ts'

/** "Таблица статусов рекуррентного платежа"; a session whose time has passed is `DEADLINE_EXPIRED`. */
const DECLINED = ['REJECTED', 'AUTH_FAIL', 'CANCELED', 'DEADLINE_EXPIRED']
/** «Рекуррентные платежи недоступны»: of the terminal, not of this account. */
const NOT_AVAILABLE = '3013'

export class TBankBindings implements BankBindings {
  readonly isFoundByOrder = false
  readonly isNamedByOrder = true
  readonly chargesByToken = true
  readonly #call: TBankCall
  readonly #now: () => number

  constructor(call: TBankCall, now: () => number) {
    this.#call = call
    this.#now = now
  }

  async state(request: string): Promise<BindingState> {
    // The document has it as a number: a UUID is sent as the text that it is.
    const RequestKey = /^\d{1,15}$/.test(request) ? Number(request) : request
    const fields = { RequestKey }
    const bound = await this.#call({ operation: 'GetAddAccountQrState', fields }, answers.BINDING)
    if (bound.RequestKey !== String(RequestKey)) {
      throw new Unavailable('GetAddAccountQrState: the answer is of another request', { isInDoubt: false })
    }
    const { Status, AccountToken: token, BankMemberId: bankMemberId } = bound
    const of = bankMemberId ? { bankMemberId } : {}
    if (Status === 'ACTIVE') return { status: 'ACTIVE', ...of, ...(token !== undefined && { token }) }
    return { status: Status === 'INACTIVE' ? 'INACTIVE' : 'WAITING', ...of }
  }

  /** Init, unless the order has a session: its answer was lost, or another disk has begun. OrderId is not unique. */
  async open(charge: NewCharge): Promise<OpenedCharge> {
    const { order, amount } = charge
    requireAmount(amount)
    // A restored service can give the same charge another amount: only a session of this one is charged.
    const isSame = (session: Session) => isNew(session) && session.Amount === amount
    const known = firstOf(await this.#sessionsBefore(order), [isPaid, isBegun, hasFailed, isSame])
    const note = known?.PaymentId ?? (await this.#init(charge))
    // What is charged is the payment of this number: it must be of our order.
    await paymentState(this.#call, note, order)
    return { note, isBegun: known !== undefined && !isNew(known) }
  }

  /** @returns PaymentId */
  async #init({ order, amount, purpose, expiresAt, webhookUrl, receipt }: NewCharge): Promise<string> {
    const fields = {
      Amount: amount,
      OrderId: order,
      Description: purpose,
      PayType: 'O',
      NotificationURL: webhookUrl,
      RedirectDueDate: dueDateOf(expiresAt, this.#now()),
      ...RECURRENT,
      ...(receipt && { Receipt: receiptOf(receipt) }),
    }
    const init = { operation: 'Init', fields, secrets: contactsOf(receipt) }
    const opened = await this.#call(init, answers.INIT)
    requireSame('Init', { OrderId: order, Amount: amount }, opened, false)
    const { PaymentId } = opened
    if (!PaymentId) throw new Unavailable('Init: the answer lacks PaymentId', { isInDoubt: false })
    return PaymentId
  }

  async charge({ amount }: NewCharge, note: string, token: string | undefined): Promise<ChargeState> {
    if (token === undefined) {
      throw new Unavailable('GetAddAccountQrState: an ACTIVE binding without AccountToken', {
        isInDoubt: false,
      })
    }
    const fields = { PaymentId: note, AccountToken: token }
    const charged = await this.#call({ operation: 'ChargeQr', fields, secrets: [token] }, answers.CHARGE)
    if ('code' in charged) {
      const { code, text } = charged
      return {
        status: 'DECLINED',
        reason: `T-Bank: ${text}`,
        ...(code === NOT_AVAILABLE && { isForAll: true }),
      }
    }
    if (charged.paymentId !== note) {
      throw new Unavailable('ChargeQr: the answer is of another payment', { isInDoubt: true })
    }
    // An answer to ChargeQr is no state before it.
    if (charged.status === 'NEW') return { status: 'PENDING' }
    return stateOf({ PaymentId: note, Status: charged.status, Amount: charged.amount }, amount)
  }

  async chargeState({ order, amount }: NewCharge, note: string): Promise<ChargeState> {
    if (note === '') {
      const sessions = await notInDoubt(this.#sessionsOf(order))
      // Only if all have failed, the order has.
      const session = firstOf(sessions, [isPaid, isBegun, isNew, hasFailed])
      if (session) return stateOf(session, amount)
      throw new NotKnown('CheckOrder: the order has no payment')
    }
    const { Status = '', Amount } = await paymentState(this.#call, note, order)
    return stateOf({ PaymentId: note, Status, Amount }, amount)
  }

  async #sessionsOf(order: string): Promise<answers.OrderPayment[]> {
    const fields = { OrderId: order }
    const checked = await this.#call({ operation: 'CheckOrder', fields }, answers.ORDER_PAYMENTS)
    requireSame('CheckOrder', fields, checked, false)
    return checked.payments
  }

  /** Nothing was sent under this order from this disk: a refusal is taken to say that it has no session. */
  async #sessionsBefore(order: string): Promise<answers.OrderPayment[]> {
    try {
      return await this.#sessionsOf(order)
    } catch (error) {
      if (error instanceof Refused) return []
      throw error
    }
  }
}

type Session = answers.OrderPayment
const isPaid = ({ Status }: Session) => PAID.includes(Status)
const isNew = ({ Status }: Session) => Status === 'NEW'
const hasFailed = ({ Status }: Session) => DECLINED.includes(Status)
const isBegun = (session: Session) => !isNew(session) && !hasFailed(session)

/** The session of the first kind that the order has. */
const firstOf = (sessions: Session[], kinds: ((session: Session) => boolean)[]): Session | undefined =>
  kinds.map((isOfKind) => sessions.find(isOfKind)).find((session) => session !== undefined)

/** @param asked the amount of the charge: after a refund the bank may state what is left */
function stateOf(
  { PaymentId, Status, Amount }: { PaymentId: string; Status: string; Amount?: number | undefined },
  asked: number,
): ChargeState {
  if (PAID.includes(Status)) {
    // Nothing is no amount of a charge.
    const stated = Status === 'CONFIRMED' ? Amount || undefined : undefined
    const refunded = REFUNDED[Status]
    return {
      status: 'COMPLETED',
      number: PaymentId,
      amount: stated ?? asked,
      isAmountAssumed: stated === undefined,
      reference: PaymentId,
      ...(refunded && { refunded }),
    }
  }
  if (DECLINED.includes(Status)) return { status: 'DECLINED', reason: Status }
  return { status: Status === 'NEW' ? 'UNTOUCHED' : 'PENDING' }
}
