// Reads the payments of a code or a sale from Tochka's answers.
import type * as z from 'zod'
import type { BankPayment, Code, CodeState } from '../bank.ts'
import type * as bodies from './bodies.ts'

const PENDING = ['Confirming', 'Confirmed', 'Initiated', 'Accepting', 'InProgress']

type ListedPayment = z.output<typeof bodies.Payments>['Data']['Payments'][number]
type Operation = z.output<typeof bodies.Operation>['Data']

/** @param isExpected whether the bank states elsewhere that the list must have a payment */
export function listedState(
  { qrcId, amount }: Code,
  payments: readonly ListedPayment[],
  isExpected: boolean,
): CodeState {
  const of = payments.filter((payment) => payment.qrcId === qrcId)
  const isPending = of.some(({ status }) => PENDING.includes(status)) || (isExpected && of.length === 0)
  const final = of.filter(({ status }) => status === 'Accepted' || status === 'Rejected')
  // Only its webhook has the amount of a payment of a code without one.
  if (amount === undefined) return { payments: [], isPartial: true, isPending }
  return {
    payments: final.map(({ status, refTransactionId, message: reason }) => ({
      ...(status === 'Accepted'
        ? { status: 'COMPLETED' as const }
        : { status: 'DECLINED' as const, ...(reason ? { reason } : {}) }),
      number: refTransactionId || qrcId,
      amount,
      isAmountAssumed: true,
    })),
    isPending,
    // The list is complete. `Error` and `Timeout` say nothing of the money.
    isOver: !isPending && final.length === of.length,
  }
}

/**
 * @param paramsId the bank's id of the arming
 * @param armed its amount: the bank may leave it out
 */
export function saleState(
  { trxStatus, dateTime: paidAt, ...stated }: Operation,
  paramsId: string,
  armed: number | undefined,
): CodeState {
  const amount = stated.amount ?? armed
  if (trxStatus === 'ACWP' && amount !== undefined) {
    const isAmountAssumed = typeof stated.amount !== 'number'
    const payment = { status: 'COMPLETED' as const, number: paramsId, amount, isAmountAssumed }
    return { payments: [{ ...payment, ...(paidAt ? { paidAt } : {}) }], isPending: false }
  }
  // The document has no other end of an arming: `qrCodeStatus` is of the code, which may be armed for a later sale.
  const isOver = trxStatus === 'NTST' || trxStatus === 'RJCT'
  return { payments: [], isPending: trxStatus === 'RCVD', isOver }
}

/** The rejected attempt that the status of a code tells of. */
export function declined({ qrcId, amount }: Code, trxId: string | undefined): BankPayment[] {
  return amount === undefined ? [] : [{ status: 'DECLINED', number: trxId || qrcId, amount }]
}
