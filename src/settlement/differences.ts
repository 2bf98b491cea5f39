// What the bank states of an operation, and we state differently.
import { dayNumber, moscowDay } from './formats/dates.ts'
import type { Entry } from './formats/entry.ts'
import type { Operation } from './operation.ts'

export interface Difference {
  field: 'amount' | 'currency' | 'status' | 'day'
  /** Kopecks, a currency, a status, a day. */
  ours: string | number
  theirs: string | number
}

/** T-Bank's word for a refund that was cancelled. */
export const CANCEL_REFUND = 'CancelRefund'

/** What an entry and an operation that are a pair state differently. @param isCancelled whether another entry cancels it */
export function differencesOf(entry: Entry, operation: Operation, isCancelled: boolean): Difference[] {
  const { gross = 0, currency, operatedAt } = entry
  // A refund has the time of its report alone, which can come days after the bank has made it.
  const isFar = entry.kind === 'payment' && entry.hasTime && daysBetween(entry, operation) > 1
  const [ours, theirs] = [operation.at, operatedAt].map(moscowDay)
  return [
    ...different('amount', operation.amount, gross),
    ...different('currency', operation.currency, currency),
    ...different('status', operation.status, 'COMPLETED'),
    ...(isCancelled ? [cancelledDifference(operation)] : []),
    ...(isFar && ours && theirs ? different('day', ours, theirs) : []),
  ]
}

/** Of a refund that the bank cancelled. */
export const cancelledDifference = ({ status }: Operation): Difference => ({
  ...{ field: 'status', ours: status, theirs: CANCEL_REFUND },
})

const different = (
  field: Difference['field'],
  ours: string | number,
  theirs: string | number,
): Difference[] => (ours === theirs ? [] : [{ field, ours, theirs }])

/** Of days in Moscow. */
export const daysBetween = ({ operatedAt }: Entry, { at }: Operation): number =>
  Math.abs(dayNumber(operatedAt) - dayNumber(at))
