// The numbers of payments at their banks, by which a bank's file is split over sites (contract, section 19).
import * as z from 'zod/mini'
import { type BankNumbersPosition, bankNumbersLine } from '../contract/bank-numbers.ts'
import { dayText, timesOf } from '../contract/days.ts'
import { daysProblem, PaymentsReportQuery } from '../contract/payments-report.ts'
import { ApiError } from '../errors.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { preferred } from '../http/negotiation.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { invalid } from '../http/validate.ts'
import { REPORTS_TAG } from './payments-report.ts'

const NDJSON = 'application/x-ndjson'
const Headers = z.object({ Accept: z.optional(z.string()) })

export const bankNumbers = () => [
  operation({
    operationId: 'getBankNumbers',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/reports/bankNumbers',
    query: PaymentsReportQuery,
    headers: Headers,
    tag: REPORTS_TAG,
    summary: 'Get the numbers of payments at the bank',
    description: `By what the settlement files of the bank name each payment of some days, whatever its status is: a line of \
NDJSON has \`paymentUid\`, \`qrcId\`, and, where the network reported them, \`bank\`, \`networkUid\` and \`order\`. If the \
connection breaks, the report is not complete: request it again.`,
    scopes: ['merchant', 'merchant:read'],
    answer: {
      mediaTypes: [NDJSON],
      description: 'A line for each payment',
      headers: ['Content-Disposition'],
    },
    errors: ['validation.error'],
    handle: getBankNumbers,
  }),
]

async function getBankNumbers(
  site: SiteContext,
  { query, headers }: { query: z.output<typeof PaymentsReportQuery>; headers: z.output<typeof Headers> },
): Promise<ResponseContent<never>> {
  const problem = daysProblem(query)
  if (problem) throw invalid({ to: [problem] })
  if (!preferred(headers.Accept, [NDJSON]))
    throw new ApiError('http.media.type.not.acceptable', `Accept admits no ${NDJSON}, must admit it`)
  const times = timesOf(query, site.service.config.utcOffset)
  async function* texts(): AsyncGenerator<string, void> {
    let after: BankNumbersPosition | undefined
    do {
      const { rows, next } = await callSite(site, (object) =>
        object.bankNumbers(site.caller, { ...times, after }),
      )
      if (rows.length > 0) yield rows.map(bankNumbersLine).join('')
      after = next
    } while (after)
  }
  const name = `numbers-${site.siteId}-${dayText(query.from)}-${dayText(query.to)}.ndjson`
  return {
    file: texts(),
    headers: { 'Content-Type': NDJSON, 'Content-Disposition': `attachment; filename="${name}"` },
  }
}
