// The settlement of a month: its figures, and its operations as a file (contract, section 19).

import type { ReportCursor, SettlementReportRow } from '../contract/settlement.ts'
import {
  MonthQuery,
  SETTLEMENT_MONTH_EXAMPLE,
  SettlementMonthAnswer,
  settlementMonthAnswer,
} from '../contract/settlements/month.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { XLSX_MEDIA_TYPE } from '../xlsx/media-type.ts'
import { SETTLEMENT_FILE_TYPES, settlementFile } from './settlement-file.ts'
import { monthOf, requireLive, SETTLEMENT_READERS, SETTLEMENTS_TAG } from './settlements.ts'

/** The operation on a month. */
export const settlementReport = () => [
  operation({
    operationId: 'getSettlementMonth',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/reports/settlement',
    query: MonthQuery,
    tag: SETTLEMENTS_TAG,
    summary: 'Get the settlement of a month',
    description: `Sums of the entries, by \`operatedAt\`: of what is UNKNOWN, too, and without what is EXPECTED. What the bank \
does not state is in no sum, and counted. By \`Accept\` the entries themselves as CSV (RFC 4180) with a header, or as a \
spreadsheet, without what is EXPECTED and without payouts: a text that begins as a formula has an apostrophe before it. If the connection breaks, the file is not complete.`,
    scopes: SETTLEMENT_READERS,
    answer: {
      schema: SettlementMonthAnswer,
      description: 'The figures, or a file of any length',
      headers: ['Content-Disposition'],
      examples: { month: SETTLEMENT_MONTH_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: getMonth,
    toContent: (_, { month, figures }) => ({
      value: settlementMonthAnswer(month, figures),
      headers: { Vary: 'Accept' },
    }),
    files: { mediaTypes: Object.keys(SETTLEMENT_FILE_TYPES), handle: getFile },
  }),
]

async function getMonth(site: SiteContext, { query: { month } }: { query: MonthQuery }) {
  requireLive(site)
  const asked = monthOf(site, month)
  const figures = await callSite(site, (object) => object.settlementMonth(site.caller, asked))
  return { month, figures }
}

function getFile(site: SiteContext, { query: { month } }: { query: MonthQuery }, mediaType: string) {
  requireLive(site)
  return settlementFile(settlementRows(site, month), {
    mediaType: mediaType === 'text/csv' ? mediaType : XLSX_MEDIA_TYPE,
    name: `settlement-${site.siteId}-${month}`,
    offset: site.service.config.utcOffset,
  })
}

/** The rows of a month, a page of the site at a time. */
export async function* settlementRows(
  site: SiteContext,
  month: string,
): AsyncGenerator<readonly SettlementReportRow[], void> {
  const asked = monthOf(site, month)
  let after: ReportCursor | undefined
  do {
    const { rows, next } = await callSite(site, (object) =>
      object.settlementReport(site.caller, { ...asked, after }),
    )
    yield rows
    after = next
  } while (after)
}
