// Reports payments to a site's object: those of the payment network, and those that the sandbox bank makes up.
import type { PaymentReport } from '../contract/payment.ts'
import type { Reported, ReportKey } from '../site/reports.ts'
import type { SiteContext } from './context.ts'
import { callSite } from './site-client.ts'

/** Reports a payment. @throws ApiError the site's refusal */
export const reportPayment = (
  site: SiteContext,
  key: ReportKey,
  report: PaymentReport,
): Promise<Reported> => {
  const { sandbox, currencies } = site.service.config
  const origin = { network: sandbox ? 'sandbox' : 'external', currencies } as const
  return callSite(site, (object) => object.report(site.caller, key, report, origin))
}
