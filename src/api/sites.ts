// The operator's API: all sites, what is stuck in one, its export and its end (contract, section 16).
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { ExportQuery, exportCursorOf, exportLine } from '../contract/export.ts'
import { meta } from '../contract/meta.ts'
import { DELIVERY_EXAMPLE, DeliveryAnswer, deliveryAnswer } from '../contract/notifications/log.ts'
import { SITE_EXAMPLE, SiteAnswer, type SiteHealth, siteAnswer } from '../contract/site.ts'
import {
  listedSiteAnswer,
  SITES_EXAMPLE,
  SitesAnswer,
  SitesQuery,
  siteCursorOf,
} from '../contract/site-list.ts'
import { ApiError } from '../errors.ts'
import { networkOf } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { listSites } from '../gateway/sites.ts'
import { preferred } from '../http/negotiation.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { answerOf } from './answer.ts'

/** The group of all operations of the operator. */
export const OPERATOR_TAG = {
  name: 'Operator',
  description:
    'All sites and the keys of operators, for the operator of the deployment: a token with the scope `operator`, of no site',
}

export const SITE = '/operator/v1/sites/{siteId}'
const NDJSON = 'application/x-ndjson'
const Item = z.object({
  instructionId: z
    .string()
    .apply(meta, { description: '`webhook-id` of the instruction', examples: ['8c1f0d5a9b3e7f42-31'] }),
})
const Headers = z.object({ Accept: z.optional(z.string()) })

