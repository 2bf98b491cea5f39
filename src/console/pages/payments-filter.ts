// The filters of the list of payments, as queries of the API: for the page and for the CSV file.
import type { Values } from '../../api/operations.ts'
import { dayBound } from '../days.ts'
import { asked } from '../parts.ts'
import type { Visit } from '../visit.ts'

interface PaymentsFilter {
  status: string
  /** Only those that no QR code took. */
  isUndecided: boolean
}

export function filterOf(visit: Visit): PaymentsFilter {
  const isUndecided = asked(visit, 'applied') === 'false'
  return { status: isUndecided ? 'COMPLETED' : asked(visit, 'status'), isUndecided }
}

/** A page of what the filters ask for. */
export function foundPayments(
  visit: Visit,
  page: { cursor: string | undefined; limit?: string },
): Promise<Values['listPayments']> {
  const { status, isUndecided } = filterOf(visit)
  return visit.call('listPayments', {
    query: {
      ...page,
      status,
      applied: isUndecided ? 'false' : undefined,
      createdFrom: dayBound(visit, 'from'),
      createdTo: dayBound(visit, 'to'),
    },
  })
}
