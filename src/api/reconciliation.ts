// The lists by which a connector finds what its bank did not tell (contract, section 14).
import type * as z from 'zod/mini'
import { cursorOf } from '../contract/query.ts'
import {
  endCursorOf,
  NETWORK_QR_CODES_EXAMPLE,
  NetworkQrCodesAnswer,
  NetworkQrCodesQuery,
  networkQrCodeAnswer,
  WAITING_REFUNDS_EXAMPLE,
  WaitingRefundsAnswer,
  WaitingRefundsQuery,
  waitingRefundAnswer,
} from '../contract/reconciliation.ts'
import { networkOf } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { NETWORK_TAG } from './network.ts'

/** The operations by which a connector reconciles. */
export const reconciliation = () => [
  operation({
    operationId: 'listNetworkQrCodes',
    method: 'get',
    path: '/network/v1/sites/{siteId}/qrCodes',
    query: NetworkQrCodesQuery,
    tag: NETWORK_TAG,
    summary: 'List QR codes to ask the bank about',
    description: `Those that can be paid, and those that ended since \`endedFrom\` without a payment. Webhooks of a bank \
get lost: a connector asks its bank about each of these. By the end of their lifetimes, oldest first.`,
    scopes: ['network'],
    answer: {
      schema: NetworkQrCodesAnswer,
      description: 'A page of QR codes',
      headers: [],
      examples: { page: NETWORK_QR_CODES_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: listQrCodes,
  }),
  operation({
    operationId: 'listWaitingRefunds',
    method: 'get',
    path: '/network/v1/sites/{siteId}/refunds',
    query: WaitingRefundsQuery,
    tag: NETWORK_TAG,
    summary: 'List refunds that wait for their report',
    description: 'Oldest first. A connector asks its bank about each of these.',
    scopes: ['network'],
    answer: {
      schema: WaitingRefundsAnswer,
      description: 'A page of refunds',
      headers: [],
      examples: { page: WAITING_REFUNDS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: listWaitingRefunds,
  }),
]

async function listQrCodes(
  site: SiteContext,
  { query }: { query: NetworkQrCodesQuery },
): Promise<ResponseContent<z.infer<typeof NetworkQrCodesAnswer>>> {
  const { qrCodes, next } = await callSite(site, (object) => object.networkQrCodes(site.caller, query))
  const { utcOffset } = site.service.config
  return {
    value: {
      qrCodes: qrCodes.map((qrCode) => networkQrCodeAnswer(qrCode, utcOffset)),
      ...(next && { nextCursor: endCursorOf(next) }),
    },
  }
}

async function listWaitingRefunds(
  site: SiteContext,
  { query }: { query: z.output<typeof WaitingRefundsQuery> },
): Promise<ResponseContent<z.infer<typeof WaitingRefundsAnswer>>> {
  const { config } = site.service
  const { network } = networkOf(config, site.siteId)
  const { refunds, next } = await callSite(site, (object) =>
    object.waitingRefunds(site.caller, network, query),
  )
  return {
    value: {
      refunds: refunds.map((refund) => waitingRefundAnswer(refund, config.utcOffset)),
      ...(next !== undefined && { nextCursor: cursorOf(next) }),
    },
  }
}
