// What a charge of Tochka Pay Gateway has become, by the bank's statement of its payment.
import type { ChargeState } from '../bank-bindings.ts'
import { Unavailable } from '../bank-errors.ts'
import type { Payment } from './answers.ts'
import { declineText, isBindingOver, isNotCharged } from './reasons.ts'
import type { TestPayments } from './test-payments.ts'

/** How the bank's statement is read. */
interface Asked {
  operation: string
  /** The paymentUid of ours. */
  order: string
  tests: TestPayments
}

/** @throws Unavailable where the answer is of another payment, or has no amount that a charge can have */
export function chargeStateOf(payment: Payment, { operation, order, tests }: Asked): ChargeState {
  const { paymentUid, status, amount } = payment
  if (paymentUid !== order) {
    throw new Unavailable(`${operation}: the answer is of another payment`, { isInDoubt: true })
  }
  switch (status.value) {
    case 'COMPLETED':
      if (!tests.isReported(payment)) return { status: 'IN_DOUBT', reason: 'the bank states a test payment' }
      if (amount === 0)
        throw new Unavailable(`${operation}: COMPLETED without an amount`, { isInDoubt: true })
      return { status: 'COMPLETED', number: order, amount, reference: order }
    case 'DECLINED': {
      const reason = declineText(status)
      if (!isNotCharged(status)) return { status: 'IN_DOUBT', reason }
      return { status: 'DECLINED', reason, ...(isBindingOver(status) && { isBindingOver: true }) }
    }
    default:
      return { status: 'PENDING' }
  }
}
