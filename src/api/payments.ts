// The payments of a site, for its merchant (contract, sections 7 and 8).
import * as z from 'zod/mini'
import {
  NOT_APPLIED_PAYMENT_EXAMPLE,
  PAYMENTS_EXAMPLE,
  PaymentAnswer,
  PaymentsAnswer,
  paymentAnswer,
} from '../contract/payment.ts'
import { cursorOf, PageQuery } from '../contract/query.ts'
import { PaymentUid, QrCodePath } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { type Operation, operation, type Reply } from '../http/operation.ts'

const TAG = { name: 'Payments', description: 'The payments that the network reported' }

const Item = z.object({ paymentId: PaymentUid })

/** The operations on payments. */
export const payments = (): Operation[] => [
  operation({
    operationId: 'listQrCodePayments',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/payments',
    parameters: QrCodePath,
    query: PageQuery,
    tag: TAG,
    summary: 'The payment attempts of a QR code, oldest first',
    description: 'Every attempt that the network reported, whether or not the QR code took it.',
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: PaymentsAnswer,
      description: 'A page',
      headers: [],
      examples: { page: PAYMENTS_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: listPayments,
  }),
  operation({
    operationId: 'getPayment',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/payments/{paymentId}',
    parameters: Item,
    tag: TAG,
    summary: 'A payment attempt',
    description: `paymentId is the network's paymentUid. A completed payment that its QR code could not take has \
applied false and says why: the money was received, so the merchant has to refund it or to deliver.`,
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: PaymentAnswer,
      description: 'The payment',
      headers: [],
      examples: { notApplied: NOT_APPLIED_PAYMENT_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: getPayment,
  }),
]

async function listPayments(
  site: SiteContext,
  { path, query }: { path: QrCodePath; query: PageQuery },
): Promise<Reply<PaymentsAnswer>> {
  const { payments, next } = await callSite(site, (object) => object.payments(site.caller, path, query))
  return {
    value: {
      payments: payments.map((payment) => paymentAnswer(payment, site.service.config.utcOffset)),
      ...(next !== undefined && { nextCursor: cursorOf(next) }),
    },
  }
}

async function getPayment(
  site: SiteContext,
  { path }: { path: z.output<typeof Item> },
): Promise<Reply<PaymentAnswer>> {
  const payment = await callSite(site, (object) => object.payment(site.caller, path.paymentId))
  return { value: paymentAnswer(payment, site.service.config.utcOffset) }
}
