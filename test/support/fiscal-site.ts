// A site with a cash register, whose connector is the test: what it is told of documents, and what it reports.
import { runInDurableObject } from 'cloudflare:test'
import { type Instruction, instructionBody, type SentInstruction } from '../../src/contract/instruction.ts'
import { ReceiptsAnswer } from '../../src/contract/receipts/list.ts'
import { instructionRows } from '../../src/site/outbox/rows.ts'
import { sentInstruction } from '../../src/site/receipts/sent.ts'
import { CONTACT, receipt, receiptIn, receiptSite } from './receipts.ts'
import { connected } from './refunds.ts'
import { strict } from './strict.ts'

/** What a cash register states of a document. */
export const FISCAL = { fn: '9999078900000000', fd: '4172', fpd: '2915480733', url: 'https://ofd.example/1' }

/** Three items of 10.00 RUB. */
export const ITEMS = [
  { name: 'Tea', price: '3.00', quantity: '2', vat: '22' },
  { name: 'Cup', price: '3.99', vat: '22' },
  { name: 'Bag', price: '0.01', vat: 'none' },
]
export const TEN = { amount: { value: 10 } }

const bodyOf = (siteId: string, content: SentInstruction) =>
  JSON.parse(instructionBody(content, { siteId, createdAt: 0, utcOffset: '+03:00' }))

/** What the settings of such a site have: ATOL needs both. */
export const SHOP = { place: 'https://shop.example', email: 'shop@shop.example' }

/** @param register by default ATOL's */
export async function fiscalSite(register: object = { kind: 'atol', ffd: '1.2' }) {
  const site = await receiptSite(register, connected)
  const set = async (receipts: Record<string, unknown>) => {
    const response = await site.ask('/settings', { method: 'PATCH', body: { receipts } })
    if (response.status !== 200) throw new Error(await response.text())
  }
  await set(SHOP)
  const report = (receiptUid: string, body: Record<string, unknown>) =>
    site.tell(`/receipts/${receiptUid}`, body)
  const register_ = (receiptUid: string, fiscal: Record<string, unknown> = FISCAL) =>
    report(receiptUid, { state: 'REGISTERED', fiscal })
  return {
    ...site,
    get stub() {
      return site.stub
    },
    /** Changes the setting `receipts`. */
    set,
    /** A code for 10.00 RUB with a receipt of three items. */
    sell: (more: Record<string, unknown> = {}, of: Record<string, unknown> = {}) =>
      site.make({ ...TEN, receipt: receipt({ items: ITEMS, ...of }), ...more }),
    /** A completed payment of such a code. */
    async sold(more: Record<string, unknown> = {}, of: Record<string, unknown> = {}) {
      const { qrCodeUid, linkId } = await site.make({
        ...TEN,
        receipt: receipt({ items: ITEMS, ...of }),
        ...more,
      })
      const { paymentUid } = await site.pay(linkId, TEN)
      return { qrCodeUid, linkId, paymentUid }
    },
    /** The same, whose document is registered. */
    async registered(more: Record<string, unknown> = {}, of: Record<string, unknown> = {}) {
      const { qrCodeUid, linkId } = await site.make({
        ...TEN,
        receipt: receipt({ items: ITEMS, ...of }),
        ...more,
      })
      const { paymentUid } = await site.pay(linkId, TEN)
      const [sale] = await site.receiptsOf(paymentUid)
      await register_(sale?.receiptUid ?? '')
      return { qrCodeUid, linkId, paymentUid, receiptUid: sale?.receiptUid ?? '' }
    },
    /** Requests a refund, and reports it completed. @returns its document, if it has one */
    async refunded(
      paymentUid: string,
      value: number,
      items?: unknown,
      refundUid: string = crypto.randomUUID(),
    ) {
      const more = items === undefined ? {} : { receipt: { items } }
      const { status } = await site.refund(paymentUid, value, refundUid, more)
      if (status !== 200) throw new Error(`the refund was refused with ${status}`)
      await site.reportRefund(paymentUid, refundUid, { status: 'COMPLETED' })
      return (await site.receiptsOf(paymentUid)).find(({ refundId }) => refundId === refundUid)
    },
    receiptOf: async (receiptUid: string) => receiptIn(await site.ask(`/receipts/${receiptUid}`)),
    listed: async (query = '') =>
      strict(ReceiptsAnswer).parse(await (await site.ask(`/receipts${query}`)).json()),
    close: (paymentUid: string, closingUid: string, body: Record<string, unknown> = {}) =>
      site.ask(`/payments/${paymentUid}/receipts/${closingUid}`, {
        method: 'PUT',
        body: { kind: 'closing', ...body },
      }),
    requestReceipt: (paymentUid: string, body: Record<string, unknown> = {}) =>
      site.ask(`/payments/${paymentUid}/receipts`, { method: 'POST', body }),
    retry: (receiptUid: string, body: Record<string, unknown> = {}) =>
      site.ask(`/receipts/${receiptUid}/retry`, { method: 'POST', body }),
    reportReceipt: report,
    register: register_,
    fail: (receiptUid: string, more: Record<string, unknown> = {}) =>
      report(receiptUid, { state: 'FAILED', reason: 'the shift is closed', canRetry: true, ...more }),
    /** What the connector is sent, of one type, oldest first. */
    instructed: (type: Instruction['type'] = 'receipt.register'): Promise<Record<string, unknown>[]> =>
      runInDurableObject(site.stub, (_, { storage: { sql } }) =>
        instructionRows(sql, 'ORDER BY created_at, event').flatMap(({ content }) => {
          const instruction = content.type === type ? sentInstruction(sql, content) : undefined
          return instruction ? [bodyOf(site.siteId, instruction).data] : []
        }),
      ),
  }
}
export type FiscalSite = Awaited<ReturnType<typeof fiscalSite>>

export { CONTACT }
