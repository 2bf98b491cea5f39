// Refunds of T-Bank: Cancel has no key, so what it did is read from the status of the payment.
import { type NewRefund, notInDoubt, type RefundState, Refused, Unavailable } from '../../bank.ts'
import { acceptedOf, type TBankCall, textOf } from './client.ts'

const IN_PROGRESS = ['REFUNDING', 'ASYNC_REFUNDING']

/**
 * @returns PENDING with the status before the refund as its note
 * @throws Refused; Unavailable
 */
export async function refundPayment(call: TBankCall, { reference, amount }: NewRefund): Promise<RefundState> {
  const before = await notInDoubt(statusOf(call, reference))
  if (IN_PROGRESS.includes(before)) {
    throw new Unavailable('Cancel: another refund of the payment is in progress', { isInDoubt: false })
  }
  // Cancel of a payment that is not confirmed would end the link instead.
  if (before !== 'CONFIRMED' && before !== 'PARTIAL_REFUNDED') {
    throw new Refused(`T-Bank: a payment with the status ${before} cannot be refunded`)
  }
  const answer = await call('Cancel', { PaymentId: reference, Amount: amount })
  const { Status = '' } = answer
  if (!answer.Success) {
    // A refusal decides only if the payment stands as before.
    const after = await statusOf(call, reference).catch(() => 'unknown')
    if (after === before) return { status: 'DECLINED', reason: textOf(answer) }
    return {
      status: 'UNKNOWN',
      reason: `refused (${textOf(answer)}), and the payment went from ${before} to ${after}`,
    }
  }
  if (Status === 'REFUNDED' || Status === 'PARTIAL_REFUNDED') return { status: 'COMPLETED' }
  if (IN_PROGRESS.includes(Status)) return { status: 'PENDING', note: before }
  return { status: 'UNKNOWN', reason: `Cancel answers the status ${Status}` }
}

/** @param before the status before the refund */
export async function stateOfRefund(
  call: TBankCall,
  { reference }: NewRefund,
  before: string,
): Promise<RefundState> {
  const after = await statusOf(call, reference)
  if (after === 'REFUNDED') return { status: 'COMPLETED' }
  if (IN_PROGRESS.includes(after)) return { status: 'PENDING', note: before }
  if (after === 'PARTIAL_REFUNDED' && before === 'CONFIRMED') return { status: 'COMPLETED' }
  if (after !== before) return { status: 'UNKNOWN', reason: `the payment went from ${before} to ${after}` }
  const state = acceptedOf('GetQrState', await call('GetQrState', { PaymentId: reference }))
  const { QrCancelCode, QrCancelMessage } = state
  if (after === 'CONFIRMED') {
    return QrCancelCode
      ? { status: 'DECLINED', reason: QrCancelMessage ?? QrCancelCode }
      : { status: 'PENDING', note: before }
  }
  // Of a payment with several refunds the code can be of an earlier one.
  return QrCancelCode
    ? { status: 'UNKNOWN', reason: `the bank states ${QrCancelCode} for a payment with several refunds` }
    : { status: 'COMPLETED' }
}

async function statusOf(call: TBankCall, reference: string): Promise<string> {
  const state = await call('GetState', { PaymentId: reference })
  if (state.Success && state.Status) return state.Status
  throw new Unavailable(`GetState: ${textOf(state)}`, { isInDoubt: false })
}
