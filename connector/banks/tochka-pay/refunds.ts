// Refunds of Tochka Pay Gateway: sent once under a refundUid of ours, and asked about by it.
import * as z from 'zod'
import { roublesOf } from '../../amounts.ts'
import type { NewRefund, RefundState } from '../bank.ts'
import { notInDoubt, Unavailable } from '../bank-errors.ts'
import { PAYMENT, REFUND, REFUND_STATUS, REFUNDS, type Refund, wholeList } from './answers.ts'
import type { PayCall } from './client.ts'
import { declineText, isNotReturned } from './reasons.ts'
import { amountOf, paymentPathOf } from './requests.ts'

/** A decline counts after so many statements of the bank's sums: a clock that jumps makes one of them seem later, and no more. */
const READINGS = 7
/** Each of them counts this long after the one before: together an hour. */
const APART_MS = 600_000

/** What is kept of a declined refund between the questions. */
const Note = z.object({
  /** How many statements of the bank's sums say that it moved nothing. */
  readings: z.int(),
  /** When the last of them was counted; Unix milliseconds. */
  readAt: z.int(),
})
type Note = z.output<typeof Note>

/**
 * Sends the refund, unless the bank lists it. After a restore, both disks can lack a refund that was sent. The document does not
 * say what a repeated id does, so the bank is asked first.
 * @throws Refused after 400; Unavailable, not in doubt, where nothing was sent or the payment is locked
 */
export async function refundPayment(call: PayCall, refund: NewRefund): Promise<RefundState> {
  const { key, amount, webhookUrl } = refund
  const paymentUid = paymentUidOf(refund)
  const listed = await notInDoubt(refundsOf(call, paymentUid))
  const stated =
    listed.find(({ refundUid }) => refundUid === key) ??
    (await call(REFUND, {
      operation: 'refund',
      method: 'POST',
      path: `${paymentPathOf(paymentUid)}/refunds`,
      body: {
        refundUid: key,
        amount: amountOf(amount),
        ...(webhookUrl !== undefined && { callbackUrl: webhookUrl }),
      },
      isSigned: true,
    }))
  return decided('refund', stated, refund) ?? { status: 'PENDING', note: '' }
}

/**
 * @param note a Note as JSON; '' where the bank's sums do not say that a declined refund moved nothing
 * @throws NotKnown where the bank does not have the refund
 */
export async function stateOfRefund(
  call: PayCall,
  refund: NewRefund,
  { note, now }: { note: string; now: number },
): Promise<RefundState> {
  const operation = 'refund_status'
  const path = `${paymentPathOf(paymentUidOf(refund))}/refunds/${encodeURIComponent(refund.key)}`
  const stated = await call(REFUND_STATUS, { operation, method: 'GET', path })
  // A 404 of the next two calls does not mean that the bank lacks this refund.
  return decided(operation, stated, refund) ?? (await notInDoubt(bySums(call, refund, stated, { note, now })))
}

/** @returns undefined where the refund is declined for a reason that does not say that nothing was returned */
function decided(operation: string, { refundUid, amount, status }: Refund, asked: NewRefund) {
  if (refundUid !== asked.key) {
    throw new Unavailable(`${operation}: the answer is of another refund`, { isInDoubt: true })
  }
  if (amount !== asked.amount) {
    const reason = `the bank states a refund of ${roublesOf(amount)} RUB under this id`
    return { status: 'IN_DOUBT', reason } as const
  }
  switch (status.value) {
    case 'COMPLETED':
      return { status: 'COMPLETED' } as const
    case 'DECLINED':
      return isNotReturned(status)
        ? ({ status: 'DECLINED', reason: declineText(status) } as const)
        : undefined
    default:
      return { status: 'PENDING', note: '' } as const
  }
}

/**
 * The decline counts if `refundedAmount` equals the sum of the listed COMPLETED refunds, none is in progress, the list has this
 * refund as DECLINED, and all of that still holds an hour later.
 */
async function bySums(
  call: PayCall,
  refund: NewRefund,
  { status }: Refund,
  { note, now }: { note: string; now: number },
): Promise<RefundState> {
  const why = declineText(status)
  const paymentUid = paymentUidOf(refund)
  const refunds = await refundsOf(call, paymentUid)
  // A list that lacks the refund is old, and the state that was just asked for can be.
  const ours = refunds.find(({ refundUid }) => refundUid === refund.key)
  if (ours?.status.value !== 'DECLINED') {
    const listed = ours ? `lists it as ${ours.status.value}` : 'does not list it'
    return { status: 'IN_DOUBT', reason: `${why}; the bank ${listed}` }
  }
  const payment = await call(PAYMENT, {
    operation: 'payment',
    method: 'GET',
    path: paymentPathOf(paymentUid),
  })
  if (payment.paymentUid !== paymentUid) {
    throw new Unavailable('payment: the answer is of another payment', { isInDoubt: false })
  }
  const completed = refunds.filter((each) => each.status.value === 'COMPLETED')
  const sum = completed.reduce((all, { amount }) => all + amount, 0)
  const areOver = refunds.every((each) => each.status.value === 'DECLINED' || completed.includes(each))
  if (!areOver || payment.refundedAmount !== sum) {
    const progress = areOver ? '' : ', and one is in progress'
    const sums = `${roublesOf(payment.refundedAmount)} RUB are refunded, the list has ${roublesOf(sum)} RUB`
    return { status: 'IN_DOUBT', reason: `${why}; the bank states that ${sums}${progress}` }
  }
  const counted = countedAt(now, note === '' ? undefined : Note.parse(JSON.parse(note)))
  const text = JSON.stringify(counted)
  if (counted.readings >= READINGS) return { status: 'DECLINED', reason: why, note: text }
  return {
    status: 'IN_DOUBT',
    reason: `${why}; it will be reported as declined if the bank's sums stay equal for an hour`,
    note: text,
  }
}

function countedAt(now: number, before: Note | undefined): Note {
  // A clock that has gone back says nothing of the time between.
  if (!before || before.readAt > now) return { readings: 1, readAt: now }
  return now - before.readAt < APART_MS ? before : { readings: before.readings + 1, readAt: now }
}

/** @throws Unavailable where the list has more than one page */
async function refundsOf(call: PayCall, paymentUid: string): Promise<Refund[]> {
  const operation = 'refunds'
  const list = await call(REFUNDS, { operation, method: 'GET', path: `${paymentPathOf(paymentUid)}/refunds` })
  return wholeList(operation, list)
}

/** The bank's id of the payment: of a charge it is ours. @throws Unavailable where neither disk nor service has it */
function paymentUidOf({ number }: NewRefund): string {
  if (number !== undefined) return number
  throw new Unavailable('refund: the bank’s paymentUid is not known', { isInDoubt: false })
}
