// The payments of Raiffeisenbank: what its status call says of one, and which two answers are of one payment.
import { kopecksOf } from '../../amounts.ts'
import type { BankPayment, CodeType, PaymentId } from '../bank.ts'
import { isSameInstant } from '../instant.ts'
import type { PaymentInfo } from './answers.ts'

/** @returns undefined where the answer states no payment that has ended */
export function paymentOf(type: CodeType, info: PaymentInfo): BankPayment | undefined {
  const { order, paymentStatus, transactionDate: paidAt, transactionId } = info
  const amount = kopecksOf(String(info.amount))
  const isFinal = paymentStatus === 'SUCCESS' || paymentStatus === 'DECLINED'
  const isStatic = type === 'STATIC'
  // Without its number a payment of a static code cannot be told from others, nor refunded.
  if (!amount || !isFinal || (isStatic && transactionId === undefined)) return
  return {
    status: paymentStatus === 'SUCCESS' ? 'COMPLETED' : 'DECLINED',
    number: String(transactionId ?? order),
    order,
    key: [order, paidAt === undefined ? '' : Date.parse(paidAt), transactionId ?? ''].join(' ').trimEnd(),
    amount,
    ...(paidAt ? { paidAt } : {}),
    ...(isStatic ? { reference: `${order}:${transactionId}` } : {}),
  }
}

/**
 * By its number where both have one, otherwise by its time: the bank may leave out either, or both. A payment of a static code
 * always has its number, so where nothing can be compared the link is one that is paid once: a second payment of it is rather missed
 * than one reported twice.
 */
export function isSamePayment(a: PaymentId, b: PaymentId): boolean {
  const [order, time = ''] = a.key.split(' ')
  const [otherOrder, otherTime = ''] = b.key.split(' ')
  if (order !== otherOrder) return false
  const haveNumbers = a.number !== order && b.number !== order
  if (haveNumbers) return a.number === b.number
  return time === '' || otherTime === '' || isSameInstant(Number(time), Number(otherTime))
}
