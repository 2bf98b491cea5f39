// Refunds of T-Bank: Cancel has no key, and no answer of it says that nothing was done.
import * as z from 'zod'
import { contactsOf, receiptOf } from '../../cash-registers/tbank/body.ts'
import { messageOf } from '../../log.ts'
import type { NewRefund, RefundState } from '../bank.ts'
import { notInDoubt, Refused, Unavailable } from '../bank-errors.ts'
import type { RidingReceipt } from '../bank-receipts.ts'
import { CANCEL, QR_STATE } from './answers.ts'
import { paymentState, requireSame, type TBankCall } from './client.ts'
import { OVER } from './statuses.ts'

const IN_PROGRESS = ['REFUNDING', 'ASYNC_REFUNDING']
/** Nothing is left of the payment, and no other status follows. */
const NEVER_REFUNDED = ['REFUNDED', 'REVERSED', ...OVER]
/** The bank's statement that the first refund failed counts if it stands after that time. */
const STANDS_MS = 3_600_000

/** What is kept of a refund between the calls. */
const Note = z.object({
  /** The status before it. */
  before: z.string(),
  /** Whether Cancel had no answer. */
  isInDoubt: z.boolean(),
  /** Since when it is stated as failed; Unix milliseconds. */
  failedAt: z.int().optional(),
})

const textOf = (note: z.output<typeof Note>): string => JSON.stringify(note)

/** @throws Refused where nothing is left of the payment; Unavailable where Cancel was not sent */
export async function refundPayment(
  call: TBankCall,
  { reference, amount, isFirst, receipt }: NewRefund,
): Promise<RefundState> {
  const PaymentId = reference
  const receiptField = receiptFieldOf(receipt)
  const { Status: before = '' } = await notInDoubt(paymentState(call, PaymentId))
  if (NEVER_REFUNDED.includes(before)) {
    throw new Refused(`T-Bank: a payment with the status ${before} cannot be refunded`)
  }
  if (IN_PROGRESS.includes(before)) {
    throw new Unavailable('Cancel: another refund of the payment is in progress', { isInDoubt: false })
  }
  // The payment was reported, so the status is older. Cancel of a payment that is not confirmed would end the link instead.
  if (before !== 'CONFIRMED' && before !== 'PARTIAL_REFUNDED') {
    throw new Unavailable(`GetState: the status of the payment is ${before}`, { isInDoubt: false })
  }
  const fields = { PaymentId, Amount: amount, ...receiptField }
  try {
    const cancel = { operation: 'Cancel', fields, secrets: contactsOf(receipt) }
    const cancelled = await call(cancel, CANCEL)
    if ('receiptRefused' in cancelled) {
      // The operator decides: without its receipt the refund is not sent.
      return {
        status: 'IN_DOUBT',
        reason: `T-Bank refused Cancel for its receipt: ${cancelled.receiptRefused}`,
      }
    }
    requireSame('Cancel', { PaymentId }, cancelled, true)
    const { Status = '', OriginalAmount, NewAmount } = cancelled
    if (Status === 'REFUNDED' || Status === 'PARTIAL_REFUNDED') {
      const isAllLeft = typeof NewAmount === 'number' && NewAmount === OriginalAmount
      if (!isAllLeft) return { status: 'COMPLETED' }
      return inDoubt('Cancel: the bank states that all of the amount is left', { isFirst, before })
    }
    if (IN_PROGRESS.includes(Status)) return { status: 'PENDING', note: textOf({ before, isInDoubt: false }) }
    return inDoubt(`Cancel: the bank answers the status ${Status}`, { isFirst, before })
  } catch (error) {
    if (!(error instanceof Unavailable) || !error.isInDoubt) throw error
    return inDoubt(messageOf(error), { isFirst, before })
  }
}

/**
 * The cancellation of a whole payment carries no receipt: the bank makes one of what was sold.
 * @throws Unavailable where there can be no receipt: nothing was sent, and no refund is declined for its receipt
 */
function receiptFieldOf(receipt: RidingReceipt | undefined) {
  if (!receipt || receipt.isWholePayment) return {}
  try {
    return { Receipt: receiptOf(receipt) }
  } catch (error) {
    throw new Unavailable(`Cancel cannot have its receipt: ${messageOf(error)}`, { isInDoubt: false })
  }
}

/** Nothing decides a later refund: what the bank states can be of an earlier one. */
function inDoubt(reason: string, { isFirst, before }: { isFirst: boolean; before: string }): RefundState {
  if (!isFirst || before !== 'CONFIRMED') return { status: 'IN_DOUBT', reason }
  const note = textOf({ before, isInDoubt: true })
  return {
    status: 'IN_DOUBT',
    reason: `${reason}; declined if the bank states for an hour that it failed`,
    note,
  }
}

/** @param text the note of `refundPayment`, or of the last call of this function */
export async function stateOfRefund(
  call: TBankCall,
  { reference, order, isFirst }: NewRefund,
  { text, now }: { text: string; now: number },
): Promise<RefundState> {
  const { before, isInDoubt, failedAt = now } = Note.parse(JSON.parse(text))
  const fields = { PaymentId: reference }
  const answer = await call({ operation: 'GetQrState', fields }, QR_STATE)
  const { Status = '', OrderId = order, QrCancelCode, QrCancelMessage } = answer
  if (order !== undefined && OrderId !== order) {
    throw new Unavailable('GetQrState: the answer is of another order', { isInDoubt: false })
  }
  const isDecidable = isFirst && before === 'CONFIRMED'
  if (isDecidable && Status === 'CONFIRMED' && QrCancelCode) {
    if (now - failedAt >= STANDS_MS) return { status: 'DECLINED', reason: QrCancelMessage ?? QrCancelCode }
    const note = textOf({ before, isInDoubt, failedAt })
    if (!isInDoubt) return { status: 'PENDING', note }
    return {
      status: 'IN_DOUBT',
      reason: `the bank states ${QrCancelCode}: declined if it does for an hour`,
      note,
    }
  }
  if (isInDoubt) return inDoubt(`Cancel had no answer, and the payment is ${Status}`, { isFirst, before })
  if (Status === 'REFUNDED') return { status: 'COMPLETED' }
  if (isDecidable && Status === 'PARTIAL_REFUNDED') return { status: 'COMPLETED' }
  if (IN_PROGRESS.includes(Status) || (isDecidable && Status === 'CONFIRMED')) {
    return { status: 'PENDING', note: textOf({ before, isInDoubt }) }
  }
  return { status: 'IN_DOUBT', reason: `the payment is ${Status}, which can be of another refund` }
}
