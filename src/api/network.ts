// Where the payment network reports how a payment ended (contract, section 7).
import { PaymentReport } from '../contract/payment.ts'
import { answerOf, QrCodeAnswer } from '../contract/qr-code-answer.ts'
import { Uid } from '../contract/uid.ts'
import { ApiError } from '../errors.ts'
import { LINK_ID } from '../fps/link-id.ts'
import { json } from './answer.ts'
import { readObject, validate } from './body.ts'
import { PAID, REPORTS } from './examples.ts'
import type { Operation } from './operation.ts'
import { segmentOf } from './path.ts'
import type { Service } from './service.ts'
import { callSite } from './sites.ts'

const PATH = '/sites/{siteId}/qrCodes/{qrcId}/payments/{paymentUid}'

/** The operation of the network. */
export function network(service: Service): Operation[] {
  const { utcOffset } = service.config
  return [
    {
      operationId: 'reportPayment',
      method: 'put',
      path: PATH,
      tag: 'Payment network',
      summary: 'Report how a payment ended',
      description: `The amount must be the QR code’s where it has one. The same report again changes nothing. A \
declined attempt leaves the QR code payable; a completed payment counts even where the QR code was EXPIRED or \
CANCELLED; another payment for a PAYED one is refused.`,
      scopes: ['network'],
      body: { schema: PaymentReport, examples: REPORTS },
      answer: {
        schema: QrCodeAnswer,
        description: 'The QR code after the report',
        headers: ['Idempotent-Replayed'],
        examples: { paid: PAID },
      },
      errors: [
        'payin.resource.not.found',
        'payin.resource.already.exists',
        'payin.incorrect-method-invocation',
      ],
      async handle(c, siteId) {
        const body = await readObject(c, service)
        const paymentUid = segmentOf(c, PATH, 'paymentUid')
        const { value: linkId, fault } = segmentOf(c, PATH, 'qrcId')
        const payment = validate(
          PaymentReport.extend({ paymentUid: Uid }),
          { ...body, paymentUid: paymentUid.value },
          { ...fault, ...paymentUid.fault },
        )
        // The voucher is not asked for: a payment counts even where the secret behind the link is gone.
        if (!LINK_ID.test(linkId)) {
          throw new ApiError('payin.resource.not.found', 'there is no such QR code')
        }
        const { qrCode, replayed } = await callSite(service, siteId, (site) =>
          site.report({ linkId }, payment, 'network'),
        )
        return json(c, answerOf(qrCode, utcOffset), { 'Idempotent-Replayed': replayed ? 'true' : undefined })
      },
    },
  ]
}
