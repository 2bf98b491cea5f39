// Payments that the sandbox bank simulates, for a merchant's automated tests (contract, section 7).
import type * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { SANDBOX_BINDING_EXAMPLES, SandboxBinding } from '../contract/binding.ts'
import { sandboxPayment } from '../contract/payment.ts'
import { SANDBOX_PAYMENT_EXAMPLES } from '../contract/payment-examples.ts'
import { BOUND_QR_CODE_EXAMPLE, PAID_QR_CODE_EXAMPLE, QrCodeAnswer } from '../contract/qr-code-answer.ts'
import { QrCodePath } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { bindInSandbox, payInSandbox } from '../gateway/sandbox-bank.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { answerOf } from './answer.ts'

export const SANDBOX_TAG = {
  name: 'Sandbox bank',
  description:
    'Payments without money, for tests. These operations exist for sites of the sandbox alone: all sites of a deployment whose payment network is the sandbox, and test sites',
}

/** The operations of the sandbox, where the deployment has sites of it. */
export const sandbox = ({ currencies }: Pick<Config, 'currencies'>) => [
  operation({
    operationId: 'paySandbox',
    method: 'post',
    path: '/sandbox/v1/sites/{siteId}/qrCodes/{qrCodeUid}/payments',
    parameters: QrCodePath,
    tag: SANDBOX_TAG,
    summary: 'Make a test payment',
    description: 'Pays the QR code or declines the payment. No money moves.',
    scopes: ['merchant'],
    body: { schema: sandboxPayment(currencies), examples: SANDBOX_PAYMENT_EXAMPLES },
    answer: {
      schema: QrCodeAnswer,
      description: 'The QR code after the payment',
      headers: [],
      examples: { paid: PAID_QR_CODE_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'http.too.many.requests'],
    handle: simulatePayment,
  }),
  operation({
    operationId: 'bindSandbox',
    method: 'post',
    path: '/sandbox/v1/sites/{siteId}/qrCodes/{qrCodeUid}/bindings',
    parameters: QrCodePath,
    tag: SANDBOX_TAG,
    summary: 'Make a test binding',
    description: 'Answers the request for a token in place of the customer. No account is bound.',
    scopes: ['merchant'],
    body: { schema: SandboxBinding, examples: SANDBOX_BINDING_EXAMPLES },
    answer: {
      schema: QrCodeAnswer,
      description: 'The QR code after the customer’s answer',
      headers: [],
      examples: { bound: BOUND_QR_CODE_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'http.too.many.requests'],
    handle: simulateBinding,
  }),
]

interface Input {
  path: QrCodePath
  body: z.output<ReturnType<typeof sandboxPayment>>
}

async function simulatePayment(
  site: SiteContext,
  { path, body }: Input,
): Promise<ResponseContent<QrCodeAnswer>> {
  const { qrCode } = await payInSandbox(site, path, body)
  if (!qrCode) throw new Error('the sandbox paid an unknown QR code')
  return { value: answerOf(site, qrCode) }
}

async function simulateBinding(
  site: SiteContext,
  { path, body }: { path: QrCodePath; body: z.output<typeof SandboxBinding> },
): Promise<ResponseContent<QrCodeAnswer>> {
  const { qrCode } = await bindInSandbox(site, path, body.status)
  if (!qrCode) throw new Error('the sandbox bound an account by an unknown QR code')
  return { value: answerOf(site, qrCode) }
}
