// The payments of a site, for its merchant (contract, sections 7 and 8).
import * as z from 'zod/mini'
import { type Payment, PaymentAnswer, PaymentsAnswer, paymentAnswer } from '../contract/payment.ts'
import {
  DECISION_REQUEST_EXAMPLES,
  DELIVERED_PAYMENT_EXAMPLE,
  DecisionBody,
} from '../contract/payment-decision.ts'
import { NOT_APPLIED_PAYMENT_EXAMPLE, PAYMENTS_EXAMPLE } from '../contract/payment-examples.ts'
import { PaymentsQuery } from '../contract/payment-list.ts'
import { cursorOf, PageQuery } from '../contract/query.ts'
import { PaymentUid, QrCodePath } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { replayed } from './answer.ts'

const TAG = { name: 'Payments', description: 'Payment attempts that the payment network reported' }

const Item = z.object({ paymentId: PaymentUid })

const PAGE = {
  schema: PaymentsAnswer,
  description: 'A page of payments',
  headers: [],
  examples: { page: PAYMENTS_EXAMPLE },
}

/** The operations on payments. */
export const payments = () => [
  operation({
    operationId: 'listPayments',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/payments',
    query: PaymentsQuery,
    tag: TAG,
    summary: 'List the payments of the site',
    description:
      'Newest first: every attempt that the payment network reported, also declined attempts and payments that no QR code took. With `decision=OPEN` the response has the money that needs a decision: refund it, or deliver the goods and say so.',
    scopes: ['merchant', 'merchant:read'],
    answer: PAGE,
    errors: ['validation.error'],
    handle: listSitePayments,
    toContent: pageContent,
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
    toContent: pageContent,
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
    toContent: ({ service: { config } }, payment) => ({ value: paymentAnswer(payment, config.utcOffset) }),
  }),
  operation({
    operationId: 'decidePayment',
    method: 'put',
    path: '/payin/v1/sites/{siteId}/payments/{paymentId}/decision',
    parameters: Item,
    tag: TAG,
    summary: 'Mark a payment that no QR code took as delivered',
    description:
      'Of a completed payment that is not applied: `DELIVERED` says that the goods were handed over, so nothing is left to decide; `OPEN` undoes that. The payment can be refunded all the same. If you send the same request again, nothing changes.',
    scopes: ['merchant'],
    body: { schema: DecisionBody, examples: DECISION_REQUEST_EXAMPLES },
    answer: {
      schema: PaymentAnswer,
      description: 'The payment',
      headers: ['Idempotent-Replayed'],
      examples: { delivered: DELIVERED_PAYMENT_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
    handle: decidePayment,
    toContent: ({ service: { config } }, { payment, isReplayed }) => ({
      value: paymentAnswer(payment, config.utcOffset),
      headers: replayed(isReplayed),
    }),
  }),
]

const listPayments = (site: SiteContext, { path, query }: { path: QrCodePath; query: PageQuery }) =>
  callSite(site, (object) => object.payments(site.caller, path, query))

const listSitePayments = (site: SiteContext, { query }: { query: PaymentsQuery }) =>
  callSite(site, (object) => object.listPayments(site.caller, query))

function pageContent(
  { service: { config } }: SiteContext,
  { payments, next }: { payments: Payment[]; next?: number | undefined },
): ResponseContent<PaymentsAnswer> {
  return {
    value: {
      payments: payments.map((payment) => paymentAnswer(payment, config.utcOffset)),
      ...(next !== undefined && { nextCursor: cursorOf(next) }),
    },
  }
}

const getPayment = (site: SiteContext, { path }: { path: z.output<typeof Item> }) =>
  callSite(site, (object) => object.payment(site.caller, path.paymentId))

const decidePayment = (
  site: SiteContext,
  { path, body }: { path: z.output<typeof Item>; body: DecisionBody },
) => callSite(site, (object) => object.decidePayment(site.caller, path.paymentId, body))
