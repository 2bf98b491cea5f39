// What the console asks of settlement besides the API: the entries of a payment, and the report's rows, which it writes in its own words.
import * as z from 'zod/mini'
import { strictObject } from '../contract/object.ts'
import { EntriesAnswer, EntryPosition } from '../contract/settlements/entries.ts'
import { MonthQuery } from '../contract/settlements/month.ts'
import { PaymentUid } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { monthOf, requireLive, SETTLEMENT_READERS, SETTLEMENTS_TAG } from './settlements.ts'

const OfPayment = z.object({ paymentId: PaymentUid })
const Rows = strictObject({
  ...MonthQuery.shape,
  after: z.optional(EntryPosition),
  /** Of `after`. */
  generation: z.optional(z.string().check(z.regex(/^\d{1,15}$/))),
})

const READ = {
  method: 'get',
  tag: SETTLEMENTS_TAG,
  description: '',
  scopes: SETTLEMENT_READERS,
  answer: { schema: EntriesAnswer, description: '', headers: [], examples: {} },
  errors: [],
  toContent: () => ({ value: { entries: [] } }),
} as const

/** The operations, which have no route. */
export const consoleSettlement = () => [
  operation({
    ...READ,
    operationId: 'listPaymentEntries',
    path: '/payin/v1/sites/{siteId}/payments/{paymentId}/settlementEntries',
    parameters: OfPayment,
    summary: 'List what the files of banks have of a payment and its refunds',
    handle: ofPayment,
  }),
  operation({
    ...READ,
    operationId: 'listReportRows',
    path: '/payin/v1/sites/{siteId}/reports/settlement/rows',
    query: Rows,
    summary: 'List rows of the report of a month',
    handle: rows,
  }),
]

async function ofPayment(site: SiteContext, { path }: { path: z.output<typeof OfPayment> }) {
  requireLive(site)
  const entries = await callSite(site, (object) => object.entriesOfPayment(site.caller, path.paymentId))
  return { entries }
}

function rows(site: SiteContext, { query: { month, after, generation } }: { query: z.output<typeof Rows> }) {
  requireLive(site)
  const asked = { ...monthOf(site, month), after: after && { ...after, generation: Number(generation) } }
  return callSite(site, (object) => object.settlementReport(site.caller, asked))
}
