// The filters of the list of payments, as queries of the API: for the page and for the CSV file.
import type { Values } from '../../api/operations.ts'
import { dayBound } from '../days.ts'
import { asked } from '../parts.ts'
import type { Visit } from '../visit.ts'

interface PaymentsFilter {
  status: string
  /** Only those that no QR code took: all, or those that still need a decision. */
  which: '' | 'notApplied' | 'open'
}

export function filterOf(visit: Visit): PaymentsFilter {
  const which = (['notApplied', 'open'] as const).find((each) => each === asked(visit, 'which')) ?? ''
  return { status: which ? 'COMPLETED' : asked(visit, 'status'), which }
}

/** A page of what the filters ask for. */
export function foundPayments(
  visit: Visit,
  page: { cursor: string | undefined; limit?: string },
): Promise<Values['listPayments']> {
  const { status, which } = filterOf(visit)
  return visit.call('listPayments', {
    query: {
      ...page,
      status,
      applied: which === 'notApplied' ? 'false' : undefined,
      decision: which === 'open' ? 'OPEN' : undefined,
      createdFrom: dayBound(visit, 'from'),
      createdTo: dayBound(visit, 'to'),
    },
  })
}
