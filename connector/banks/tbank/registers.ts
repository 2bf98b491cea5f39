// Registration of T-Bank's links: a payment, a payment that binds an account, a binding alone.
import { roublesOf } from '../../amounts.ts'
import { contactsOf, receiptOf } from '../../cash-registers/tbank/body.ts'
import type { Link, NewCode } from '../bank.ts'
import { Refused, Unavailable } from '../bank-errors.ts'
import { qrcIdOf } from '../identifiers.ts'
import { moscowTime } from '../moscow.ts'
import * as answers from './answers.ts'
import { requireSame, type TBankCall } from './client.ts'

/** The least that can be paid by SBP here: 10 roubles. */
const MIN_KOPECKS = 1_000
/** `Amount` has at most ten digits. */
const MAX_KOPECKS = 9_999_999_999
/** The bank refuses an end that is less than a minute away by its own clock: the call can be slow, and the clocks can differ. */
const MIN_TTL_MS = 90_000

interface Surroundings {
  /** Unix milliseconds. */
  now: number
  signal?: AbortSignal
}

/** `Init` of a payment that binds an account or is charged to one. `DATA` is a `oneOf` of three schemas that it all matches. */
export const RECURRENT = { Recurrent: 'Y', DATA: { QR: 'true' } }

/** @throws Refused where the amount is one that the bank does not take */
export function requireAmount(amount: number): void {
  if (amount >= MIN_KOPECKS && amount <= MAX_KOPECKS) return
  throw new Refused(`T-Bank takes payments from ${roublesOf(MIN_KOPECKS)} to ${roublesOf(MAX_KOPECKS)} RUB`)
}

/** @param now Unix milliseconds */
export const dueDateOf = (expiresAt: number, now: number): string =>
  moscowTime(Math.max(expiresAt, now + MIN_TTL_MS))

/** @throws Refused; Unavailable */
export function registerCode(call: TBankCall, code: NewCode, surroundings: Surroundings): Promise<Link> {
  return code.type === 'TOKEN'
    ? registerBinding(call, code, surroundings)
    : registerPayment(call, code, surroundings)
}

async function registerPayment(
  call: TBankCall,
  { amount = 0, order, purpose, expiresAt, webhookUrl, tokenizationPurpose, receipt }: NewCode,
  { now, signal }: Surroundings,
): Promise<Link> {
  requireAmount(amount)
  const isBinding = tokenizationPurpose !== undefined
  const init = {
    operation: 'Init',
    fields: {
      Amount: amount,
      OrderId: order,
      Description: purpose,
      PayType: 'O',
      NotificationURL: webhookUrl,
      ...(expiresAt !== undefined && { RedirectDueDate: dueDateOf(expiresAt, now) }),
      ...(isBinding && RECURRENT),
      ...(receipt && { Receipt: receiptOf(receipt) }),
    },
    ...(signal && { signal }),
    secrets: contactsOf(receipt),
  }
  const registered = await call(init, answers.INIT)
  requireSame('Init', { OrderId: order, Amount: amount }, registered, true)
  const { PaymentId: paymentId = '' } = registered
  const id = Number(paymentId)
  const fields = { PaymentId: Number.isSafeInteger(id) ? id : paymentId, DataType: 'PAYLOAD' }
  const qr = await call({ operation: 'GetQr', fields, ...(signal && { signal }) }, answers.LINK)
  requireSame('GetQr', { PaymentId: paymentId, OrderId: order }, qr, true)
  const { Data: payload = '', RequestKey: request } = qr
  const qrcId = qrcIdOf(payload)
  if (!paymentId || !qrcId || (isBinding && !request)) {
    throw new Unavailable('Init, GetQr: the answers lack PaymentId, Data or RequestKey', { isInDoubt: true })
  }
  return { qrcId, payload, reference: paymentId, ...(isBinding && request && { request }) }
}

async function registerBinding(
  call: TBankCall,
  { purpose, tokenizationPurpose = purpose, expiresAt }: NewCode,
  { now, signal }: Surroundings,
): Promise<Link> {
  const fields = {
    Description: tokenizationPurpose,
    DataType: 'PAYLOAD',
    ...(expiresAt !== undefined && { RedirectDueDate: dueDateOf(expiresAt, now) }),
  }
  const added = await call({ operation: 'AddAccountQr', fields, ...(signal && { signal }) }, answers.LINK)
  const { Data: payload = '', RequestKey: request } = added
  const qrcId = qrcIdOf(payload)
  if (!qrcId || !request) {
    throw new Unavailable('AddAccountQr: the answer lacks Data or RequestKey', { isInDoubt: true })
  }
  return { qrcId, payload, reference: '', request }
}
