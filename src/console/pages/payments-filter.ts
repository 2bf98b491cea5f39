// The filters of the list of payments, as queries of the API: for the page and for the CSV file.
import type { Values } from '../../api/operations.ts'
import { ApiError } from '../../errors.ts'
import { dayBound } from '../days.ts'
import { asked } from '../parts.ts'
import type { Visit } from '../visit.ts'

interface PaymentsFilter {
  /** The identifier of a refund. */
  q: string
  status: string
  /** Only those that no QR code took. */
  isUndecided: boolean
}

export function filterOf(visit: Visit): PaymentsFilter {
  const isUndecided = asked(visit, 'applied') === 'false'
  return {
    q: asked(visit, 'q').trim(),
    status: isUndecided ? 'COMPLETED' : asked(visit, 'status'),
    isUndecided,
  }
}

/** A page of what the filters ask for; an identifier that the API would not accept finds nothing. */
export async function foundPayments(
  visit: Visit,
  page: { cursor: string | undefined; limit?: string },
): Promise<Values['listPayments']> {
  const { q, status, isUndecided } = filterOf(visit)
  const query = q
    ? { refundId: q, limit: page.limit }
    : {
        ...page,
        status,
        applied: isUndecided ? 'false' : undefined,
        createdFrom: dayBound(visit, 'from'),
        createdTo: dayBound(visit, 'to'),
      }
  try {
    return await visit.call('listPayments', { query })
  } catch (error) {
    if (q && error instanceof ApiError && error.code === 'validation.error') return { payments: [] }
    throw error
  }
}
