// The payments of orders: records what the service says of their codes.
import type { OrderPayment, Payment as Paid } from '@fps-qr/client'
import { Inject, Injectable } from '@nestjs/common'
import {
  type CancelPaymentErrorResult,
  type CancelPaymentResult,
  EventBus,
  type ID,
  Logger,
  Order,
  OrderService,
  Payment,
  PaymentStateTransitionEvent,
  type RequestContext,
  type SettlePaymentErrorResult,
  type SettlePaymentResult,
  TransactionalConnection,
} from '@vendure/core'
import { PaymentStateMachine } from '@vendure/core/dist/service/helpers/payment-state-machine/payment-state-machine'
import { FpsQrCodes, isOver } from './codes'
import { FpsQrCode } from './entities'
import { inTurn, lockOrder } from './serialized'
import { FpsQrSurplus } from './surplus'
import { textOf } from './text-of'

/** What a storefront shows of the payment of an order. */
export interface ShownPayment {
  state: OrderPayment['state']
  amount: number
  /** Only while it can be paid: nobody is told how to pay what cannot be paid. */
  open?: { pageUrl: string; link: string; picture: string; expiresOn: string | undefined }
}

const ENDED = 'the QR code has ended, nobody has paid it'

/** Milliseconds: longer than the creation of a code takes. */
const PATIENCE = 20_000

/** Milliseconds: a code whose creation had no answer comes to be within them, or never. */
const LATE = 3_600_000

