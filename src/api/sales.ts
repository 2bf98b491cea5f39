// The sales of a COUNTER code, for a till (contract, section 15).
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { cursorOf, PageQuery } from '../contract/query.ts'
import {
  ACTIVE_SALE_EXAMPLE,
  CANCELLED_SALE_EXAMPLE,
  PAYED_SALE_EXAMPLE,
  SALE_REQUEST_EXAMPLES,
  SALES_EXAMPLE,
  SaleAnswer,
  SalesAnswer,
  saleAnswer,
  saleRequest,
} from '../contract/sale.ts'
import { QrCodePath, QrCodeUid, SaleUid } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { pollSale } from '../gateway/long-poll.ts'
import { armSale, cancelSale } from '../gateway/sales.ts'
import { callSite } from '../gateway/site-client.ts'
import { etagOf, LongPollHeaders, preferenceApplied, waitOf } from '../http/conditional.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { replayed } from './answer.ts'

const TAG = {
  name: 'Sales',
  description: 'A printed COUNTER code is armed for one sale after the other',
}

const COLLECTION = '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/sales'
const ITEM = `${COLLECTION}/{saleUid}` as const
const Item = z.object({ qrCodeUid: QrCodeUid, saleUid: SaleUid })
type Item = z.output<typeof Item>

/** The operations on sales. */
export const sales = ({ currencies }: Pick<Config, 'currencies'>) => [
  operation({
    operationId: 'putSale',
    method: 'put',
    path: ITEM,
    parameters: Item,
    tag: TAG,
    summary: 'Arm a COUNTER code for a sale',
    description: `While another sale is ACTIVE, the response is 409, and \`cause.saleUid\` names it. If you send the same \
request again, nothing changes: the response has the present state of the sale. If a request got no response, send it \
again.`,
    scopes: ['merchant', 'merchant:till'],
    body: { schema: saleRequest(currencies), examples: SALE_REQUEST_EXAMPLES },
    answer: {
      schema: SaleAnswer,
      description: 'The sale',
      headers: ['Idempotent-Replayed'],
      examples: { active: ACTIVE_SALE_EXAMPLE },
    },
    errors: [
      'payin.resource.not.found',
      'payin.resource.already.exists',
      'payin.incorrect-method-invocation',
      'site.limit.exceeded',
      'network.refused',
      'network.unavailable',
    ],
    handle: putSale,
  }),
  operation({
    operationId: 'getSale',
    method: 'get',
    path: ITEM,
    parameters: Item,
    headers: LongPollHeaders,
    tag: TAG,
    summary: 'Get a sale',
    description: `With \`Prefer: wait=N\` the request waits for a change, for at most N seconds. Send the \`ETag\` of the \
state that you know in \`If-None-Match\`: the response is 200 with another state, or 304. Without it the request waits while \
the sale is ACTIVE.`,
    scopes: ['merchant', 'merchant:read', 'merchant:till'],
    answer: {
      schema: SaleAnswer,
      description: 'The sale',
      headers: ['ETag', 'Preference-Applied'],
      examples: { payed: PAYED_SALE_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: getSale,
  }),
  operation({
    operationId: 'listSales',
    method: 'get',
    path: COLLECTION,
    parameters: QrCodePath,
    query: PageQuery,
    tag: TAG,
    summary: 'List the sales of a COUNTER code',
    description: 'Newest first.',
    scopes: ['merchant', 'merchant:read', 'merchant:till'],
    answer: {
      schema: SalesAnswer,
      description: 'A page of sales',
      headers: [],
      examples: { page: SALES_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: listSales,
    toContent: ({ service: { config } }, { sales, next }) => ({
      value: {
        sales: sales.map((sale) => saleAnswer(sale, config.utcOffset)),
        ...(next !== undefined && { nextCursor: cursorOf(next) }),
      },
    }),
  }),
  operation({
    operationId: 'cancelSale',
    method: 'delete',
    path: ITEM,
    parameters: Item,
    tag: TAG,
    summary: 'Cancel a sale',
    description:
      'Only an ACTIVE sale can be cancelled. The same request again gets the same response. If the payment network completes a payment that was already under way, the sale becomes PAYED.',
    scopes: ['merchant', 'merchant:till'],
    answer: {
      schema: SaleAnswer,
      description: 'The cancelled sale',
      headers: [],
      examples: { cancelled: CANCELLED_SALE_EXAMPLE },
    },
    errors: [
      'validation.error',
      'payin.resource.not.found',
      'payin.incorrect-method-invocation',
      'network.refused',
      'network.unavailable',
    ],
    handle: deleteSale,
  }),
]

async function putSale(
  site: SiteContext,
  { path, body }: { path: Item; body: z.output<ReturnType<typeof saleRequest>> },
): Promise<ResponseContent<SaleAnswer>> {
  const { sale, isReplayed } = await armSale(site, path, { ...body, saleUid: path.saleUid })
  return { value: saleAnswer(sale, site.service.config.utcOffset), headers: replayed(isReplayed) }
}

async function getSale(
  site: SiteContext,
  { path, headers }: { path: Item; headers: z.output<typeof LongPollHeaders> },
): Promise<ResponseContent<SaleAnswer>> {
  const { value: sale, waited } = await pollSale(site, path, waitOf(headers))
  const value = saleAnswer(sale, site.service.config.utcOffset)
  const text = JSON.stringify(value)
  const ETag = etagOf(sale.version, text)
  return { value, text, headers: { ETag, 'Preference-Applied': preferenceApplied(waited, headers.Prefer) } }
}

const listSales = (site: SiteContext, { path, query }: { path: QrCodePath; query: PageQuery }) =>
  callSite(site, (object) => object.sales(site.caller, path, query))

async function deleteSale(site: SiteContext, { path }: { path: Item }): Promise<ResponseContent<SaleAnswer>> {
  return { value: saleAnswer(await cancelSale(site, path), site.service.config.utcOffset) }
}
