// The sandbox bank: it simulates payments, carries out instructions, and reports both as the payment network does.

import type { Amount } from '../contract/amount.ts'
import type { Consent } from '../contract/binding.ts'
import type { Caller } from '../contract/caller.ts'
import type { Delivered } from '../contract/delivery.ts'
import type { SentInstruction } from '../contract/instruction.ts'
import type { PaymentResult } from '../contract/payment.ts'
import { ApiError } from '../errors.ts'
import type { InstructionDelivery } from '../site/outbox/courier.ts'
import type { Reported } from '../site/payments/reports.ts'
import type { QrCodeKey } from '../site/qr-codes/rows.ts'
import type { Bound } from '../site/tokens/bindings.ts'
import type { Platform, SiteContext } from './context.ts'
import {
  type Reporter,
  reportBinding,
  reportPayment,
  reportReceipt,
  reportRefund,
  simulateBinding,
  simulatePayment,
} from './report.ts'
import { REGISTERS_MS, sandboxReceipt } from './sandbox-register.ts'
import { callSite } from './site-client.ts'

/**
 * Makes up a payment and reports it.
 * @param attempt by default its amount is the QR code's
 * @throws ApiError validation.error where neither has an amount, and the site's refusals
 */
export async function payInSandbox(
  site: SiteContext,
  key: QrCodeKey,
  attempt: {
    status: PaymentResult
    amount?: Amount | undefined
    /** What the customer answers to the request for a token. */
    binding?: Consent | undefined
    /** Why it is declined. */
    reason?: string | undefined
  },
): Promise<Reported> {
  const { sale, ...qrCode } = await callSite(site, (object) => object.read(site.caller, key))
  const amount = attempt.amount ?? qrCode.amount ?? sale?.amount
  if (!amount) {
    const text = 'is missing, must be given: the QR code has none'
    throw new ApiError('validation.error', `amount ${text}`, { fields: { amount: [text] } })
  }
  const binding = attempt.binding && newBinding(site, attempt.binding)
  const { status, reason } = attempt
  return simulatePayment(site, key, {
    paymentUid: newUid(site),
    status,
    amount,
    binding,
    reason,
    saleUid: sale?.saleUid,
  })
}

/** Makes up the customer's answer to the request for a token and reports it. @throws ApiError the site's refusals */
export const bindInSandbox = (
  site: SiteContext,
  key: QrCodeKey,
  status: Consent,
  reason?: string,
): Promise<Bound> => simulateBinding(site, key, { ...newBinding(site, status), reason })

const newBinding = (site: SiteContext, status: Consent) => ({
  bindingUid: newUid(site),
  status,
  bankMemberId: site.service.config.bankMemberId,
})

const newUid = ({ service }: SiteContext): string => `sandbox-${service.random(8).toHex()}`

/** The kopecks of an amount that is declined, and of one that waits first (contract, section 10). */
const DECLINED_KOPECKS = 13
const WAITING_KOPECKS = 17
const WAITING_MS = 30_000

/** The sandbox bank has no access token. */
const BANK: Caller = { actor: 'network', scopes: ['network'], isService: true }

/** The kopecks that decide what becomes of an instruction; a receipt is no money. */
const kopecksOf = (instruction: SentInstruction): number =>
  'amount' in instruction && instruction.type !== 'receipt.register' ? instruction.amount.minorUnits % 100 : 0

/** For how long an instruction waits at the bank, in milliseconds. */
const waitOf = (instruction: SentInstruction): number => {
  if (instruction.type === 'receipt.register') return REGISTERS_MS
  return kopecksOf(instruction) === WAITING_KOPECKS ? WAITING_MS : 0
}

/**
 * Carries out an instruction, and reports the result; of a charge and a refund the amount decides which, of a receipt its items.
 * @returns as a connector answers: 200 after the report, 202 and Retry-After where the instruction waits
 */
export async function carryOut(
  platform: Reporter['service'] & Pick<Platform, 'now'>,
  { siteId, instruction, createdAt }: InstructionDelivery,
): Promise<Delivered> {
  const started = platform.now()
  const kopecks = kopecksOf(instruction)
  const wait = waitOf(instruction)
  const waits = createdAt + wait - started
  if (wait > 0 && waits > 0) return { httpStatus: 202, ms: 0, retryAfter: Math.ceil(waits / 1000) }
  const bank = { service: platform, siteId, caller: BANK }
  const result =
    kopecks === DECLINED_KOPECKS
      ? ({ status: 'DECLINED', reason: 'test amount' } as const)
      : ({ status: 'COMPLETED' } as const)
  try {
    if (instruction.type === 'refund.create') await reportRefund(bank, instruction, result)
    else if (instruction.type === 'receipt.register') {
      const report = sandboxReceipt(platform.config, siteId, instruction, createdAt)
      await reportReceipt(bank, instruction.receiptUid, report)
    } else if (instruction.type === 'token.delete') {
      const { linkId, bindingUid } = instruction
      await reportBinding(bank, { linkId, isKept: true }, { bindingUid, status: 'DELETED' })
    } else if (instruction.type === 'payment.charge') {
      const { linkId, paymentUid, amount, expiresAt } = instruction
      const isLate = kopecks !== WAITING_KOPECKS && started >= expiresAt * 1000
      const late = { status: 'DECLINED', reason: 'expired' } as const
      await reportPayment(bank, { linkId }, { paymentUid, amount, ...(isLate ? late : result) })
    }
  } catch (error) {
    // A refusal is a result: the outbox gives the instruction again.
    if (!(error instanceof ApiError)) throw error
    return { error: `the report was refused: ${error.message}`, ms: platform.now() - started }
  }
  return { httpStatus: 200, ms: platform.now() - started }
}
