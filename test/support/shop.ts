// A merchant and the payment network, as a browser test needs them: a site of its own at a running service.
import type { RunningService } from './browser-services.ts'
import { linkIdOf, qrCodeIn, type SiteClient, siteClient } from './client.ts'
import { overHttp } from './over-http.ts'

export interface Made {
  uid: string
  /** What the picture says. */
  payload: string
  /** The payer's page. */
  page: string
}

export interface Shop {
  siteId: string
  /** Creates a QR code; `qrCode` is its object of that name. */
  make(body?: Record<string, unknown>, qrCode?: Record<string, unknown>): Promise<Made>
  /** The network reports a payment of the QR code's amount, or of 1 500,50. @returns its paymentUid */
  report(made: Made, status: 'COMPLETED' | 'DECLINED', more?: Record<string, unknown>): Promise<string>
  /** The network reports that it returned a part of a payment, or all of it. */
  refund(paymentUid: string, value: number): Promise<void>
  /** The network reports that the account of a QR code of type TOKEN was not bound. */
  rejectBinding(made: Made): Promise<void>
  cancel(made: Made): Promise<void>
  /** The status in the API. */
  status(made: Made): Promise<string>
  /** A request below the site's path. */
  ask: SiteClient['ask']
}

export const SUM = 1500.5

/** Opens a new site, with the settings that a payer sees. */
export async function openShop(
  { address, secret }: RunningService,
  settings: Record<string, unknown> = { name: 'Чайная лавка', supportContact: '+7 800 555-01-00' },
): Promise<Shop> {
  const siteId = `shop-${crypto.randomUUID()}`
  const site = siteClient(
    siteId,
    overHttp(() => address, secret, siteId),
  )
  const item = ({ uid }: Made) => `/sbp/qrCodes/${uid}`
  const linkOf = ({ payload }: Made) => linkIdOf(payload)
  const good = async (response: Response) => {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return response
  }
  await good(await site.ask('/settings', { method: 'PUT', body: settings }))
  return {
    siteId,
    ask: site.ask,
    async make(body, qrCode) {
      const paymentPurpose = 'Заказ № 1001: две кружки и чайник'
      const { qrCodeUid, answer } = await site.make(
        { amount: { value: SUM }, paymentPurpose, ...body },
        { ttl: 15, ...qrCode },
      )
      return { uid: qrCodeUid, payload: answer.qrCode.payload, page: answer.pageUrl }
    },
    async report(made, status, more) {
      const paymentUid = crypto.randomUUID()
      const body = { status, amount: { value: SUM, currency: 'RUB' }, ...more }
      await good(await site.report(linkOf(made), paymentUid, body))
      return paymentUid
    },
    async refund(paymentUid, value) {
      const body = { status: 'COMPLETED', amount: { value, currency: 'RUB' } }
      await good(await site.reportRefund(paymentUid, crypto.randomUUID(), body))
    },
    async rejectBinding(made) {
      await good(await site.bind(linkOf(made), { status: 'REJECTED' }))
    },
    async cancel(made) {
      await good(await site.ask(item(made), { method: 'DELETE' }))
    },
    async status(made) {
      return (await qrCodeIn(await site.ask(item(made)))).qrCode.status
    },
  }
}
