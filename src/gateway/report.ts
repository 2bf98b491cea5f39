// Reports payments to a site's object: those of the payment network, and those that the sandbox bank makes up.
import type { PaymentReport } from '../contract/payment.ts'
import type { Reported, ReportKey } from '../site/reports.ts'
import { connectionOf } from './connection.ts'
import type { SiteContext } from './context.ts'
import { callSite } from './site-client.ts'

/** Reports a payment. @throws ApiError the site's refusal */
export async function reportPayment(
  site: SiteContext,
  key: ReportKey,
  report: PaymentReport,
): Promise<Reported> {
  const { metrics, config } = site.service
  const origin = { network: connectionOf(config).network, currencies: config.currencies }
  const reported = await callSite(site, (object) => object.report(site.caller, key, report, origin))
  const { status, applied } = reported.payment
  if (!reported.isReplayed) metrics?.add('payments', { status, applied })
  return reported
}
