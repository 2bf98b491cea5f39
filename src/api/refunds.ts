// The refunds of a payment, for its merchant (contract, section 8).
import * as z from 'zod/mini'
import { QrCodeAnswer, REFUNDED_QR_CODE_EXAMPLE } from '../contract/qr-code-answer.ts'
import {
  MAX_REFUNDS,
  type PaymentKey,
  REFUND_EXAMPLE,
  REFUND_REQUEST_EXAMPLES,
  REFUNDS_EXAMPLE,
  RefundAnswer,
  RefundBody,
  RefundsAnswer,
  refundAnswer,
} from '../contract/refund.ts'
import { PaymentUid, QrCodeUid, RefundUid } from '../contract/uid.ts'
import { connectionOf, metricsOf } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { answerOf, replayed } from './answer.ts'

const TAG = { name: 'Refunds', description: 'Return a payment, partly or in full' }

const OfPayment = z.object({ paymentId: PaymentUid })
const Item = z.object({ paymentId: PaymentUid, refundId: RefundUid })
const OfQrCode = z.object({ qrCodeUid: QrCodeUid, refundUid: RefundUid })

const RULES = `A payment can have up to ${MAX_REFUNDS} refunds. The sum of its WAITING and COMPLETED refunds cannot exceed the \
payment. If you send the same request again, nothing changes. If a request got no response, send it again. A refund is \
WAITING until the payment network carries it out.`

const ERRORS = [
  'payin.resource.not.found',
  'payin.resource.already.exists',
  'payin.incorrect-method-invocation',
  'site.limit.exceeded',
  'site.restored',
  'network.changed',
  'network.not.connected',
] as const

/** The operations on refunds. */
export const refunds = () => [
  operation({
    operationId: 'refundPayment',
    method: 'put',
    path: '/payin/v1/sites/{siteId}/payments/{paymentId}/refunds/{refundId}',
    parameters: Item,
    tag: TAG,
    summary: 'Refund a payment',
    description: `${RULES} A payment that the QR code did not take can be refunded too.`,
    scopes: ['merchant'],
    body: { schema: RefundBody, examples: REFUND_REQUEST_EXAMPLES },
    answer: {
      schema: RefundAnswer,
      description: 'The refund',
      headers: ['Idempotent-Replayed'],
      examples: { half: REFUND_EXAMPLE },
    },
    errors: ERRORS,
    handle: refundPayment,
  }),
  operation({
    operationId: 'refundQrCode',
    method: 'put',
    path: '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/refunds/{refundUid}',
    parameters: OfQrCode,
    tag: TAG,
    summary: 'Refund the payment of a QR code',
    description: `Refunds the payment that the QR code took. Of a STATIC or COUNTER QR code refund the payment itself. ${RULES}`,
    scopes: ['merchant'],
    body: { schema: RefundBody, examples: REFUND_REQUEST_EXAMPLES },
    answer: {
      schema: QrCodeAnswer,
      description: 'The QR code with its refunds',
      headers: ['Idempotent-Replayed'],
      examples: { half: REFUNDED_QR_CODE_EXAMPLE },
    },
    errors: ERRORS,
    handle: refundQrCode,
  }),
  operation({
    operationId: 'listRefunds',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/payments/{paymentId}/refunds',
    parameters: OfPayment,
    tag: TAG,
    summary: 'List the refunds of a payment',
    description: `Oldest first. All refunds of the payment: at most ${MAX_REFUNDS} that were requested, besides those of the payment network. A bare JSON array; all other lists are pages.`,
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: RefundsAnswer,
      description: 'The refunds',
      headers: [],
      examples: { one: REFUNDS_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: listRefunds,
    toContent: ({ service: { config } }, refunds) => ({
      value: refunds.map((refund) => refundAnswer(refund, config.utcOffset)),
    }),
  }),
  operation({
    operationId: 'getRefund',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/payments/{paymentId}/refunds/{refundId}',
    parameters: Item,
    tag: TAG,
    summary: 'Get a refund',
    description: 'The status is the one that the payment network reported, or WAITING.',
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: RefundAnswer,
      description: 'The refund',
      headers: [],
      examples: { half: REFUND_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: getRefund,
  }),
  operation({
    operationId: 'getQrCodeRefund',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/refunds/{refundUid}',
    parameters: OfQrCode,
    tag: TAG,
    summary: 'Get a refund by the QR code',
    description: 'A refund of the payment that the QR code took.',
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: RefundAnswer,
      description: 'The refund',
      headers: [],
      examples: { half: REFUND_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
    handle: getQrCodeRefund,
  }),
]

type Body = z.output<typeof RefundBody>

async function refundPayment(
  site: SiteContext,
  { path, body }: { path: z.output<typeof Item>; body: Body },
): Promise<ResponseContent<RefundAnswer>> {
  const { refund, isReplayed } = await request(site, { paymentUid: path.paymentId }, path.refundId, body)
  return {
    value: refundAnswer(refund, site.service.config.utcOffset),
    headers: replayed(isReplayed),
  }
}

async function refundQrCode(
  site: SiteContext,
  { path, body }: { path: z.output<typeof OfQrCode>; body: Body },
): Promise<ResponseContent<QrCodeAnswer>> {
  const { qrCode, isReplayed } = await request(site, { qrCodeUid: path.qrCodeUid }, path.refundUid, body)
  if (!qrCode) throw new Error('the refund of a QR code came without the QR code')
  return {
    value: answerOf(site, qrCode),
    headers: replayed(isReplayed),
  }
}

async function request(site: SiteContext, key: PaymentKey, refundUid: string, body: Body) {
  const { service, siteId } = site
  const refunded = await callSite(site, (object) =>
    object.refund(
      site.caller,
      key,
      { ...body, refundUid },
      { ...connectionOf(service.config, siteId), utcOffset: service.config.utcOffset },
    ),
  )
  if (!refunded.isReplayed) metricsOf(service, siteId)?.add('refunds', { status: refunded.refund.status })
  return refunded
}

const listRefunds = (site: SiteContext, { path }: { path: z.output<typeof OfPayment> }) =>
  callSite(site, (object) => object.refunds(site.caller, path.paymentId))

const getRefund = (site: SiteContext, { path }: { path: z.output<typeof Item> }) =>
  read(site, { paymentUid: path.paymentId }, path.refundId)

const getQrCodeRefund = (site: SiteContext, { path }: { path: z.output<typeof OfQrCode> }) =>
  read(site, { qrCodeUid: path.qrCodeUid }, path.refundUid)

async function read(
  site: SiteContext,
  key: PaymentKey,
  refundUid: string,
): Promise<ResponseContent<RefundAnswer>> {
  const refund = await callSite(site, (object) => object.refundOf(site.caller, key, refundUid))
  return { value: refundAnswer(refund, site.service.config.utcOffset) }
}