/** The operator's operations, but for the deletion of a site. */
export const sites = () => [
  operation({
    operationId: 'listSites',
    method: 'get',
    path: '/operator/v1/sites',
    query: SitesQuery,
    tag: OPERATOR_TAG,
    summary: 'List the sites',
    description:
      'By their names. A site is in the list after its first write. Deleted sites are not in the list. What is stuck in a site is true within two minutes.',
    scopes: ['operator', 'operator:read'],
    answer: {
      schema: SitesAnswer,
      description: 'A page of sites',
      headers: [],
      examples: { page: SITES_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: getSites,
    toContent: ({ service: { config } }, { sites, next }) => ({
      value: {
        sites: sites.map((site) => listedSiteAnswer(site, shownBy(config, site))),
        ...(next !== undefined && { nextCursor: siteCursorOf(next) }),
      },
    }),
  }),
  operation({
    operationId: 'getSite',
    method: 'get',
    path: SITE,
    tag: OPERATOR_TAG,
    summary: 'Get a site',
    description:
      'How much the site has, and what is stuck in it: notifications that its merchant does not take, instructions that the payment network does not answer.',
    scopes: ['operator', 'operator:read'],
    answer: {
      schema: SiteAnswer,
      description: 'The site',
      headers: [],
      examples: { overdue: SITE_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: getSite,
    toContent: healthContent,
  }),
  operation({
    operationId: 'sendInstruction',
    method: 'post',
    path: `${SITE}/instructions/{instructionId}/send`,
    parameters: Item,
    tag: OPERATOR_TAG,
    summary: 'Send an instruction now',
    description:
      'The service sends the instruction to the payment network now, with the same `webhook-id`, whatever its time is. If it fails, the planned attempts stay as they are.',
    scopes: ['operator'],
    answer: {
      schema: DeliveryAnswer,
      description: 'The answer of the connector',
      headers: [],
      examples: { taken: DELIVERY_EXAMPLE },
    },
    errors: [
      'validation.error',
      'payin.resource.not.found',
      'payin.incorrect-method-invocation',
      'site.restored',
    ],
    act: {
      name: 'instruction.send',
      details: ({ path }) => ({ instructionId: path.instructionId }),
      outcome: ({ httpStatus, error }) => ({
        ...(httpStatus !== undefined && { httpStatus }),
        ...(error !== undefined && { error }),
      }),
    },
    handle: sendInstruction,
    toContent: (_, result) => ({ value: deliveryAnswer(result) }),
  }),
  operation({
    operationId: 'resumeSite',
    method: 'post',
    path: `${SITE}/resume`,
    tag: OPERATOR_TAG,
    summary: 'Resume a restored site',
    description: `After a restore from a backup: refunds, charges and deletions of tokens are allowed again, and the \
instructions that wait are sent. Resume only when the payment network has reported everything since the backup. On a site \
that was not restored it changes nothing.`,
    scopes: ['operator'],
    answer: {
      schema: SiteAnswer,
      description: 'The site',
      headers: [],
      examples: { resumed: SITE_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    act: { name: 'site.resume' },
    handle: resume,
    toContent: healthContent,
  }),
  operation({
    operationId: 'exportSite',
    method: 'get',
    path: `${SITE}/export`,
    query: ExportQuery,
    headers: Headers,
    tag: OPERATOR_TAG,
    summary: 'Export a site',
    description: `NDJSON: QR codes, sales, payments, refunds, tokens without their values, and events, each in the order of \
their creation. \`kind\` says what a line is. A line \`{"kind":"cursor","cursor":"…"}\` follows each part: if the \
connection breaks, go on with the last cursor that you have. The last line is \`{"kind":"end"}\`. A line \`unreadable\` \
counts rows that a later version wrote, and this one leaves out. A row is as it stands \
when its part is read.`,
    scopes: ['operator'],
    answer: {
      mediaTypes: [NDJSON],
      description: 'The export, of any length',
      headers: ['Content-Disposition'],
    },
    errors: ['validation.error', 'payin.resource.not.found', 'events.cursor.gone'],
    act: {
      name: 'site.export',
      details: ({ query: { cursor } }) => ({ ...(cursor && { from: `${cursor.kind} ${cursor.number}` }) }),
    },
    handle: exportSite,
  }),
]

const getSites = ({ service }: SiteContext, { query }: { query: z.output<typeof SitesQuery> }) =>
  listSites(service, query)

const shownBy = (config: Config, { siteId }: { siteId: string }) => ({
  offset: config.utcOffset,
  isTest: networkOf(config, siteId).isTest,
})

export const getSite = (site: SiteContext) => callSite(site, (object) => object.health(site.caller))

export const healthContent = (
  { service: { config } }: SiteContext,
  health: SiteHealth,
): ResponseContent<SiteAnswer> => ({
  value: siteAnswer(health, shownBy(config, health)),
})

const sendInstruction = (site: SiteContext, { path }: { path: z.output<typeof Item> }) =>
  callSite(site, (object) => object.sendInstruction(site.caller, path.instructionId))

async function resume(site: SiteContext): Promise<SiteHealth> {
  await callSite(site, (object) => object.resume(site.caller))
  return getSite(site)
}

async function exportSite(
  site: SiteContext,
  { query, headers }: { query: z.output<typeof ExportQuery>; headers: z.output<typeof Headers> },
): Promise<ResponseContent<never>> {
  if (!preferred(headers.Accept, [NDJSON])) {
    throw new ApiError('http.media.type.not.acceptable', `Accept admits no ${NDJSON}, must admit it`)
  }
  const { utcOffset } = site.service.config
  async function* texts(): AsyncGenerator<string, void> {
    let { cursor } = query
    do {
      const { rows, next } = await callSite(site, (object) => object.exportPage(site.caller, cursor))
      const lines = rows.map((row) => exportLine(row, utcOffset, (qrCode) => answerOf(site, qrCode)))
      const last = next ? { kind: 'cursor', cursor: exportCursorOf(next) } : { kind: 'end' }
      yield `${[...lines, JSON.stringify(last)].join('\n')}\n`
      cursor = next
    } while (cursor)
  }
  const disposition = `attachment; filename="${site.siteId}.ndjson"`
  return { file: texts(), headers: { 'Content-Type': NDJSON, 'Content-Disposition': disposition } }
}
