// What the plugin adds to the processes of Vendure.
import type { Injector, OrderProcess, PaymentProcess, VendureConfig } from '@vendure/core'
import { FpsQrPayments } from './payments'
import { FpsQrRefunds } from './refunds'

let payments: FpsQrPayments
let refunds: FpsQrRefunds

/** An order that is cancelled, or goes back to the cart, cancels its code first; one that is paid stays. */
export const fpsQrOrderProcess: OrderProcess<string> = {
  init(injector: Injector) {
    payments = injector.get(FpsQrPayments)
  },
  async onTransitionStart(fromState, toState, { ctx, order }) {
    if (toState === 'Cancelled' || (fromState === 'ArrangingPayment' && toState === 'AddingItems'))
      return payments.close(ctx, order)
    return undefined
  },
}

/** A payment waits for the customer in the state that it begins with. */
export const fpsQrPaymentProcess: PaymentProcess<'Created'> = {
  transitions: { Created: { to: ['Created'] } },
}

type RefundProcess = NonNullable<VendureConfig['paymentOptions']['refundProcess']>[number]

/** A refund waits for the bank in the state that it begins with, and gets no other result than the bank's. */
export const fpsQrRefundProcess: RefundProcess = {
  transitions: { Pending: { to: ['Pending'] } },
  init(injector: Injector) {
    refunds = injector.get(FpsQrRefunds)
  },
  onTransitionStart: (_fromState, toState, { ctx, refund }) => refunds.refusal(ctx, refund, toState),
}
