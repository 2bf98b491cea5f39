// Payments and their refunds in the tests: requested by the merchant, reported by the network.
import { runInDurableObject } from 'cloudflare:test'
import { FeedAnswer } from '../../src/contract/event.ts'
import { PaymentAnswer } from '../../src/contract/payment.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { RefundAnswer, RefundsAnswer } from '../../src/contract/refund.ts'
import { outboxRows } from '../../src/site/rows/outbox.ts'
import { freshSite } from './admin.ts'
import { qrCodeOf, reportTo } from './merchant.ts'
import { call, serviceWith, tokenOf } from './service.ts'
import { strict } from './strict.ts'

/** A deployment with a connector, whose instructions are never sent: the deployed Worker has no connector. */
export const connected = serviceWith({
  settings: {
    NETWORK_URL: 'https://connector.example/instructions',
    NETWORK_SECRET: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  },
})

/** A site of its own. Amounts are numbers, as in a request. */
export function refundingSite() {
  const site = freshSite()
  const ask = (below: string, options: Parameters<typeof site.ask>[1] = {}, fetch = connected) =>
    site.ask(below, options, fetch)
  const refundPath = (paymentUid: string, refundUid: string) => `/payments/${paymentUid}/refunds/${refundUid}`
  return {
    ...site,
    ask,
    /** A QR code for 5.00 RUB. */
    unpaid: (request: Record<string, unknown> = {}) => qrCodeOf(site, request),
    /** A QR code for 5.00 RUB and a completed payment of it, unless said otherwise. */
    async paid(report: Record<string, unknown> = {}, request: Record<string, unknown> = {}) {
      const { qrCodeUid, linkId } = await qrCodeOf(site, request)
      const { paymentUid } = await reportTo(site, linkId, report)
      return { qrCodeUid, linkId, paymentUid }
    },
    /** Another payment of the QR code, which does not take it. */
    payAgain: async (linkId: string, value: number) =>
      (await reportTo(site, linkId, { amount: { value } })).paymentUid,
    /** Requests a refund. */
    refund: (
      paymentUid: string,
      value: unknown,
      refundUid: string = crypto.randomUUID(),
      more: Record<string, unknown> = {},
      fetch = connected,
    ) =>
      ask(refundPath(paymentUid, refundUid), { method: 'PUT', body: { amount: { value }, ...more } }, fetch),
    /** The network's report of a refund. */
    reportRefund: async (paymentUid: string, refundUid: string, body: unknown) =>
      call(`/network/v1/sites/${site.siteId}${refundPath(paymentUid, refundUid)}`, {
        method: 'PUT',
        token: await tokenOf({ sub: site.siteId, scope: 'network' }),
        body,
      }),
    refundOf: async (paymentUid: string, refundUid: string) =>
      refundIn(await ask(refundPath(paymentUid, refundUid))),
    refundsOf: async (paymentUid: string) =>
      RefundsAnswer.parse(await (await ask(`/payments/${paymentUid}/refunds`)).json()),
    paymentOf: async (paymentUid: string) =>
      strict(PaymentAnswer).parse(await (await ask(`/payments/${paymentUid}`)).json()),
    qrCodeOf: async (qrCodeUid: string) =>
      strict(QrCodeAnswer).parse(await (await ask(`/sbp/qrCodes/${qrCodeUid}`)).json()),
    /** The instructions that the outbox has. */
    instructions: () =>
      runInDurableObject(site.stub, (_, { storage }) =>
        outboxRows(storage.sql, "WHERE queue <> 'merchant' ORDER BY number"),
      ),
    /** All events of the site, if there are at most 1000. */
    feed: async () => strict(FeedAnswer).parse(await (await ask('/events?limit=1000')).json()).events,
  }
}
export type RefundingSite = ReturnType<typeof refundingSite>

export const refundIn = async (response: Response): Promise<RefundAnswer> =>
  strict(RefundAnswer).parse(await response.json())
