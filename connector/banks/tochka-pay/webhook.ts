// The webhooks of Tochka Pay Gateway: a JWT as text, RS256, signed by the bank's key that the credentials have.
import { compactVerify } from 'jose'
import * as z from 'zod'
import type { WebhookRequest } from '../../partner.ts'
import type { Webhook } from '../bank.ts'
import { Unauthorized } from '../bank-errors.ts'
import { type Change, changeId } from '../change-id.ts'
import { Payment, Refund, Tokenization } from './answers.ts'
import type { Settings } from './credentials.ts'
import { CHARGE_TYPE, paymentOf } from './states.ts'
import type { TestPayments } from './test-payments.ts'

const Envelope = z.object({
  siteUid: z.string(),
  event: z.string(),
  payload: z.unknown(),
  paymentUid: z.string().optional(),
})
type Envelope = z.output<typeof Envelope>

/**
 * @returns undefined for a genuine webhook that says nothing which is reported
 * @throws Unauthorized
 */
export async function verifyWebhook(
  { body }: WebhookRequest,
  { siteUid, webhookKey }: Pick<Settings, 'siteUid' | 'webhookKey'>,
  tests: TestPayments,
): Promise<Webhook | undefined> {
  const envelope = read(Envelope, await payloadOf(body.trim(), webhookKey), 'webhook')
  // The key is the bank's, not the site's: it signs the webhooks of all sites.
  if (envelope.siteUid !== siteUid) throw new Unauthorized(`the siteUid is not ${siteUid}`)
  switch (envelope.event) {
    case 'payment-updated':
      return ofPayment(read(Payment, envelope.payload, 'payment'), tests)
    case 'refund-updated':
      return ofRefund(envelope)
    case 'sbp-token-issued':
    case 'sbp-token-declined':
      return ofDecision(envelope)
    default:
      return
  }
}

async function payloadOf(token: string, key: Settings['webhookKey']): Promise<unknown> {
  try {
    const { payload } = await compactVerify(token, key, { algorithms: ['RS256'] })
    return JSON.parse(new TextDecoder().decode(payload))
  } catch {
    throw new Unauthorized('the key of the bank does not verify the JWT by RS256')
  }
}

function read<T>(shape: z.ZodType<T>, value: unknown, what: string): T {
  const { success, data } = shape.safeParse(value)
  if (success) return data
  throw new Unauthorized(`the ${what} is not as documented`)
}

/** What is not completed is asked for. */
function ofPayment(payment: Payment, tests: TestPayments): Webhook | undefined {
  const { paymentUid, amount, status, paymentMethod } = payment
  const { type, qrcId, activationUid: saleKey } = paymentMethod
  const order = type === CHARGE_TYPE ? paymentUid : undefined
  if (!tests.isReported(payment) || (order ?? qrcId) === undefined) return
  const stated = paymentOf(payment)
  const isPaid = stated?.status === 'COMPLETED'
  const change = changeOf(`payment-updated:${paymentUid}`, status)
  return {
    // A webhook that states another amount of the payment is no repeat.
    id: `${changeId(change)}:${status.value}:${amount}`,
    change,
    ...(order !== undefined ? { order } : qrcId !== undefined && { qrcId }),
    ...(saleKey !== undefined && { saleKey }),
    ...(isPaid && { payment: stated }),
  }
}

function ofRefund({ payload, paymentUid }: Envelope): Webhook | undefined {
  const { refundUid, status } = read(Refund, payload, 'refund')
  if (paymentUid === undefined) throw new Unauthorized('the refund has no paymentUid')
  const change = changeOf(`refund-updated:${refundUid}`, status)
  return { id: `${changeId(change)}:${status.value}`, change, refundOf: paymentUid }
}

/** The token of a consent is not kept. */
function ofDecision({ event, payload }: Envelope): Webhook {
  const decision = read(Tokenization, payload, 'decision')
  const { qrcId: request } = decision
  const binding =
    decision.status === 'ACCEPTED'
      ? { request, isActive: true, bankMemberId: decision.memberId }
      : { request, isActive: false }
  return { id: `${event}:${request}`, binding }
}

/** @throws Unauthorized where it has no time */
function changeOf(of: string, { value, changedDateTime }: Payment['status']): Change {
  const at = Date.parse(changedDateTime)
  if (Number.isNaN(at)) throw new Unauthorized('changedDateTime is not a time')
  return { of, at, isFinal: value === 'COMPLETED' || value === 'DECLINED' }
}
