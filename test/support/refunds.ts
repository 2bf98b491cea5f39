// Payments and their refunds in the tests: requested by the merchant, reported by the network.
import { runInDurableObject } from 'cloudflare:test'
import { expect } from 'vitest'
import { RefundAnswer, RefundsAnswer } from '../../src/contract/refund.ts'
import { SaleAnswer } from '../../src/contract/sale.ts'
import { outboxRows } from '../../src/site/outbox/rows.ts'
import { freshSite } from './admin.ts'
import { CONNECTOR, errorOf, serviceWith } from './service.ts'
import { strict } from './strict.ts'

/** A deployment with a connector, whose instructions are never sent: the deployed Worker has no connector. */
export const connected = serviceWith({ settings: CONNECTOR })

/** A site of its own. Amounts are numbers, as in a request. */
export function refundingSite() {
  const site = freshSite(connected)
  const { ask } = site
  return {
    ...site,
    get stub() {
      return site.stub
    },
    /** A QR code for 5.00 RUB and a completed payment of it, unless said otherwise. */
    async paid(report: Record<string, unknown> = {}, request: Record<string, unknown> = {}) {
      const { qrCodeUid, linkId } = await site.make(request)
      const { paymentUid } = await site.pay(linkId, report)
      return { qrCodeUid, linkId, paymentUid }
    },
    /** Another payment of the QR code, which does not take it. */
    payAgain: async (linkId: string, value: number) =>
      (await site.pay(linkId, { amount: { value } })).paymentUid,
    refundOf: async (paymentUid: string, refundUid: string) =>
      refundIn(await site.readRefund(paymentUid, refundUid)),
    refundsOf: async (paymentUid: string) =>
      RefundsAnswer.parse(await (await ask(`/payments/${paymentUid}/refunds`)).json()),
    saleOf: async (qrCodeUid: string, saleUid: string) =>
      strict(SaleAnswer).parse(await (await ask(`/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`)).json()),
    /** The instructions that the outbox has. */
    instructions: () =>
      runInDurableObject(site.stub, (_, { storage }) =>
        outboxRows(storage.sql, "WHERE queue <> 'merchant' ORDER BY event"),
      ),
  }
}
export type RefundingSite = ReturnType<typeof refundingSite>

export const refundIn = async (response: Response): Promise<RefundAnswer> =>
  strict(RefundAnswer).parse(await response.json())

export const SECONDS = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/)

/** What must not change where a request is refused. */
export const snapshot = async (site: RefundingSite, paymentUid: string) => [
  await site.feed(),
  await site.refundsOf(paymentUid),
  await site.paymentOf(paymentUid),
]

/** The error of a request that is refused and changes nothing. */
export async function refusal(site: RefundingSite, paymentUid: string, request: () => Promise<Response>) {
  const before = await snapshot(site, paymentUid)
  const response = await request()
  const { errorCode, description, cause } = await errorOf(response)
  expect(await snapshot(site, paymentUid)).toEqual(before)
  return { status: response.status, errorCode, description, cause }
}
