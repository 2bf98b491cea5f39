// The report of payments, for the merchant's accountant (contract, section 16).
import * as z from 'zod/mini'
import { dayText, timesOf } from '../contract/days.ts'
import {
  daysProblem,
  PaymentsReportQuery,
  REPORT_MEDIA_TYPES,
  type ReportCursor,
  type ReportMediaType,
  reportHead,
  reportLine,
} from '../contract/payments-report.ts'
import { ApiError } from '../errors.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { preferred } from '../http/negotiation.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { invalid } from '../http/validate.ts'

const Headers = z.object({ Accept: z.optional(z.string()) })

export const REPORTS_TAG = {
  name: 'Reports',
  description: 'What was paid: files for your accountant, figures of a day',
}

/** The operations on reports. */
export const paymentsReport = () => [
  operation({
    operationId: 'getPaymentsReport',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/reports/payments',
    query: PaymentsReportQuery,
    headers: Headers,
    tag: REPORTS_TAG,
    summary: 'Get the report of payments',
    description: `The completed payments and completed refunds of some days, oldest first, by the time when the service \
recorded them. The amount of a refund is negative. A payment that no QR code took has \`applied\` false: the money was \
received. The report is CSV (RFC 4180) with a header, or NDJSON, by \`Accept\`. In CSV a text that begins as a \
formula has an apostrophe before it. If the connection breaks, the report is not complete: request it again.`,
    scopes: ['merchant', 'merchant:read'],
    answer: {
      mediaTypes: REPORT_MEDIA_TYPES,
      description: 'The report, of any length',
      headers: ['Content-Disposition'],
    },
    errors: ['validation.error'],
    handle: getReport,
  }),
]

async function getReport(
  site: SiteContext,
  { query, headers }: { query: PaymentsReportQuery; headers: z.output<typeof Headers> },
): Promise<ResponseContent<never>> {
  const { service, siteId, caller } = site
  const { utcOffset } = service.config
  const problem = daysProblem(query)
  if (problem) throw invalid({ to: [problem] })
  const mediaType = preferred(headers.Accept, REPORT_MEDIA_TYPES)
  if (!mediaType) {
    const description = `Accept admits no report, must admit ${REPORT_MEDIA_TYPES.join(' or ')}`
    throw new ApiError('http.media.type.not.acceptable', description)
  }
  const times = timesOf(query, utcOffset)
  async function* texts(mediaType: ReportMediaType): AsyncGenerator<string, void> {
    let head = reportHead(mediaType)
    let after: ReportCursor | undefined
    do {
      const { rows, next } = await callSite(site, (object) =>
        object.paymentsReport(caller, { ...times, after }),
      )
      yield head + rows.map((row) => reportLine(row, mediaType, utcOffset)).join('')
      head = ''
      after = next
    } while (after)
  }
  const name = `payments-${siteId}-${dayText(query.from)}-${dayText(query.to)}.${mediaType === 'text/csv' ? 'csv' : 'ndjson'}`
  return {
    file: texts(mediaType),
    headers: {
      'Content-Type': mediaType === 'text/csv' ? 'text/csv; charset=utf-8; header=present' : mediaType,
      'Content-Disposition': `attachment; filename="${name}"`,
      Vary: 'Accept',
    },
  }
}
