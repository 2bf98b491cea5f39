// Money that came and settled no payment of the order: late, second, or of another amount. It becomes a payment that can be refunded.
import { type Payment as Paid, toKopecks } from '@fps-qr/client'
import { Inject, Injectable } from '@nestjs/common'
import { HistoryEntryType } from '@vendure/common/lib/generated-types'
import {
  HistoryService,
  isGraphQlErrorResult,
  type Order,
  OrderService,
  Payment,
  PaymentService,
  type RequestContext,
  TransactionalConnection,
  totalCoveredByPayments,
} from '@vendure/core'
import type { FpsQrCode } from './entities'

@Injectable()
export class FpsQrSurplus {
  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(OrderService) private readonly orders: OrderService,
    @Inject(PaymentService) private readonly payments: PaymentService,
    @Inject(HistoryService) private readonly history: HistoryService,
  ) {}

  /** Records a completed payment of a code, once. */
  async record(ctx: RequestContext, { orderId, method, qrCodeUid }: FpsQrCode, paid: Paid): Promise<void> {
    const known = await this.orders.getOrderPayments(ctx, orderId)
    if (known.some(({ metadata }) => metadata.paymentId === paid.paymentId)) return
    const order = await this.orders.findOne(ctx, orderId)
    if (!order) return
    order.payments = known
    const { paymentId } = paid
    const amount = toKopecks(paid.amount.value)
    const fields = { method, transactionId: paymentId, metadata: { paymentId, qrCodeUid, surplus: true } }
    if (paid.applied && (await this.#revives(ctx, order, amount))) {
      const late = { ...fields, metadata: { paymentId, qrCodeUid } }
      await this.payments.createManualPayment(ctx, order, amount, { orderId, ...late })
      return this.note(
        ctx,
        order,
        `${paid.amount.value} RUB came by ${qrCodeUid} when no payment waited: the order is paid`,
      )
    }
    const reason = reasonOf(order, paid)
    await this.note(
      ctx,
      order,
      `${reason}: ${paid.amount.value} RUB came besides, refund the payment ${paymentId}`,
    )
    // Vendure counts a settled payment towards the total, so it must not be settled while the order waits for its own.
    if (!order.active && order.state !== 'ArrangingAdditionalPayment' && order.state !== 'Modifying') {
      await this.payments.createManualPayment(ctx, order, amount, { orderId, ...fields })
      return
    }
    const { metadata, ...rest } = fields
    const payment = new Payment({
      ...rest,
      amount,
      order,
      state: 'Declined',
      errorMessage: `${reason}: refund it`,
    })
    payment.metadata = metadata
    await this.connection.getRepository(ctx, Payment).save(payment)
  }

  /** Whether the order still waits for exactly this money. */
  async #revives(ctx: RequestContext, order: Order, amount: number): Promise<boolean> {
    if (!order.active) return false
    if (order.totalWithTax - totalCoveredByPayments(order, ['Authorized', 'Settled']) !== amount) return false
    if (order.state === 'ArrangingPayment') return true
    const result = await this.orders.transitionToState(ctx, order.id, 'ArrangingPayment')
    if (isGraphQlErrorResult(result)) return false
    order.state = result.state
    return true
  }

  async note(ctx: RequestContext, { id }: Pick<Order, 'id'>, note: string): Promise<void> {
    const type = HistoryEntryType.ORDER_NOTE
    await this.history.createHistoryEntryForOrder({ ctx, orderId: id, type, data: { note } }, false)
  }
}

function reasonOf({ state }: Order, { applied, notAppliedReason }: Paid): string {
  if (!applied && notAppliedReason === 'AMOUNT_MISMATCH') return 'Another amount'
  if (!applied && notAppliedReason === 'ALREADY_PAYED') return 'A second payment'
  return state === 'Cancelled' ? 'Paid after cancellation' : 'Paid too late'
}
