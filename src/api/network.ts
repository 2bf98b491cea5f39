// Reports of the payment network (contract, sections 7 and 8).
import * as z from 'zod'
import {
  NOT_APPLIED_PAYMENT_EXAMPLE,
  PAYMENT_REPORT_EXAMPLES,
  PaymentAnswer,
  PaymentReportBody,
  paymentAnswer,
} from '../contract/payment.ts'
import { PAID_QR_CODE_EXAMPLE, QrCodeAnswer } from '../contract/qr-code-answer.ts'
import {
  REFUND_EXAMPLE,
  REFUND_REPORT_EXAMPLES,
  RefundAnswer,
  RefundReportBody,
  refundAnswer,
} from '../contract/refund.ts'
import { PaymentUid, RefundUid } from '../contract/uid.ts'
import { ApiError } from '../errors.ts'
import { LINK_ID } from '../fps/link-id.ts'
import type { SiteContext } from '../gateway/context.ts'
import { isOwnLinkId } from '../gateway/links.ts'
import { reportPayment, reportRefund } from '../gateway/report.ts'
import { type Operation, operation, type Reply } from '../http/operation.ts'
import { answerOf } from './answer.ts'

const TAG = { name: 'Payment network', description: 'Reports of the payment network' }

const Path = z.object({
  qrcId: z.string().meta({
    pattern: LINK_ID.source,
    description: 'The id of the QR code’s functional link',
    examples: ['AD100004BAL7227F9BNP6KNE007J9B3K'],
  }),
  paymentUid: PaymentUid,
})
const RefundPath = z.object({ paymentUid: PaymentUid, refundUid: RefundUid })
const Answer = z.union([QrCodeAnswer, PaymentAnswer])

/** The operations of the payment network. */
export const network = (): Operation[] => [
  operation({
    operationId: 'reportPayment',
    method: 'put',
    path: '/network/v1/sites/{siteId}/qrCodes/{qrcId}/payments/{paymentUid}',
    parameters: Path,
    tag: TAG,
    summary: 'Report the result of a payment',
    description: `A completed payment is a fact: it is recorded even if the QR code cannot take it, and then has \
applied false. The same report again changes nothing. A declined attempt can be reported completed later, never the \
reverse. For an authentic link id that the site does not know the answer is the payment.`,
    scopes: ['network'],
    body: { schema: PaymentReportBody, examples: PAYMENT_REPORT_EXAMPLES },
    answer: {
      schema: Answer,
      description: 'The QR code after the report, or the payment where the site has no such QR code',
      headers: ['Idempotent-Replayed'],
      examples: { paid: PAID_QR_CODE_EXAMPLE, unknown: NOT_APPLIED_PAYMENT_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'payin.resource.already.exists'],
    handle: report,
  }),
  operation({
    operationId: 'reportRefund',
    method: 'put',
    path: '/network/v1/sites/{siteId}/payments/{paymentUid}/refunds/{refundUid}',
    parameters: RefundPath,
    tag: TAG,
    summary: 'Report the result of a refund',
    description: `The same report again changes nothing. A declined refund can be reported completed later, never the \
reverse: what was completed is recorded, even if the refunds then exceed the payment.`,
    scopes: ['network'],
    body: { schema: RefundReportBody, examples: REFUND_REPORT_EXAMPLES },
    answer: {
      schema: RefundAnswer,
      description: 'The refund after the report',
      headers: ['Idempotent-Replayed'],
      examples: { refund: REFUND_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'payin.resource.already.exists'],
    handle: reportOnRefund,
  }),
]

interface Input {
  path: z.output<typeof Path>
  body: z.output<typeof PaymentReportBody>
}

async function report(site: SiteContext, { path, body }: Input): Promise<Reply<z.infer<typeof Answer>>> {
  const { qrcId: linkId, paymentUid } = path
  const { dateTime: at, ...rest } = body
  if (!LINK_ID.test(linkId)) throw new ApiError('payin.resource.not.found', 'there is no such QR code')
  const isAuthentic = isOwnLinkId(site.service.config, site.siteId, linkId)
  const { qrCode, payment, isReplayed } = await reportPayment(
    site,
    { linkId, isAuthentic },
    { ...rest, at, paymentUid },
  )
  return {
    value: qrCode ? answerOf(site, qrCode) : paymentAnswer(payment, site.service.config.utcOffset),
    headers: { 'Idempotent-Replayed': isReplayed ? 'true' : undefined },
  }
}

async function reportOnRefund(
  site: SiteContext,
  { path, body }: { path: z.output<typeof RefundPath>; body: z.output<typeof RefundReportBody> },
): Promise<Reply<RefundAnswer>> {
  const { refund, isReplayed } = await reportRefund(site, path, body)
  return {
    value: refundAnswer(refund, site.service.config.utcOffset),
    headers: { 'Idempotent-Replayed': isReplayed ? 'true' : undefined },
  }
}
