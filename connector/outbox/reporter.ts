// Sends the reports on disk until the service has accepted them.
import * as z from 'zod'
import type { Core } from '../core.ts'
import { messageOf } from '../log.ts'
import { reportOtherwise } from '../money/refund/at-bank.ts'
import { type ReportAnswer, sendReport } from '../service/service.ts'
import { QueueRunner } from '../work/runner.ts'
import { retryDelay } from '../work/schedule.ts'
import type { ReportRow } from './rows.ts'
import { withSettlementFields } from './settlement-fields.ts'

/** No answer delays a report for longer. */
export const MAX_RETRY_AFTER_MS = 3_600_000

/** Sites can be many, and all of their reports go to one service. */
const AT_ONCE = 64

/** Of a document the state. */
const Result = z.object({ status: z.string().optional(), state: z.string().optional() })

/** The lane is the site: reports that get no answer delay those of no other. */
export class Reporter extends QueueRunner<ReportRow> {
  constructor(core: Core) {
    super(core, core.disk.reports.queue, { inAll: AT_ONCE })
  }

  protected async run(report: ReportRow): Promise<void> {
    await deliver(this.core, report)
  }
}

interface Delivered extends ReportAnswer {
  /** Whether nothing is left to report. */
  isDone: boolean
}

/** Sends one report, and stores what became of it. @returns the service's answer; status 0 where none came */
export async function deliver(core: Core, report: ReportRow): Promise<Delivered> {
  const { disk, platform, log, metrics } = core
  const answer = await answerTo(core, report)
  metrics.countReport(answer.status)
  const text = `${answer.status} ${answer.text}`
  const isUnknown = isAbout(answer, 404, 'payin.resource.not.found') && movedNothing(report)
  const isTakenUid = isAbout(answer, 409, 'payin.resource.already.exists')
  if (isTakenUid && reportOtherwise(core, report)) return { ...answer, isDone: false }
  if (answer.isTaken) {
    disk.reports.finish(report, 'ACCEPTED', text)
  } else if (isUnknown) {
    disk.reports.finish(report, 'UNKNOWN', text)
    log('warning', 'the service does not have what a report is about', {
      ...{ site: report.site, path: report.path, error: answer.text },
    })
  } else if (isAbout(answer, 410, 'site.deleted')) {
    // The site is deleted: it stays listed, and nobody is asked about it any more.
    disk.transaction(() => {
      disk.reports.finish(report, 'GONE', text)
      disk.codes.stopAsking(report.site)
      disk.sales.stopAsking(report.site)
      disk.bindings.stopAsking(report.site)
      disk.lateAsks.clearSite(report.site)
      disk.payerData.siteDeleted(report.site, true)
    })
    log('warning', 'a report is of a deleted site', { site: report.site, path: report.path })
  } else {
    const delay = Math.max(
      retryDelay(report.attempts),
      Math.min(answer.retryAfter * 1000, MAX_RETRY_AFTER_MS),
    )
    const now = platform.now()
    disk.reports.delay(report, text, { now, dueAt: now + delay })
    log('warning', 'a report was not accepted', {
      site: report.site,
      path: report.path,
      status: answer.status,
      error: answer.text,
    })
  }
  return { ...answer, isDone: answer.isTaken || isUnknown }
}

/** Whether it is the service that says so: a gateway's 404 and 410 say nothing. */
const isAbout = (answer: ReportAnswer, status: number, errorCode: string): boolean =>
  answer.status === status && answer.errorCode === errorCode

/**
 * A report that moved no money ends if the service lacks its subject: a payment or a refund that did not happen, a refund that is
 * held, a document that is not registered, a binding. One of money, or of a document that there is, is sent until the service takes it.
 */
function movedNothing({ body }: ReportRow): boolean {
  const { status, state } = Result.parse(JSON.parse(body))
  return status !== 'COMPLETED' && state !== 'REGISTERED'
}

async function answerTo(core: Core, report: ReportRow): Promise<ReportAnswer> {
  const site = core.sites.get(report.site)
  if (!site)
    return { status: 0, text: `the connector has no site ${report.site}`, retryAfter: 3_600, isTaken: false }
  try {
    return await sendReport(core, site, report.path, withSettlementFields(core, report))
  } catch (error) {
    return { status: 0, text: messageOf(error), retryAfter: 0, isTaken: false }
  }
}
