// The payments of orders: records what the service says of their codes.
import type { OrderPayment } from '@fps-qr/client'
import { Inject, Injectable } from '@nestjs/common'
import {
  type CancelPaymentErrorResult,
  type CancelPaymentResult,
  isGraphQlErrorResult,
  Logger,
  type Order,
  OrderService,
  Payment,
  type RequestContext,
  type SettlePaymentErrorResult,
  type SettlePaymentResult,
  TransactionalConnection,
} from '@vendure/core'
import { FpsQrCodes } from './codes'
import { FpsQrCode } from './entities'
import { inTurn, lockOrder } from './serialized'
import { FpsQrSurplus } from './surplus'

/** What a storefront shows of the payment of an order. */
export interface ShownPayment {
  state: OrderPayment['state']
  amount: number
  /** Only while it can be paid: nobody is told how to pay what cannot be paid. */
  open?: { pageUrl: string; link: string; picture: string; expiresOn: string | undefined }
}

@Injectable()
export class FpsQrPayments {
  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(OrderService) private readonly orders: OrderService,
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
    if (read?.payment)
      return { success: true, metadata: { paymentId: read.payment.paymentId, public: { paid: true } } }
    if (read?.state === 'open')
      return { success: false, state: 'Created', errorMessage: 'nobody has paid yet' }
    return { success: false, state: 'Cancelled', errorMessage: 'the QR code has ended, nobody has paid it' }
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
    const codes = await this.codes.ofOrder(ctx, order.id)
    if (codes.length === 0) return undefined
    for (const { id, state, transactionId } of await this.orders.getOrderPayments(ctx, order.id)) {
      if (state !== 'Created' || !codes.some(({ qrCodeUid }) => qrCodeUid === transactionId)) continue
      const result = await this.orders.cancelPayment(ctx, id)
      if (isGraphQlErrorResult(result))
        return 'paymentErrorMessage' in result ? result.paymentErrorMessage : result.message
    }
    return undefined
  }

  /** Reads the code, and records what is new. @returns undefined if it is of no order here */
  async refresh(qrCodeUid: string): Promise<ShownPayment | undefined> {
    const known = await this.connection.rawConnection.getRepository(FpsQrCode).findOneBy({ qrCodeUid })
    if (!known) return undefined
    const read = await inTurn(known.orderId, async () =>
      this.connection.withTransaction(await this.codes.contextOf(known), async (ctx) => {
        await lockOrder(this.connection, ctx, known.orderId)
        const result = await this.codes.read(ctx, known)
        if (result) await this.#record(ctx, known, result)
        return result
      }),
    )
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
    const payments = await this.orders.getOrderPayments(ctx, order.id)
    const isPaid = payments.some(
      ({ transactionId, state }) => transactionId === latest.qrCodeUid && state === 'Settled',
    )
    return isPaid ? { state: 'paid', amount: latest.amount } : this.refresh(latest.qrCodeUid)
  }

  /** Reads the codes whose payments wait: a notification can be lost. */
  async refreshWaiting(): Promise<void> {
    const waiting = await this.connection.rawConnection
      .getRepository(FpsQrCode)
      .createQueryBuilder('code')
      .innerJoin(Payment, 'payment', 'payment.transactionId = code.qrCodeUid')
      .where('payment.state = :state', { state: 'Created' })
      .getMany()
    for (const { qrCodeUid } of waiting)
      await this.refresh(qrCodeUid).catch((error: unknown) =>
        Logger.warn(error instanceof Error ? error.message : String(error), 'fps-qr'),
      )
  }

  async #record(ctx: RequestContext, code: FpsQrCode, read: OrderPayment): Promise<void> {
    const ofCode = async () =>
      (await this.orders.getOrderPayments(ctx, code.orderId)).filter(
        ({ transactionId }) => transactionId === code.qrCodeUid,
      )
    const created = (await ofCode()).find(({ state }) => state === 'Created')
    const isSettled = (await ofCode()).some(({ state }) => state === 'Settled')
    if (created && !isSettled && read.state !== 'open') await this.orders.settlePayment(ctx, created.id)
    if (read.payment) await this.surplus.record(ctx, code, read.payment)
    for (const payment of read.surplus) await this.surplus.record(ctx, code, payment)
    if (read.state === 'open') return
    // Two tabs can have the same code: the other payment of it ends with the first.
    for (const { id, state } of await ofCode())
      if (state === 'Created') await this.orders.cancelPayment(ctx, id)
  }
}
