// The figures of a day, a week or a month, for the merchant (contract, section 16).
import type { Config } from '../config.ts'
import {
  DAY_REPORT_EXAMPLE,
  DayReportAnswer,
  type DayReportQuery,
  dayReportAnswer,
  dayReportQuery,
  timesOfPeriod,
} from '../contract/day-report.ts'
import { dayOf } from '../contract/days.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { REPORTS_TAG } from './payments-report.ts'

/** The operation on the figures of a day. */
export const dayReport = ({ currencies }: Pick<Config, 'currencies'>) => [
  operation({
    operationId: 'getDayReport',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/reports/day',
    query: dayReportQuery(currencies),
    tag: REPORTS_TAG,
    summary: 'Get the figures of a day, a week or a month',
    description:
      'What was created, paid and refunded, hour by hour or day by day, by the time when the service recorded it, and the same of the period before: of a period that is not over, up to the same moment.',
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: DayReportAnswer,
      description: 'The figures',
      headers: [],
      examples: { day: DAY_REPORT_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: getDayReport,
    toContent: ({ service: { config } }, { figures, ...of }) => ({
      value: dayReportAnswer(figures, { ...of, offset: config.utcOffset }),
    }),
  }),
]

async function getDayReport(site: SiteContext, { query }: { query: DayReportQuery }) {
  const { now, config } = site.service
  const { utcOffset: offset, homeCurrency } = config
  const seconds = Math.floor(now() / 1000)
  const { date: day = dayOf(seconds, offset), period, currency = homeCurrency } = query
  const asked = { ...timesOfPeriod({ day, period }, seconds, offset), currency }
  const figures = await callSite(site, (object) => object.dayReport(site.caller, asked))
  return { figures, day, period, ...asked }
}
