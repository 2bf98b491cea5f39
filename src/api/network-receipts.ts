// What a connector reports of receipts, and the list by which it finds what it has to register (contract, sections 10 and 18).
import * as z from 'zod/mini'
import { logLine } from '../contract/log-line.ts'
import { cursorOf } from '../contract/query.ts'
import { ReceiptAnswer } from '../contract/receipts/document.ts'
import { receiptInstructionData } from '../contract/receipts/instruction.ts'
import { RECEIPT_EXAMPLE } from '../contract/receipts/list.ts'
import {
  NETWORK_RECEIPTS_EXAMPLE,
  NetworkReceiptsAnswer,
  NetworkReceiptsQuery,
  RECEIPT_REPORT_EXAMPLES,
} from '../contract/receipts/network-list.ts'
import { cashRegisterAnswer } from '../contract/receipts/register-request.ts'
import { type ReceiptReport, ReceiptReportBody } from '../contract/receipts/report.ts'
import { ReceiptUid } from '../contract/uid.ts'
import { ApiError } from '../errors.ts'
import type { SiteContext } from '../gateway/context.ts'
import { reportReceipt } from '../gateway/report.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { NETWORK_TAG } from './network.ts'
import { resultContent } from './receipts.ts'

const COLLECTION = '/network/v1/sites/{siteId}/receipts'
const Item = z.object({ receiptUid: ReceiptUid })

/** The operations of a connector on receipts. */
export const networkReceipts = () => [
  operation({
    operationId: 'reportReceipt',
    method: 'put',
    path: `${COLLECTION}/{receiptUid}`,
    parameters: Item,
    tag: NETWORK_TAG,
    summary: 'Report a receipt',
    description: `REGISTERED is a fact and final, also after FAILED. The same report again changes nothing; one with other \
fiscal data, and FAILED after REGISTERED, get 409.`,
    scopes: ['network'],
    body: { schema: ReceiptReportBody, examples: RECEIPT_REPORT_EXAMPLES },
    answer: {
      schema: ReceiptAnswer,
      description: 'The receipt after the report',
      headers: ['Idempotent-Replayed'],
      examples: { registered: RECEIPT_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'payin.resource.already.exists'],
    handle: report,
    toContent: resultContent,
  }),
  operation({
    operationId: 'listNetworkReceipts',
    method: 'get',
    path: COLLECTION,
    query: NetworkReceiptsQuery,
    tag: NETWORK_TAG,
    summary: 'List receipts that are to be registered',
    description: `Oldest first, each as \`receipt.register\` has it: a connector with a new disk sends those that are \
WAITING, and asks its cash register about those that are SENT.`,
    scopes: ['network'],
    answer: {
      schema: NetworkReceiptsAnswer,
      description: 'A page of receipts',
      headers: [],
      examples: { page: NETWORK_RECEIPTS_EXAMPLE },
    },
    errors: ['validation.error', 'site.restored'],
    handle: list,
    toContent: ({ service: { config }, siteId }, { receipts, next }) => ({
      value: {
        receipts: receipts.map((receipt) => ({
          ...receiptInstructionData(receipt, { siteId, utcOffset: config.utcOffset }),
          register: cashRegisterAnswer(receipt.register),
        })),
        ...(next !== undefined && { nextCursor: cursorOf(next) }),
      },
    }),
  }),
]

async function report(
  site: SiteContext,
  { path: { receiptUid }, body }: { path: z.output<typeof Item>; body: ReceiptReport },
) {
  const { log, now } = site.service
  const warn = (message: string, more: object) =>
    log(logLine(now(), 'warning', message, { site: site.siteId, receiptUid, ...more }))
  try {
    const reported = await reportReceipt(site, receiptUid, body)
    const { error } = reported.document
    if (error && !reported.isReplayed) warn('a receipt has failed', error)
    return reported
  } catch (error) {
    // Two documents of one payment, or a register that changes what it stated: somebody has to look there.
    if (error instanceof ApiError && error.code === 'payin.resource.already.exists') {
      warn('a report contradicts a registered receipt', { detail: error.message })
    }
    throw error
  }
}

const list = (site: SiteContext, { query }: { query: z.output<typeof NetworkReceiptsQuery> }) =>
  callSite(site, (object) => object.networkReceipts(site.caller, query))
