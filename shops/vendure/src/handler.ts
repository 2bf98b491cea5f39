// The payment method «СБП»: what Vendure asks of it, answered by the plugin's services.
import { type Injector, LanguageCode, PaymentMethodHandler } from '@vendure/core'
import { FpsQrCodes } from './codes'
import { FpsQrPayments } from './payments'
import { FpsQrRefunds } from './refunds'
import { ARGS, HANDLER_CODE } from './settings'

let codes: FpsQrCodes
let payments: FpsQrPayments
let refunds: FpsQrRefunds

export const fpsQrHandler = new PaymentMethodHandler({
  code: HANDLER_CODE,
  description: [
    { languageCode: LanguageCode.en, value: 'SBP: payment by QR code' },
    { languageCode: LanguageCode.ru, value: 'СБП: оплата по QR-коду' },
  ],
  args: ARGS,
  init(injector: Injector) {
    codes = injector.get(FpsQrCodes)
    payments = injector.get(FpsQrPayments)
    refunds = injector.get(FpsQrRefunds)
  },
  createPayment: (ctx, order, _amount, _args, _metadata, method) => codes.open(ctx, order, method),
  settlePayment: (ctx, _order, payment) => payments.settled(ctx, payment),
  cancelPayment: (ctx, order, payment) => payments.cancelled(ctx, order, payment),
  createRefund: (_ctx, _input, _amount, _order, payment) => refunds.create(payment),
})
