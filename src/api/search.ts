// The search of a site (contract, section 7).
import { SEARCH_EXAMPLE, SearchAnswer, SearchQuery, searchAnswer } from '../contract/search.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'

const TAG = { name: 'Search', description: 'Find QR codes, payments, refunds and sales by a text' }

/** The search. */
export const search = () => [
  operation({
    operationId: 'search',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/search',
    query: SearchQuery,
    tag: TAG,
    summary: 'Search',
    description: `Exact identifiers first, then newest first. Identifiers that are \`q\`, and beginnings of \`qrCodeUid\`, are \
found in all history. Parts of identifiers and of purposes, in any case of letters, and amounts, such as \`337.50\`, are \
found among the newest 20,000 rows of each kind; with \`nextCursor\` the search goes on with the older ones.`,
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: SearchAnswer,
      description: 'A page of results',
      headers: [],
      examples: { order: SEARCH_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: (site: SiteContext, { query }: { query: SearchQuery }) =>
      callSite(site, (object) => object.search(site.caller, query)),
    toContent: ({ service: { config } }, page) => ({ value: searchAnswer(page, config.utcOffset) }),
  }),
]
