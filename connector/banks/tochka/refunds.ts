// What the status of a refund at Tochka means.
import type * as z from 'zod'
import type { RefundState } from '../bank.ts'
import type * as bodies from './bodies.ts'

type RefundData = z.output<typeof bodies.Refund>['Data']

/**
 * Its document: «Финальный успешный статус — Accepted. Если возврат не прошёл, будет статус Rejected.» Other statuses, `Error` and `Timeout` too,
 * do not say that the money has gone or will not go.
 */
export function refundStateOf({ requestId: note, status, statusDescription }: RefundData): RefundState {
  if (status === 'Accepted') return { status: 'COMPLETED', note }
  if (status === 'Rejected')
    return { status: 'DECLINED', reason: statusDescription ?? 'rejected by the bank', note }
  return { status: 'PENDING', note }
}
