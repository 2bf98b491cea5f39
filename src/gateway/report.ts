// Reports to a site's object: those of the payment network, and those of the sandbox bank.

import type { BindingReport } from '../contract/binding.ts'
import type { PaymentReport } from '../contract/payment.ts'
import type { ReceiptReport } from '../contract/receipts/report.ts'
import type { RefundReport } from '../contract/refund.ts'
import type { Outcome } from '../errors.ts'
import type { NewReport, Reported, ReportOrigin } from '../site/payments/reports.ts'
import type { ReportKey } from '../site/qr-codes/report-target.ts'
import type { QrCodeKey } from '../site/qr-codes/rows.ts'
import type { DocumentResult } from '../site/receipts/requests.ts'
import type { RefundResult } from '../site/refunds/reports.ts'
import type { BindingOrigin, Bound, NewBinding } from '../site/tokens/bindings.ts'
import { metricsOf, networkOf } from './connection.ts'
import type { Platform, SiteContext, SiteStub } from './context.ts'
import { callSite } from './site-client.ts'
import { newToken } from './tokens.ts'

/** Who reports to which site; the sandbox bank has no request. */
export type Reporter = Pick<SiteContext, 'siteId' | 'caller'> & {
  service: Pick<Platform, 'config' | 'site' | 'sleep' | 'random' | 'limited' | 'metrics'>
}

/** Reports a payment of the network. @throws ApiError the site's refusal */
export const reportPayment = (site: Reporter, key: ReportKey, report: PaymentReport): Promise<Reported> =>
  sendPayment(site, report, (object, ...sent) => object.report(site.caller, key, ...sent))

/** Reports a payment that the sandbox bank simulates. @throws ApiError the site's refusal */
export const simulatePayment = (site: Reporter, key: QrCodeKey, report: PaymentReport): Promise<Reported> =>
  sendPayment(site, report, (object, ...sent) => object.simulatePayment(site.caller, key, ...sent))

async function sendPayment(
  site: Reporter,
  { binding, ...rest }: PaymentReport,
  send: (object: SiteStub, report: NewReport, origin: ReportOrigin) => Promise<Outcome<Reported>>,
): Promise<Reported> {
  const { config } = site.service
  const origin = { network: networkOf(config, site.siteId).network, currencies: config.currencies }
  const report = { ...rest, ...(binding && { binding: { ...binding, newToken: newToken(site.service) } }) }
  const reported = await callSite(site, (object) => send(object, report, origin))
  const { status, applied } = reported.payment
  if (!reported.isReplayed) metricsOf(site.service, site.siteId)?.add('payments', { status, applied })
  return reported
}

/** Reports a refund. @throws ApiError the site's refusal */
export async function reportRefund(
  site: Reporter,
  { paymentUid, refundUid }: { paymentUid: string; refundUid: string },
  report: RefundReport,
): Promise<RefundResult> {
  const refunded = await callSite(site, (object) =>
    object.reportRefund(site.caller, paymentUid, refundUid, report),
  )
  const { status } = refunded.refund
  if (!refunded.isReplayed && status !== 'WAITING') {
    metricsOf(site.service, site.siteId)?.add('refunds', { status })
  }
  return refunded
}

/** Reports a document of a cash register. @throws ApiError the site's refusal */
export const reportReceipt = (
  site: Reporter,
  receiptUid: string,
  report: ReceiptReport,
): Promise<DocumentResult> =>
  callSite(site, (object) => object.reportReceipt(site.caller, receiptUid, report))

/** Reports a binding of the network. @throws ApiError the site's refusal */
export const reportBinding = (site: Reporter, key: ReportKey, report: BindingReport): Promise<Bound> =>
  sendBinding(site, report, (object, ...sent) => object.reportBinding(site.caller, key, ...sent))

/** Reports a binding that the sandbox bank simulates. @throws ApiError the site's refusal */
export const simulateBinding = (site: Reporter, key: QrCodeKey, report: BindingReport): Promise<Bound> =>
  sendBinding(site, report, (object, ...sent) => object.simulateBinding(site.caller, key, ...sent))

async function sendBinding(
  site: Reporter,
  report: BindingReport,
  send: (object: SiteStub, binding: NewBinding, origin: BindingOrigin) => Promise<Outcome<Bound>>,
): Promise<Bound> {
  const { network } = networkOf(site.service.config, site.siteId)
  const binding = { ...report, newToken: newToken(site.service) }
  const bound = await callSite(site, (object) => send(object, binding, { network }))
  if (!bound.isReplayed) metricsOf(site.service, site.siteId)?.add('bindings', { status: report.status })
  return bound
}
