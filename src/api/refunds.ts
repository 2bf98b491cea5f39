// The refunds of a payment, for its merchant (contract, section 8).
import * as z from 'zod/mini'
import { QrCodeAnswer, REFUNDED_QR_CODE_EXAMPLE } from '../contract/qr-code-answer.ts'
import {
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
import { connectionOf } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { type Operation, operation, type Reply } from '../http/operation.ts'
import { answerOf } from './answer.ts'

const TAG = { name: 'Refunds', description: 'The refunds of a payment' }

const OfPayment = z.object({ paymentId: PaymentUid })
const Item = z.object({ paymentId: PaymentUid, refundId: RefundUid })
const OfQrCode = z.object({ qrCodeUid: QrCodeUid, refundUid: RefundUid })

const RULES = `Partly or whole, in at most 100 refunds. Those that are WAITING or COMPLETED never exceed the payment. \
The same request again changes nothing, so if a request got no response, send it again.`

const ERRORS = [
  'payin.resource.not.found',
  'payin.resource.already.exists',
  'payin.incorrect-method-invocation',
  'site.restored',
  'network.changed',
  'network.not.connected',
] as const

/** The operations on refunds. */
export const refunds = (): Operation[] => [
  operation({
    operationId: 'refundPayment',
    method: 'put',
    path: '/payin/v1/sites/{siteId}/payments/{paymentId}/refunds/{refundId}',
    parameters: Item,
    tag: TAG,
    summary: 'Refund a payment',
    description: `${RULES} The refund is WAITING until the payment network has carried it out. A payment that the QR \
code could not take is refunded here too.`,
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
    description: `${RULES} The same refund by another address: of the payment that the QR code took.`,
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
    summary: 'The refunds of a payment, oldest first',
    description: 'All of them: a payment has at most 100.',
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: RefundsAnswer,
      description: 'The refunds',
      headers: [],
      examples: { one: REFUNDS_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: listRefunds,
  }),
  operation({
    operationId: 'getRefund',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/payments/{paymentId}/refunds/{refundId}',
    parameters: Item,
    tag: TAG,
    summary: 'A refund',
    description: 'As the payment network reported it.',
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
]

type Body = z.output<typeof RefundBody>

async function refundPayment(
  site: SiteContext,
  { path, body }: { path: z.output<typeof Item>; body: Body },
): Promise<Reply<RefundAnswer>> {
  const { refund, isReplayed } = await request(site, { paymentUid: path.paymentId }, path.refundId, body)
  return {
    value: refundAnswer(refund, site.service.config.utcOffset),
    headers: { 'Idempotent-Replayed': isReplayed ? 'true' : undefined },
  }
}

async function refundQrCode(
  site: SiteContext,
  { path, body }: { path: z.output<typeof OfQrCode>; body: Body },
): Promise<Reply<QrCodeAnswer>> {
  const { qrCode, isReplayed } = await request(site, { qrCodeUid: path.qrCodeUid }, path.refundUid, body)
  if (!qrCode) throw new Error('the refund of a QR code came without the QR code')
  return {
    value: answerOf(site, qrCode),
    headers: { 'Idempotent-Replayed': isReplayed ? 'true' : undefined },
  }
}

async function request(site: SiteContext, key: PaymentKey, refundUid: string, body: Body) {
  const { config, metrics } = site.service
  const refunded = await callSite(site, (object) =>
    object.refund(site.caller, key, { ...body, refundUid }, connectionOf(config)),
  )
  if (!refunded.isReplayed) metrics?.add('refunds', { status: refunded.refund.status })
  return refunded
}

async function listRefunds(
  site: SiteContext,
  { path }: { path: z.output<typeof OfPayment> },
): Promise<Reply<RefundsAnswer>> {
  const refunds = await callSite(site, (object) => object.refunds(site.caller, path.paymentId))
  return { value: refunds.map((refund) => refundAnswer(refund, site.service.config.utcOffset)) }
}

async function getRefund(
  site: SiteContext,
  { path }: { path: z.output<typeof Item> },
): Promise<Reply<RefundAnswer>> {
  const refund = await callSite(site, (object) => object.refundOf(site.caller, path.paymentId, path.refundId))
  return { value: refundAnswer(refund, site.service.config.utcOffset) }
}
