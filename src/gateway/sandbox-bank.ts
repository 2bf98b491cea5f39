// The sandbox bank: it makes up payments and reports them as the payment network does.
import type { Amount } from '../contract/amount.ts'
import type { PaymentResult } from '../contract/payment.ts'
import { ApiError } from '../errors.ts'
import type { QrCodeKey } from '../site/qr-codes.ts'
import type { Reported } from '../site/reports.ts'
import type { SiteContext } from './context.ts'
import { reportPayment } from './report.ts'
import { callSite } from './site-client.ts'

/**
 * Makes up a payment and reports it.
 * @param attempt by default its amount is the QR code's
 * @throws ApiError validation.error where neither has an amount, and the site's refusals
 */
export async function payInSandbox(
  site: SiteContext,
  key: QrCodeKey,
  attempt: { status: PaymentResult; amount?: Amount | undefined },
): Promise<Reported> {
  const amount = attempt.amount ?? (await callSite(site, (object) => object.read(site.caller, key))).amount
  if (!amount) {
    const text = 'is missing, must be given: the QR code has none'
    throw new ApiError('validation.error', `amount ${text}`, { fields: { amount: [text] } })
  }
  const paymentUid = `sandbox-${site.service.random(8).toHex()}`
  return reportPayment(site, key, { paymentUid, status: attempt.status, amount })
}
