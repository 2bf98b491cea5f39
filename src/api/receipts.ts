// The receipts of payments, refunds and closings, for their merchant (contract, section 18).
import * as z from 'zod/mini'
import { cursorOf } from '../contract/query.ts'
import {
  itemAnswer,
  ReceiptAnswer,
  type ReceiptDocument,
  receiptAnswer,
} from '../contract/receipts/document.ts'
import {
  CLOSING_RECEIPT_EXAMPLE,
  FAILED_RECEIPT_EXAMPLE,
  PaymentReceiptsAnswer,
  RECEIPT_EXAMPLE,
  RECEIPTS_EXAMPLE,
  ReceiptsAnswer,
  ReceiptsQuery,
  WAITING_RECEIPT_EXAMPLE,
} from '../contract/receipts/list.ts'
import {
  CLOSING_BODY_EXAMPLES,
  ClosingBody,
  RECEIPT_BODY_EXAMPLES,
  ReceiptBody,
} from '../contract/receipts/requests.ts'
import { ClosingUid, PaymentUid, ReceiptUid } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { replayed } from './answer.ts'

const TAG = { name: 'Receipts', description: 'Fiscal receipts of payments and refunds (54-FZ)' }

const OF_PAYMENT = '/payin/v1/sites/{siteId}/payments/{paymentId}/receipts'
const COLLECTION = '/payin/v1/sites/{siteId}/receipts'
const ITEM = `${COLLECTION}/{receiptUid}` as const

const OfPayment = z.object({ paymentId: PaymentUid })
const OfClosing = z.object({ paymentId: PaymentUid, closingUid: ClosingUid })
const Item = z.object({ receiptUid: ReceiptUid })
const READ = ['merchant', 'merchant:read'] as const

