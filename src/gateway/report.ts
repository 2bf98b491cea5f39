// Reports to a site's object: those of the payment network, and those of the sandbox bank.
import type { BindingReport } from '../contract/binding.ts'
import type { PaymentReport } from '../contract/payment.ts'
import type { RefundReport } from '../contract/refund.ts'
import type { Bound } from '../site/bindings.ts'
import type { Refunded } from '../site/refunds.ts'
import type { Reported, ReportKey } from '../site/reports.ts'
import { connectionOf } from './connection.ts'
import type { Platform, SiteContext } from './context.ts'
import { callSite } from './site-client.ts'
import { newToken } from './tokens.ts'

/** Who reports to which site; the sandbox bank has no request. */
export type Reporter = Pick<SiteContext, 'siteId' | 'caller'> & {
  service: Pick<Platform, 'config' | 'site' | 'sleep' | 'random' | 'metrics'>
}

/** Reports a payment. @throws ApiError the site's refusal */
export async function reportPayment(
  site: Reporter,
  key: ReportKey,
  { binding, ...rest }: PaymentReport,
): Promise<Reported> {
  const { metrics, config } = site.service
  const origin = { network: connectionOf(config).network, currencies: config.currencies }
  const report = { ...rest, ...(binding && { binding: { ...binding, newToken: newToken(site.service) } }) }
  const reported = await callSite(site, (object) => object.report(site.caller, key, report, origin))
  const { status, applied } = reported.payment
  if (!reported.isReplayed) metrics?.add('payments', { status, applied })
  return reported
}

/** Reports a refund. @throws ApiError the site's refusal */
export async function reportRefund(
  site: Reporter,
  { paymentUid, refundUid }: { paymentUid: string; refundUid: string },
  report: RefundReport,
): Promise<Refunded> {
  const refunded = await callSite(site, (object) =>
    object.reportRefund(site.caller, paymentUid, refundUid, report),
  )
  if (!refunded.isReplayed) site.service.metrics?.add('refunds', { status: refunded.refund.status })
  return refunded
}

/** Reports a binding. @throws ApiError the site's refusal */
export async function reportBinding(site: Reporter, key: ReportKey, report: BindingReport): Promise<Bound> {
  const { metrics, config } = site.service
  const { network } = connectionOf(config)
  const binding = { ...report, newToken: newToken(site.service) }
  const bound = await callSite(site, (object) => object.reportBinding(site.caller, key, binding, { network }))
  if (!bound.isReplayed) metrics?.add('bindings', { status: report.status })
  return bound
}
