// Sends the reports on disk until the service has accepted them.
import * as z from 'zod'
import type { Core } from './core.ts'
import type { ReportRow } from './disk/reports.ts'
import { DueRunner } from './due-runner.ts'
import { messageOf } from './log.ts'
import { retryDelay } from './schedule.ts'
import { type ReportAnswer, sendReport } from './service.ts'

const Status = z.object({ status: z.string() })

export class Reporter extends DueRunner<ReportRow> {
  protected due(now: number, limit: number): ReportRow[] {
    return this.core.disk.reports.due(now, limit)
  }

  protected idOf({ path }: ReportRow): string {
    return path
  }

  protected async run(report: ReportRow): Promise<void> {
    await deliver(this.core, report)
  }
}

export interface Delivered extends ReportAnswer {
  /** Whether nothing is left to report. */
  isDone: boolean
}

/** Sends one report, and stores what became of it. @returns the service's answer; status 0 where none came */
export async function deliver(core: Core, report: ReportRow): Promise<Delivered> {
  const { disk, platform, log, metrics } = core
  const answer = await answerTo(core, report)
  metrics.countReport(answer.status)
  const text = `${answer.status} ${answer.text}`
  const isAccepted = answer.status >= 200 && answer.status < 300
  const isDone = isAccepted || (answer.status === 404 && movedNothing(report))
  if (isDone) {
    disk.reports.finish(report, 'ACCEPTED', text)
  } else if (answer.status === 410) {
    // The site is deleted: it stays listed, and nobody is asked about it any more.
    disk.transaction(() => {
      disk.reports.finish(report, 'GONE', text)
      disk.codes.stopAsking(report.site)
      disk.sales.stopAsking(report.site)
      disk.bindings.stopAsking(report.site)
      disk.lateAsks.clearSite(report.site)
    })
    log('warning', 'a report is of a deleted site', { site: report.site, path: report.path })
  } else {
    const delay = Math.max(retryDelay(report.attempts), answer.retryAfter * 1000)
    disk.reports.delay(report, platform.now() + delay, text)
    log('warning', 'a report was not accepted', {
      site: report.site,
      path: report.path,
      status: answer.status,
      error: answer.text,
    })
  }
  return { ...answer, isDone }
}

/** A refund that is declined or held: a restored service that has lost its request need not learn of it. */
const movedNothing = ({ path, body }: ReportRow): boolean =>
  path.includes('/refunds/') && Status.parse(JSON.parse(body)).status !== 'COMPLETED'

async function answerTo(core: Core, report: ReportRow): Promise<ReportAnswer> {
  const site = core.sites.get(report.site)
  if (!site) return { status: 0, text: `the connector has no site ${report.site}`, retryAfter: 3_600 }
  try {
    return await sendReport(core, site, report.path, report.body)
  } catch (error) {
    return { status: 0, text: messageOf(error), retryAfter: 0 }
  }
}
