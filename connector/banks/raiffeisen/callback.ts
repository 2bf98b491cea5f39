// The callbacks of Raiffeisen: JSON, and an HMAC over five of its fields.
import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { WebhookRequest } from '../../partner.ts'
import type { Webhook } from '../bank.ts'
import { Unauthorized } from '../bank-errors.ts'
import { isSameText } from '../constant-time.ts'
import { rawFieldsOf } from '../raw-json.ts'

const SIGNATURE_HEADER = 'x-api-signature-sha256'

const Signed = z.object({
  amount: z.string(),
  sbpMerchantId: z.string(),
  order: z.string(),
  paymentStatus: z.string(),
  transactionDate: z.string(),
})

/** @returns lower-case hexadecimal digits; `text` is the signed fields, joined by `|` */
export function signatureOf(text: string, secretKey: string): string {
  return createHmac('sha256', secretKey).update(text).digest('hex')
}

const OfSubscription = z.object({
  event: z.literal('subscription'),
  subscription: z.object({ id: z.string() }),
})

/**
 * Only the five fields are trusted: the order finds the code or the charge, and the bank itself is asked for the rest. A
 * notification of a subscription has none of them: nobody has signed it.
 * @throws Unauthorized
 */
export function verifyCallback(
  { headers, body }: WebhookRequest,
  settings: { sbpMerchantId: string; secretKey: string },
): Webhook {
  const fields = rawFieldsOf(body)
  const { data: notice } = OfSubscription.safeParse(fields)
  if (notice) {
    const { id: request } = notice.subscription
    return { id: request, isUnsigned: true, binding: { request, isActive: false } }
  }
  const { data } = Signed.safeParse(fields)
  if (!data) throw new Unauthorized('it lacks a signed field')
  const { amount, sbpMerchantId, order, paymentStatus, transactionDate } = data
  const text = [amount, sbpMerchantId, order, paymentStatus, transactionDate].join('|')
  const given = (headers[SIGNATURE_HEADER] ?? '').toLowerCase()
  if (!isSameText(given, signatureOf(text, settings.secretKey))) {
    throw new Unauthorized('the signature is wrong')
  }
  if (sbpMerchantId !== settings.sbpMerchantId) throw new Unauthorized('it is of another merchant')
  return {
    id: text,
    reference: order,
    order,
    ...(paymentStatus === 'SUCCESS' ? { paidAt: transactionDate } : {}),
  }
}
