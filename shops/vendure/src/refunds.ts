// Refunds: each is stored with its id before it is sent, and is sent under the same id until the service has answered.
import { randomUUID } from 'node:crypto'
import { ConflictError, fromKopecks, InvalidRequestError, type Refund as SentRefund } from '@fps-qr/client'
import { Inject, Injectable } from '@nestjs/common'
import {
  type CreateRefundResult,
  type ID,
  isGraphQlErrorResult,
  Logger,
  OrderService,
  Payment,
  PaymentService,
  Refund,
  type RequestContext,
  TransactionalConnection,
  UserInputError,
} from '@vendure/core'
import { Like } from 'typeorm'
import { FpsQrCodes } from './codes'
import { FpsQrCode } from './entities'
import { inTurn, lockOrder } from './serialized'
import { FpsQrSurplus } from './surplus'

const PREFIX = 'fps-qr-'

@Injectable()
export class FpsQrRefunds {
  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(OrderService) private readonly orders: OrderService,
    @Inject(PaymentService) private readonly vendurePayments: PaymentService,
    @Inject(FpsQrCodes) private readonly codes: FpsQrCodes,
    @Inject(FpsQrSurplus) private readonly surplus: FpsQrSurplus,
  ) {}

  /** The refund as Vendure stores it. It is sent once it is stored, so a failure of the shop loses no id. */
  create({ metadata }: Payment): CreateRefundResult {
    if (typeof metadata.paymentId !== 'string')
      throw new UserInputError('this payment is not paid, there is nothing to refund')
    return { state: 'Pending', transactionId: `${PREFIX}${randomUUID()}`, metadata: {} }
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
    if (result instanceof Refund) return result
    throw new UserInputError(isGraphQlErrorResult(result) ? result.message : 'the refund was not created')
  }

  /** The pending refunds of a code. */
  async sendOf(qrCodeUid: string): Promise<void> {
    const code = await this.connection.rawConnection.getRepository(FpsQrCode).findOneBy({ qrCodeUid })
    if (code) for (const { id } of await this.#pending(code.orderId)) await this.send(id)
  }

  /** All pending refunds: of those that a failure interrupted, and those without a result yet. */
  async sendAll(): Promise<void> {
    for (const { id } of await this.#pending())
      await this.send(id).catch((error: unknown) => Logger.error(textOf(error), PREFIX))
  }

  /** Sends a refund, again if need be, and records its result. */
  async send(refundId: ID): Promise<void> {
    const found = await this.#find(refundId)
    const orderId = found?.payment.order.id
    if (!found || orderId === undefined) return
    const code = await this.connection.rawConnection.getRepository(FpsQrCode).findOneBy({ orderId })
    if (!code || !found.transactionId.startsWith(PREFIX)) return
    await inTurn(orderId, async () =>
      this.connection.withTransaction(await this.codes.contextOf(code), async (ctx) => {
        await lockOrder(this.connection, ctx, orderId)
        const refund = await this.#find(refundId, ctx)
        if (refund?.state !== 'Pending') return
        const { state, reason } = await this.#result(ctx, refund)
        if (state === 'Pending') return
        await this.orders.transitionRefundToState(ctx, refundId, state)
        if (state !== 'Failed') return
        const sum = fromKopecks(refund.total)
        await this.surplus.note(
          ctx,
          { id: orderId },
          `The refund of ${sum} RUB has failed: ${reason}. No money was returned`,
        )
      }),
    )
  }

  async #result(ctx: RequestContext, { payment, transactionId, total }: Refund) {
    const fps = await this.codes.clientOf(ctx, payment)
    try {
      const amount = { value: fromKopecks(total) }
      return resultOf(await fps.refund(String(payment.metadata.paymentId), transactionId, { amount }))
    } catch (error) {
      // The service will never take it. Whatever else happens, the next attempt has the same id.
      if (error instanceof InvalidRequestError || isRefusal(error))
        return { state: 'Failed', reason: error.message } as const
      throw error
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

const isRefusal = (error: unknown): error is ConflictError =>
  error instanceof ConflictError && error.errorCode === 'payin.incorrect-method-invocation'

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