/** The operations on receipts. */
export const receipts = () => [
  operation({
    operationId: 'listPaymentReceipts',
    method: 'get',
    path: OF_PAYMENT,
    parameters: OfPayment,
    tag: TAG,
    summary: 'List the receipts of a payment',
    description:
      'Oldest first: that of the sale, of its refunds and closings, with every attempt that failed; and what remains of a prepayment.',
    scopes: READ,
    answer: {
      schema: PaymentReceiptsAnswer,
      description: 'The receipts',
      headers: [],
      examples: { one: RECEIPTS_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: listOfPayment,
    toContent: (site, { documents, prepayment }) => ({
      value: {
        receipts: documents.map((one) => answerOf(site, one)),
        ...(prepayment.length > 0 && { prepayment: prepayment.map(itemAnswer) }),
      },
    }),
  }),
  operation({
    operationId: 'requestReceipt',
    method: 'post',
    path: OF_PAYMENT,
    parameters: OfPayment,
    tag: TAG,
    summary: 'Request the receipt of a payment',
    description: `Of a completed payment that has none: one that no QR code took, or one without a receipt. Without items \
it gets those of its QR code or sale, else one item of the whole amount. If the payment has a receipt already, the response is that one.`,
    scopes: ['merchant'],
    body: { schema: ReceiptBody, examples: RECEIPT_BODY_EXAMPLES },
    answer: {
      schema: ReceiptAnswer,
      description: 'The receipt',
      headers: ['Idempotent-Replayed'],
      examples: { waiting: WAITING_RECEIPT_EXAMPLE },
    },
    errors: [
      'payin.resource.not.found',
      'payin.resource.already.exists',
      'payin.incorrect-method-invocation',
    ],
    handle: requestOne,
    toContent: resultContent,
  }),
  operation({
    operationId: 'closeReceipt',
    method: 'put',
    path: `${OF_PAYMENT}/{closingUid}`,
    parameters: OfClosing,
    tag: TAG,
    summary: 'Make a closing receipt',
    description: `After a receipt with a prepayment or an advance, once the goods are handed over: its items are full \
payments at the rate of the day, offset by the prepayment. All closings together never exceed what remains of it. If you send \
the same request again, nothing changes.`,
    scopes: ['merchant'],
    body: { schema: ClosingBody, examples: CLOSING_BODY_EXAMPLES },
    answer: {
      schema: ReceiptAnswer,
      description: 'The closing receipt',
      headers: ['Idempotent-Replayed'],
      examples: { closing: CLOSING_RECEIPT_EXAMPLE },
    },
    errors: [
      'payin.resource.not.found',
      'payin.resource.already.exists',
      'payin.incorrect-method-invocation',
    ],
    handle: close,
    toContent: resultContent,
  }),
  operation({
    operationId: 'listReceipts',
    method: 'get',
    path: COLLECTION,
    query: ReceiptsQuery,
    tag: TAG,
    summary: 'List the receipts of the site',
    description:
      'Newest first, or oldest first. With `state=FAILED` and `latest=true` the response has what needs a correction.',
    scopes: READ,
    answer: {
      schema: ReceiptsAnswer,
      description: 'A page of receipts',
      headers: [],
      examples: { page: RECEIPTS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: list,
    toContent: (site, { documents, next }) => ({
      value: {
        receipts: documents.map((document) => answerOf(site, document)),
        ...(next !== undefined && { nextCursor: cursorOf(next) }),
      },
    }),
  }),
  operation({
    operationId: 'getReceipt',
    method: 'get',
    path: ITEM,
    parameters: Item,
    tag: TAG,
    summary: 'Get a receipt',
    description:
      '`fiscal` has what the cash register states, once the receipt is REGISTERED. Of a FAILED one `error` says why, and whether it can be sent again.',
    scopes: READ,
    answer: {
      schema: ReceiptAnswer,
      description: 'The receipt',
      headers: [],
      examples: { registered: RECEIPT_EXAMPLE, failed: FAILED_RECEIPT_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: read,
    toContent: (site, document) => ({ value: answerOf(site, document) }),
  }),
  operation({
    operationId: 'retryReceipt',
    method: 'post',
    path: `${ITEM}/retry`,
    parameters: Item,
    tag: TAG,
    summary: 'Send a failed receipt again',
    description: `Only of a receipt that is FAILED, where \`error.canRetry\` is true. It is another attempt, with another \
\`receiptUid\` and the same sum. What \`receipt\` does not state stays, or follows from the settings as they are now.`,
    scopes: ['merchant'],
    body: { schema: ReceiptBody, examples: RECEIPT_BODY_EXAMPLES },
    answer: {
      accepted: true,
      schema: ReceiptAnswer,
      description: 'The next attempt',
      headers: [],
      examples: { waiting: WAITING_RECEIPT_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'payin.incorrect-method-invocation', 'site.restored'],
    handle: retry,
    toContent: (site, document) => ({ value: answerOf(site, document), isAccepted: true }),
  }),
]

const answerOf = ({ service: { config } }: SiteContext, document: ReceiptDocument): ReceiptAnswer =>
  receiptAnswer(document, config.utcOffset)

/** The content of a request, or a report, that can be repeated. */
export const resultContent = (
  site: SiteContext,
  { document, isReplayed }: { document: ReceiptDocument; isReplayed: boolean },
): ResponseContent<ReceiptAnswer> => ({ value: answerOf(site, document), headers: replayed(isReplayed) })

const listOfPayment = (site: SiteContext, { path }: { path: z.output<typeof OfPayment> }) =>
  callSite(site, (object) => object.receiptsOfPayment(site.caller, path.paymentId))

const requestOne = (
  site: SiteContext,
  { path, body }: { path: z.output<typeof OfPayment>; body: z.output<typeof ReceiptBody> },
) => callSite(site, (object) => object.requestReceipt(site.caller, path.paymentId, body.receipt))

const close = (
  site: SiteContext,
  { path, body: { items } }: { path: z.output<typeof OfClosing>; body: z.output<typeof ClosingBody> },
) => callSite(site, (object) => object.closeReceipt(site.caller, path.paymentId, path.closingUid, { items }))

const list = (site: SiteContext, { query }: { query: ReceiptsQuery }) =>
  callSite(site, (object) => object.listReceipts(site.caller, query))

const read = (site: SiteContext, { path }: { path: z.output<typeof Item> }) =>
  callSite(site, (object) => object.readReceipt(site.caller, path.receiptUid))

const retry = (
  site: SiteContext,
  { path, body }: { path: z.output<typeof Item>; body: z.output<typeof ReceiptBody> },
) => callSite(site, (object) => object.retryReceipt(site.caller, path.receiptUid, body))