@Injectable()
export class FpsQrPayments {
  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(OrderService) private readonly orders: OrderService,
    @Inject(EventBus) private readonly events: EventBus,
    @Inject(PaymentStateMachine) private readonly machine: PaymentStateMachine,
    @Inject(FpsQrCodes) private readonly codes: FpsQrCodes,
    @Inject(FpsQrSurplus) private readonly surplus: FpsQrSurplus,
  ) {}

  /** Whether a payment is settled: what the service says now. The admin's button does no more. */
  async settled(
    ctx: RequestContext,
    payment: Payment,
  ): Promise<SettlePaymentResult | SettlePaymentErrorResult> {
    const code = await this.codes.find(ctx, payment.transactionId)
    const read = code && (await this.codes.read(ctx, code))
    const paying = read && payingOf(read)
    if (paying) return { success: true, metadata: { paymentId: paying.paymentId, public: { paid: true } } }
    if (read?.state === 'open')
      return { success: false, state: 'Created', errorMessage: 'nobody has paid yet' }
    return { success: false, state: 'Cancelled', errorMessage: ENDED }
  }

  /** Cancels the code of a payment, first. @returns an error if it is paid: then the payment stays */
  async cancelled(
    ctx: RequestContext,
    order: Order,
    payment: Payment,
  ): Promise<CancelPaymentResult | CancelPaymentErrorResult> {
    const code = await this.codes.find(ctx, payment.transactionId)
    const payments = await this.orders.getOrderPayments(ctx, order.id)
    const isOfOther = payments.some(
      ({ transactionId, state }) => transactionId === payment.transactionId && state === 'Settled',
    )
    if (!code || isOfOther) return { success: true }
    const state = (await this.codes.cancel(ctx, code))?.state ?? 'ended'
    if (state === 'ended') return { success: true }
    const errorMessage = state === 'paid' ? 'the customer has paid' : 'the customer is paying'
    return { success: false, state: 'Created', errorMessage }
  }

  /** Cancels the codes of an order that is about to be cancelled or changed. @returns why that must not be */
  async close(ctx: RequestContext, order: Order): Promise<string | undefined> {
    if ((await this.codes.ofOrder(ctx, order.id)).length === 0) return undefined
    const work = async () => {
      const payments = await this.orders.getOrderPayments(ctx, order.id)
      // Also those without a payment: the creation of such a code had no answer, and the service can have it.
      const codes = (await this.codes.ofOrder(ctx, order.id)).filter((code) => !isOver(code, payments))
      for (const code of codes) {
        const read = await this.codes.cancel(ctx, code)
        if (read?.state === 'open') return 'the customer is paying'
        const paying = read && payingOf(read)
        if (paying && !isRecorded(payments, paying)) return 'the customer has paid'
        for (const { id } of createdOf(code, payments)) await this.#move(ctx, id, 'Cancelled')
      }
      return undefined
    }
    return inTurn(order.id, work, PATIENCE)
  }

  /** Reads the code, and records what is new. @returns undefined if it is of no order here */
  async refresh(qrCodeUid: string): Promise<ShownPayment | undefined> {
    const known = await this.connection.rawConnection.getRepository(FpsQrCode).findOneBy({ qrCodeUid })
    if (!known) return undefined
    const read = await inTurn(known.orderId, async () => {
      const ctx = await this.codes.contextOf(known)
      // Before the transaction: a service that is slow takes no connection of the database from the shop.
      const result = await this.#read(ctx, known)
      if (!result || !(await this.#isNews(ctx, known, result))) return result
      await this.connection.withTransaction(ctx, async (inner) => {
        await lockOrder(this.connection, inner, known.orderId)
        await this.#record(inner, known, result)
      })
      return result
    })
    if (!read) return undefined
    const { state, qrCode } = read
    const { amount, picture } = known
    if (state !== 'open') return { state, amount }
    const { pageUrl, expiresOn } = qrCode
    return {
      state,
      amount,
      open: { pageUrl, link: qrCode.qrCode.payload, picture: picture ?? '', expiresOn },
    }
  }

  /** Reads the latest code of an order. */
  async refreshOrder(ctx: RequestContext, order: Order): Promise<ShownPayment | undefined> {
    const codes = await this.codes.ofOrder(ctx, order.id)
    const latest = codes.at(-1)
    if (!latest) return undefined
    const { qrCodeUid, amount } = latest
    if (await this.#isPaidBy(ctx, order, qrCodeUid)) return { state: 'paid', amount }
    const shown = await this.refresh(qrCodeUid)
    // The code is paid; whether the order is, its payments say: late money of another total, or of a cancelled order, is a surplus.
    if (shown?.state === 'paid' && !(await this.#isPaidBy(ctx, order, qrCodeUid)))
      return { state: 'ended', amount }
    return shown
  }

  /** Whether a payment by a code has paid an order; one that came late has an id of its own. */
  async #isPaidBy(ctx: RequestContext, order: Order, qrCodeUid: string): Promise<boolean> {
    const payments = await this.orders.getOrderPayments(ctx, order.id)
    return payments.some(
      ({ transactionId, state, metadata }) =>
        state === 'Settled' &&
        (transactionId === qrCodeUid || (metadata.qrCodeUid === qrCodeUid && !metadata.surplus)),
    )
  }

  /** Reads the codes whose payments wait, and those whose creation had no answer: a notification can be lost. */
  async refreshWaiting(): Promise<void> {
    const waiting = await this.connection.rawConnection
      .getRepository(FpsQrCode)
      .createQueryBuilder('code')
      .leftJoin(Payment, 'payment', 'payment.transactionId = code.qrCodeUid')
      .where('payment.state = :state', { state: 'Created' })
      .orWhere('payment.id IS NULL AND code.createdAt > :since', { since: new Date(Date.now() - LATE) })
      .getMany()
    for (const { qrCodeUid } of waiting)
      await this.refresh(qrCodeUid).catch((error: unknown) => Logger.warn(textOf(error), 'fps-qr'))
  }

  /** How a code is. One that came to be after its order was cancelled is cancelled too. */
  async #read(ctx: RequestContext, code: FpsQrCode): Promise<OrderPayment | undefined> {
    const read = await this.codes.read(ctx, code)
    return read?.state === 'open' && (await this.#isCancelled(ctx, code))
      ? this.codes.cancel(ctx, code)
      : read
  }

  #isCancelled(ctx: RequestContext, { orderId }: FpsQrCode): Promise<boolean> {
    return this.connection.getRepository(ctx, Order).existsBy({ id: orderId, state: 'Cancelled' })
  }

  async #isNews(ctx: RequestContext, code: FpsQrCode, read: OrderPayment): Promise<boolean> {
    const payments = await this.orders.getOrderPayments(ctx, code.orderId)
    if (read.state !== 'open' && createdOf(code, payments).length > 0) return true
    return [payingOf(read), ...read.surplus].some((paid) => paid && !isRecorded(payments, paid))
  }

  async #record(ctx: RequestContext, code: FpsQrCode, read: OrderPayment): Promise<void> {
    const payments = await this.orders.getOrderPayments(ctx, code.orderId)
    const [created] = createdOf(code, payments)
    const paying = payingOf(read)
    // An order that is cancelled is paid no more: its money is told as such.
    if (created && paying && !isRecorded(payments, paying) && !(await this.#isCancelled(ctx, code)))
      await this.#move(ctx, created.id, 'Settled', paying.paymentId)
    if (paying) await this.surplus.record(ctx, code, paying)
    for (const payment of read.surplus) await this.surplus.record(ctx, code, payment)
    if (read.state === 'open') return
    // Two tabs can have the same code: the other payment of it ends with the first.
    for (const { id } of createdOf(code, await this.orders.getOrderPayments(ctx, code.orderId)))
      await this.#move(ctx, id, 'Cancelled')
  }

  /** Moves a payment by what the service says. Vendure's own way needs a payment method that is not disabled. */
  async #move(
    ctx: RequestContext,
    id: ID,
    state: 'Settled' | 'Cancelled',
    paymentId?: string,
  ): Promise<void> {
    await this.connection.withTransaction(ctx, async (inner) => {
      const payment = await this.connection.getEntityOrThrow(inner, Payment, id, { relations: ['order'] })
      const { state: before, metadata, order } = payment
      if (paymentId === undefined) payment.errorMessage = ENDED
      else payment.metadata = { ...metadata, paymentId, public: { ...metadata.public, paid: true } }
      const { finalize } = await this.machine.transition(inner, order, payment, state)
      await this.connection.getRepository(inner, Payment).save(payment, { reload: false })
      await this.events.publish(new PaymentStateTransitionEvent(before, state, inner, payment, order))
      await finalize()
    })
  }
}

const createdOf = ({ qrCodeUid }: FpsQrCode, payments: readonly Payment[]): Payment[] =>
  payments.filter(({ transactionId, state }) => transactionId === qrCodeUid && state === 'Created')

/** The payment that pays the order: one whose money went back before the shop knew of it pays nothing. */
const payingOf = ({ payment, returned }: OrderPayment): OrderPayment['payment'] =>
  returned ? undefined : payment

const isRecorded = (payments: readonly Payment[], { paymentId }: Paid): boolean =>
  payments.some(({ metadata }) => metadata.paymentId === paymentId)
