// Refunds: each is stored with its id before it is sent, and is sent under the same id until the service has answered.
import { randomUUID } from 'node:crypto'
import {
  ConflictError,
  fromKopecks,
  InvalidRequestError,
  NotFoundError,
  type Refund as SentRefund,
} from '@fps-qr/client'
import { Inject, Injectable } from '@nestjs/common'
import {
  type CreateRefundResult,
  EventBus,
  type ID,
  isGraphQlErrorResult,
  Logger,
  OrderService,
  Payment,
  PaymentService,
  Refund,
  RefundEvent,
  type RequestContext,
  TransactionalConnection,
  UserInputError,
} from '@vendure/core'
import { IsNull, Like } from 'typeorm'
import { FpsQrCodes } from './codes'
import { FpsQrCode } from './entities'
import { inTurn, lockOrder } from './serialized'
import { FpsQrSurplus } from './surplus'
import { textOf } from './text-of'

const PREFIX = 'fps-qr-'

@Injectable()
export class FpsQrRefunds {
  /** Those whose result is being recorded: it is of the service. */
  readonly #recorded = new Set<ID>()

  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(OrderService) private readonly orders: OrderService,
    @Inject(PaymentService) private readonly vendurePayments: PaymentService,
    @Inject(EventBus) private readonly events: EventBus,
    @Inject(FpsQrCodes) private readonly codes: FpsQrCodes,
    @Inject(FpsQrSurplus) private readonly surplus: FpsQrSurplus,
  ) {}

  /** The refund as Vendure stores it. It is sent once it is stored, so a failure of the shop loses no id. */
  create({ metadata }: Payment): CreateRefundResult {
    if (typeof metadata.paymentId !== 'string')
      throw new UserInputError('this payment is not paid, there is nothing to refund')
    return { state: 'Pending', ...newId() }
  }

  /** Refunds what is left of a payment, also one that did not pay the order, and while the order waits for its own. */
  async refundPayment(ctx: RequestContext, paymentId: ID, reason: string): Promise<Refund> {
    const payment = await this.connection.getEntityOrThrow(ctx, Payment, paymentId, {
      relations: ['order', 'refunds'],
    })
    const order = await this.orders.findOne(ctx, payment.order.id)
    if (!order) throw new UserInputError('no such order')
    const refunded = payment.refunds.filter(({ state }) => state !== 'Failed')
    const amount = payment.amount - refunded.reduce((sum, { total }) => sum + total, 0)
    if (amount <= 0) throw new UserInputError('this payment is refunded already')
    const input = { lines: [], shipping: 0, adjustment: 0, amount, paymentId, reason }
    const result = await this.vendurePayments.createRefund(ctx, input, order, payment)
    if (result instanceof Refund) {
      await this.events.publish(new RefundEvent(ctx, order, result, 'created'))
      return result
    }
    throw new UserInputError(isGraphQlErrorResult(result) ? result.message : 'the refund was not created')
  }

  /** The pending refunds of a code. */
  async sendOf(qrCodeUid: string): Promise<void> {
    const code = await this.connection.rawConnection.getRepository(FpsQrCode).findOneBy({ qrCodeUid })
    if (code) for (const { id } of await this.#pending(code.orderId)) await this.send(id)
  }

  /** All pending refunds: of those that a failure interrupted, and those without a result yet. */
  async sendAll(): Promise<void> {
    await this.#adopt()
    for (const { id } of await this.#pending())
      await this.send(id).catch((error: unknown) => Logger.error(textOf(error), PREFIX))
  }

  /** Sends a refund, again if need be, and records its result. */
  async send(refundId: ID): Promise<void> {
    const found = await this.#find(refundId)
    const code = found && (await this.codes.ofPayment(found.payment))
    if (!code || refundIdOf(found) === undefined) return
    const { orderId } = code
    await inTurn(orderId, async () => {
      const ctx = await this.codes.contextOf(code)
      const refund = await this.#find(refundId)
      if (refund?.state !== 'Pending') return
      // Before the transaction: a service that is slow takes no connection of the database from the shop.
      const { state, reason } = await this.#result(ctx, code, refund)
      if (state === 'Pending') return
      await this.connection.withTransaction(ctx, async (inner) => {
        await lockOrder(this.connection, inner, orderId)
        if ((await this.#find(refundId, inner))?.state !== 'Pending') return
        await this.#move(inner, refundId, state)
        if (state !== 'Failed') return
        const sum = fromKopecks(refund.total)
        const note = `The refund of ${sum} RUB has failed: ${reason}. No money was returned`
        await this.surplus.note(inner, { id: orderId }, note)
      })
    })
  }

  async #move(ctx: RequestContext, id: ID, state: 'Settled' | 'Failed'): Promise<void> {
    this.#recorded.add(id)
    try {
      await this.orders.transitionRefundToState(ctx, id, state)
    } finally {
      this.#recorded.delete(id)
    }
  }

  /**
   * Why a refund gets no result by hand: Vendure settles it with any text as its transaction, and then it is not sent.
   * @returns undefined if the service says the same, or the refund is none of SBP
   */
  async refusal(ctx: RequestContext, refund: Refund, state: string): Promise<string | undefined> {
    if (state === 'Pending' || this.#recorded.has(refund.id)) return undefined
    const code = await this.codes.ofPayment(refund.payment)
    if (!code) return undefined
    const id = refundIdOf(refund)
    const sent = id === undefined ? undefined : await this.#sent(ctx, code, refund.payment, id)
    if (sent && resultOf(sent).state === state) return undefined
    return 'the bank has not made this refund: it is sent until it has a result'
  }

  async #sent(ctx: RequestContext, code: FpsQrCode, { metadata }: Payment, id: string) {
    const fps = await this.codes.clientOf(ctx, code)
    return fps.getRefund(String(metadata.paymentId), id).catch((error: unknown) => {
      if (error instanceof NotFoundError) return undefined
      throw error
    })
  }

  async #result(ctx: RequestContext, code: FpsQrCode, refund: Refund) {
    const fps = await this.codes.clientOf(ctx, code)
    const { paymentId } = refund.payment.metadata
    try {
      const amount = { value: fromKopecks(refund.total) }
      return resultOf(await fps.refund(String(paymentId), String(refundIdOf(refund)), { amount }))
    } catch (error) {
      // The service will never take it. Whatever else happens, the next attempt has the same id.
      if (isRefusal(error)) return { state: 'Failed', reason: error.message } as const
      throw error
    }
  }

  /** Gives an id to the refunds that Vendure has stored without one, because their payment method was disabled. */
  async #adopt(): Promise<void> {
    const repository = this.connection.rawConnection.getRepository(Refund)
    const without = [IsNull(), ''].map((transactionId) => ({ state: 'Pending', transactionId }) as const)
    for (const { id, payment } of await repository.find({
      where: without,
      relations: { payment: { order: true } },
    })) {
      if (!(await this.codes.ofPayment(payment))) continue
      // Another process may have done so by now.
      const { transactionId } = newId()
      for (const each of without) await repository.update({ id, ...each }, { transactionId })
    }
  }

  #find(id: ID, ctx?: RequestContext): Promise<Refund | null> {
    const repository = ctx
      ? this.connection.getRepository(ctx, Refund)
      : this.connection.rawConnection.getRepository(Refund)
    return repository.findOne({ where: { id }, relations: { payment: { order: true } } })
  }

  #pending(orderId?: ID): Promise<Refund[]> {
    return this.connection.rawConnection.getRepository(Refund).find({
      where: {
        state: 'Pending',
        transactionId: Like(`${PREFIX}%`),
        ...(orderId !== undefined && { payment: { order: { id: orderId } } }),
      },
    })
  }
}

function resultOf({ status }: SentRefund) {
  if (status.value === 'COMPLETED') return { state: 'Settled', reason: '' } as const
  if (status.value === 'DECLINED')
    return { state: 'Failed', reason: status.reason ?? 'the bank declined it' } as const
  return { state: 'Pending', reason: '' } as const
}

/** The service takes no such refund. Anything else, as `shop.test.site`, does not say that no money moves. */
const isRefusal = (error: unknown): error is InvalidRequestError | ConflictError =>
  (error instanceof InvalidRequestError && error.errorCode === 'validation.error') ||
  (error instanceof ConflictError && error.errorCode === 'payin.incorrect-method-invocation')

/** In the metadata too: `settleRefund` of Vendure overwrites the transaction. */
function newId() {
  const refundId = `${PREFIX}${randomUUID()}`
  return { transactionId: refundId, metadata: { refundId } }
}

function refundIdOf({ metadata, transactionId }: Refund): string | undefined {
  const id: unknown = metadata?.refundId ?? transactionId
  return typeof id === 'string' && id.startsWith(PREFIX) ? id : undefined
}
