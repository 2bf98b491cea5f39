// Sites with a cash register, and requests with receipts.
import { ReceiptAnswer } from '../../src/contract/receipts/document.ts'
import { PaymentReceiptsAnswer, ReceiptsAnswer } from '../../src/contract/receipts/list.ts'
import { freshSite } from './admin.ts'
import type { Call, Fetch } from './client.ts'
import { operator } from './operator.ts'
import { call, sandbox, tokenOf } from './service.ts'
import { strict } from './strict.ts'

export const CONTACT = { email: 'mary@shop.example' }

/** An item of 5.00 RUB, unless said otherwise. */
export const item = (more: Record<string, unknown> = {}) => ({
  name: 'Tea',
  price: '5.00',
  vat: 'none',
  ...more,
})

/** A receipt of 5.00 RUB, unless said otherwise. */
export const receipt = (more: Record<string, unknown> = {}) => ({
  contact: CONTACT,
  taxation: 'usnIncome',
  items: [item()],
  ...more,
})

/** What a register states of a document. */
export const FISCAL = {
  ...{ fn: '9999078900000017', fd: '4172', fpd: '2915480733', registration: '0000000000058017' },
  ...{ shift: '118', number: '7', dateTime: '2026-11-20T20:11:00+03:00', url: 'https://ofd.example/r/4172' },
}

/** Sets the cash register of a site. */
export const setRegister = (
  { siteId }: { siteId: string },
  register: object = { kind: 'sandbox', ffd: '1.2' },
  fetch: Fetch = sandbox,
): Promise<Response> => operator(`/${siteId}/cashRegister`, { method: 'PUT', body: register }, fetch)

/** Reads a receipt, which must be answered with 200 or 202. */
export async function receiptIn(response: Response): Promise<ReceiptAnswer> {
  if (response.status > 202) throw new Error(`${response.status} ${await response.text()}`)
  return strict(ReceiptAnswer).parse(await response.json())
}

/** A site of its own with a cash register, and what it tells of receipts. */
export async function receiptSite(register?: object, fetch: Fetch = sandbox) {
  const site = freshSite(fetch)
  // A site exists with its first write.
  await site.ask('/settings', { method: 'PUT', body: {} })
  const { status } = await setRegister(site, register, fetch)
  if (status !== 200) throw new Error(`the cash register was refused with ${status}`)
  /** A request of the connector. */
  const network = async (below: string, more: Call = {}) => {
    const token = await tokenOf({ sub: site.siteId, jti: 'network', scope: 'network' })
    return call(`/network/v1/sites/${site.siteId}${below}`, { token, ...more }, fetch)
  }
  /** The connector's report of a document: registered, unless said otherwise. */
  const reportReceipt = (receiptUid: string, body: object = { state: 'REGISTERED', fiscal: FISCAL }) =>
    site.tell(`/receipts/${receiptUid}`, body)
  /** All attempts of the documents of a payment, oldest first. */
  const receiptsOf = async (paymentUid: string) => {
    const response = await site.ask(`/payments/${paymentUid}/receipts`)
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return strict(PaymentReceiptsAnswer).parse(await response.json()).receipts
  }
  /** The latest document of a payment. */
  const latestOf = async (paymentUid: string): Promise<ReceiptAnswer> => {
    const latest = (await receiptsOf(paymentUid)).at(-1)
    if (!latest) throw new Error('the payment has no document')
    return latest
  }
  return {
    ...site,
    network,
    reportReceipt,
    receiptsOf,
    latestOf,
    /** A page of the list. @param query with its question mark */
    list: async (query = '') => {
      const response = await site.ask(`/receipts${query}`)
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
      return strict(ReceiptsAnswer).parse(await response.json())
    },
    /** A payment of 5.00 RUB with a receipt, unless said otherwise, and the receiptUid of its document. */
    async paid(stated: object | null = receipt(), more: Record<string, unknown> = {}) {
      const code = await site.make({ ...(stated && { receipt: stated }), ...more })
      const { paymentUid } = await site.pay(code.linkId, more)
      const receiptUid = (await receiptsOf(paymentUid)).at(-1)?.receiptUid ?? ''
      return { ...code, paymentUid, receiptUid }
    },
    /** Tells that the document of the payment is registered. */
    async registered(...asked: [stated?: object | null, more?: Record<string, unknown>]) {
      const payment = await this.paid(...asked)
      const { status } = await reportReceipt(payment.receiptUid)
      if (status !== 200) throw new Error(`the report was refused with ${status}`)
      return payment
    },
    retry: (receiptUid: string, body: object = {}) => site.ask(`/receipts/${receiptUid}/retry`, { body }),
    close: (paymentUid: string, closingUid: string, more: object = {}) =>
      site.ask(`/payments/${paymentUid}/receipts/${closingUid}`, {
        method: 'PUT',
        body: { kind: 'closing', ...more },
      }),
    request: (paymentUid: string, body: object = {}) =>
      site.ask(`/payments/${paymentUid}/receipts`, { body }),
  }
}
