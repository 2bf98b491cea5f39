// The sandbox bank: it makes up payments and reports them as the network would, by the same operation of the site.

import type { Amount } from '../contract/amount.ts'
import type { Actor } from '../contract/event.ts'
import { type PaymentStatus, sandboxPayment } from '../contract/payment.ts'
import { answerOf, QrCodeAnswer } from '../contract/qr-code-answer.ts'
import { ApiError } from '../errors.ts'
import type { Reported } from '../site/payments.ts'
import type { QrCodeKey } from '../site/qr-codes.ts'
import { json } from './answer.ts'
import { readObject, validate } from './body.ts'
import { PAID, SANDBOX_PAYMENTS } from './examples.ts'
import type { Operation } from './operation.ts'
import { wholeSegmentOf } from './path.ts'
import type { Service } from './service.ts'
import { callSite } from './sites.ts'

const PATH = '/sites/{siteId}/qrCodes/{qrCodeUid}/payments'

/** The operation that makes up a payment, for a merchant's automated tests. */
export function sandbox(service: Service): Operation[] {
  const schema = sandboxPayment(service.config.currencies)
  return [
    {
      operationId: 'paySandbox',
      method: 'post',
      path: PATH,
      tag: 'Sandbox bank',
      summary: 'Make up a payment',
      description: 'Only where the deployment’s payment network is the sandbox. No money moves.',
      scopes: ['merchant'],
      body: { schema, examples: SANDBOX_PAYMENTS },
      answer: {
        schema: QrCodeAnswer,
        description: 'The QR code after the payment',
        headers: [],
        examples: { paid: PAID },
      },
      errors: ['payin.resource.not.found', 'payin.incorrect-method-invocation'],
      async handle(c, siteId) {
        const attempt = validate(schema, await readObject(c, service))
        const qrCodeUid = wholeSegmentOf(c, PATH, 'qrCodeUid')
        const { qrCode } = await pay(service, siteId, { qrCodeUid }, attempt, 'merchant')
        return json(c, answerOf(qrCode, service.config.utcOffset))
      },
    },
  ]
}

/**
 * Makes up a payment and reports it.
 * @param attempt its amount is the QR code's, where it names none
 * @throws ApiError validation.error where neither has an amount, and what the site refuses
 */
export async function pay(
  service: Service,
  siteId: string,
  key: QrCodeKey,
  attempt: { status: PaymentStatus; amount?: Amount | undefined },
  by: Actor,
): Promise<Reported> {
  const amount = attempt.amount ?? (await callSite(service, siteId, (site) => site.read(key))).amount
  if (!amount) {
    const fault = 'is missing, must be given: the QR code has none'
    throw new ApiError('validation.error', `amount ${fault}`, { fields: { amount: [fault] } })
  }
  const payment = { paymentUid: `sandbox-${service.random(8).toHex()}`, status: attempt.status, amount }
  return callSite(service, siteId, (site) => site.report(key, payment, by))
}
