// The payments of a site, for its merchant (contract, sections 7 and 8).
import * as z from 'zod/mini'
import {
  NOT_APPLIED_PAYMENT_EXAMPLE,
  PAYMENTS_EXAMPLE,
  type Payment,
  PaymentAnswer,
  PaymentsAnswer,
  paymentAnswer,
} from '../contract/payment.ts'
import { PaymentsQuery } from '../contract/payment-list.ts'
import { cursorOf, PageQuery } from '../contract/query.ts'
import { PaymentUid, QrCodePath } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { type Operation, operation, type Reply } from '../http/operation.ts'

const TAG = { name: 'Payments', description: 'Payment attempts that the payment network reported' }

const Item = z.object({ paymentId: PaymentUid })

const PAGE = {
  schema: PaymentsAnswer,
  description: 'A page of payments',
  headers: [],
  examples: { page: PAYMENTS_EXAMPLE },
}

/** The operations on payments. */
export const payments = (): Operation[] => [
  operation({
    operationId: 'listPayments',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/payments',
    query: PaymentsQuery,
    tag: TAG,
    summary: 'List the payments of the site',
    description:
      'Newest first: every attempt that the payment network reported, also declined attempts and payments that no QR code took. With `status=COMPLETED&applied=false` the response has the money that needs a decision: refund it, or deliver the goods.',
    scopes: ['merchant', 'merchant:read'],
    answer: PAGE,
    errors: ['validation.error'],
    handle: listSitePayments,
  }),
  operation({
    operationId: 'listQrCodePayments',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/payments',
    parameters: QrCodePath,
    query: PageQuery,
    tag: TAG,
    summary: 'List the payments of a QR code',
    description:
      'Oldest first. The list has every attempt that the payment network reported, also declined attempts and payments that the QR code did not take.',
    scopes: ['merchant', 'merchant:read'],
    answer: PAGE,
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: listPayments,
  }),
  operation({
    operationId: 'getPayment',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/payments/{paymentId}',
    parameters: Item,
    tag: TAG,
    summary: 'Get a payment',
    description: `\`paymentId\` is the network's \`paymentUid\`. If the QR code did not take a completed payment, \
\`applied\` is false and \`notAppliedReason\` says why. The money was received: refund it, or deliver the goods.`,
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
  return pageOf(site, await callSite(site, (object) => object.payments(site.caller, path, query)))
}

async function listSitePayments(
  site: SiteContext,
  { query }: { query: PaymentsQuery },
): Promise<Reply<PaymentsAnswer>> {
  return pageOf(site, await callSite(site, (object) => object.listPayments(site.caller, query)))
}

const pageOf = (
  { service: { config } }: SiteContext,
  { payments, next }: { payments: Payment[]; next?: number | undefined },
): Reply<PaymentsAnswer> => ({
  value: {
    payments: payments.map((payment) => paymentAnswer(payment, config.utcOffset)),
    ...(next !== undefined && { nextCursor: cursorOf(next) }),
  },
})

async function getPayment(
  site: SiteContext,
  { path }: { path: z.output<typeof Item> },
): Promise<Reply<PaymentAnswer>> {
  const payment = await callSite(site, (object) => object.payment(site.caller, path.paymentId))
  return { value: paymentAnswer(payment, site.service.config.utcOffset) }
}
