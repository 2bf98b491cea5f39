// Reports of the payment network (contract, sections 7 to 9).
import * as z from 'zod/mini'
import { BINDING_REPORT_EXAMPLES, BindingReportBody } from '../contract/binding.ts'
import { meta } from '../contract/meta.ts'
import { PaymentAnswer, PaymentReportBody, paymentAnswer } from '../contract/payment.ts'
import { NOT_APPLIED_PAYMENT_EXAMPLE, PAYMENT_REPORT_EXAMPLES } from '../contract/payment-examples.ts'
import { BOUND_QR_CODE_EXAMPLE, PAID_QR_CODE_EXAMPLE, QrCodeAnswer } from '../contract/qr-code-answer.ts'
import {
  REFUND_EXAMPLE,
  REFUND_REPORT_EXAMPLES,
  RefundAnswer,
  RefundReportBody,
  refundAnswer,
} from '../contract/refund.ts'
import { TokenAnswer, tokenAnswer } from '../contract/token.ts'
import { BindingUid, PaymentUid, RefundUid } from '../contract/uid.ts'
import { ApiError } from '../errors.ts'
import { isLinkId } from '../fps/link-id.ts'
import { isQrcId, QRC_ID } from '../fps/qrc-id.ts'
import { isSandbox } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { reportBinding, reportPayment, reportRefund } from '../gateway/report.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { answerOf, replayed, showsTokens } from './answer.ts'

export const NETWORK_TAG = {
  name: 'Payment network',
  description: 'What the acquirer’s connector reports from the payment network, and what it asks',
}

const qrcId = z.string().apply(meta, {
  pattern: QRC_ID.source,
  description:
    'The network’s identifier of the QR code: the last segment of its functional link, unless the bank has another',
  examples: ['AD100004BAL7227F9BNP6KNE007J9B3K'],
})
const Path = z.object({ qrcId, paymentUid: PaymentUid })
const BindingPath = z.object({ qrcId, bindingUid: BindingUid })
const RefundPath = z.object({ paymentUid: PaymentUid, refundUid: RefundUid })
const Answer = z.union([QrCodeAnswer, PaymentAnswer])
const BindingAnswer = z.union([QrCodeAnswer, TokenAnswer])

/** The operations of the payment network. */
export const network = () => [
  operation({
    operationId: 'reportPayment',
    method: 'put',
    path: '/network/v1/sites/{siteId}/qrCodes/{qrcId}/payments/{paymentUid}',
    parameters: Path,
    tag: NETWORK_TAG,
    summary: 'Report a payment',
    description: `A completed payment is always recorded. If the QR code cannot take it, its \`applied\` is false. The \
same report again changes nothing. A declined payment can be reported as completed later, but not the reverse. If the \
site does not have the QR code, the payment is kept, and the response is the payment.`,
    scopes: ['network'],
    body: { schema: PaymentReportBody, examples: PAYMENT_REPORT_EXAMPLES },
    answer: {
      schema: Answer,
      description: 'The QR code after the report, or the payment if the site does not have the QR code',
      headers: ['Idempotent-Replayed'],
      examples: { paid: PAID_QR_CODE_EXAMPLE, unknown: NOT_APPLIED_PAYMENT_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'payin.resource.already.exists'],
    handle: report,
  }),
  operation({
    operationId: 'reportBinding',
    method: 'put',
    path: '/network/v1/sites/{siteId}/qrCodes/{qrcId}/bindings/{bindingUid}',
    parameters: BindingPath,
    tag: NETWORK_TAG,
    summary: 'Report a binding',
    description: `Reports that a customer agreed to bind an account, refused, or ended the binding. A consent is always \
recorded, in any status of the QR code. The same report again changes nothing. A rejected binding can be reported as \
created later, but not the reverse. DELETED is final. If the site does not have the QR code, \
the response is the token.`,
    scopes: ['network'],
    body: { schema: BindingReportBody, examples: BINDING_REPORT_EXAMPLES },
    answer: {
      schema: BindingAnswer,
      description: 'The QR code after the report, or the token if the site does not have the QR code',
      headers: ['Idempotent-Replayed'],
      examples: { bound: BOUND_QR_CODE_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'payin.resource.already.exists'],
    handle: reportBindingOf,
  }),
  operation({
    operationId: 'reportRefund',
    method: 'put',
    path: '/network/v1/sites/{siteId}/payments/{paymentUid}/refunds/{refundUid}',
    parameters: RefundPath,
    tag: NETWORK_TAG,
    summary: 'Report a refund',
    description: `The same report again changes nothing. A declined refund can be reported as completed later, but not \
the reverse. It is recorded even if the refunds then exceed the payment. A completed refund that nobody requested is \
recorded if the report has its amount: the bank made it, or its request was lost with a restored backup. WAITING with a \
reason shows the merchant what the refund waits for.`,
    scopes: ['network'],
    body: { schema: RefundReportBody, examples: REFUND_REPORT_EXAMPLES },
    answer: {
      schema: RefundAnswer,
      description: 'The refund after the report',
      headers: ['Idempotent-Replayed'],
      examples: { refund: REFUND_EXAMPLE },
    },
    errors: [
      'payin.resource.not.found',
      'payin.resource.already.exists',
      'payin.incorrect-method-invocation',
    ],
    handle: reportOnRefund,
  }),
]

interface Input {
  path: z.output<typeof Path>
  body: z.output<typeof PaymentReportBody>
}

async function report(
  site: SiteContext,
  { path, body }: Input,
): Promise<ResponseContent<z.infer<typeof Answer>>> {
  const { paymentUid } = path
  const { dateTime: at, ...rest } = body
  const { qrCode, payment, isReplayed } = await reportPayment(site, keyOf(site, path), {
    ...rest,
    at,
    paymentUid,
  })
  return {
    value: qrCode ? answerOf(site, qrCode) : paymentAnswer(payment, site.service.config.utcOffset),
    headers: replayed(isReplayed),
  }
}

async function reportBindingOf(
  site: SiteContext,
  { path, body }: { path: z.output<typeof BindingPath>; body: z.output<typeof BindingReportBody> },
): Promise<ResponseContent<z.infer<typeof BindingAnswer>>> {
  const { bindingUid } = path
  const { qrCode, token, isReplayed } = await reportBinding(site, keyOf(site, path), { ...body, bindingUid })
  const { utcOffset } = site.service.config
  return {
    value: qrCode ? answerOf(site, qrCode) : tokenAnswer(token, utcOffset, showsTokens(site.caller)),
    headers: replayed(isReplayed),
  }
}

/**
 * Banks make links too: what is paid by one that the site does not know is a fact, and is kept. The sandbox bank has only
 * links of this service.
 * @throws ApiError 404 for what no link has as its id
 */
function keyOf({ service: { config }, siteId }: SiteContext, { qrcId: linkId }: { qrcId: string }) {
  if (!isQrcId(linkId)) throw new ApiError('payin.resource.not.found', 'there is no such QR code')
  return { linkId, isKept: !isSandbox(config, siteId) || isLinkId(config.secrets, siteId, linkId) }
}

async function reportOnRefund(
  site: SiteContext,
  { path, body }: { path: z.output<typeof RefundPath>; body: z.output<typeof RefundReportBody> },
): Promise<ResponseContent<RefundAnswer>> {
  const { refund, isReplayed } = await reportRefund(site, path, body)
  return {
    value: refundAnswer(refund, site.service.config.utcOffset),
    headers: replayed(isReplayed),
  }
}
