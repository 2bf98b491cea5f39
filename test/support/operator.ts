// The operator's requests, with a token of their own, and what they answer.
import { SiteAnswer } from '../../src/contract/site.ts'
import { SitesAnswer } from '../../src/contract/site-list.ts'
import type { Call, Fetch } from './client.ts'
import { call, tokenOf } from './service.ts'
import { strict } from './strict.ts'

/** Sends a request of the operator below `/operator/v1/sites`. */
export const operator = async (below: string, more: Call = {}, fetch?: Fetch): Promise<Response> => {
  const token = await tokenOf({ sub: '*', jti: 'operator', scope: 'operator' })
  return call(`/operator/v1/sites${below}`, { token, ...more }, fetch)
}

/** A page of the list of sites. @param query with its question mark */
export const sitePage = async (query: string, fetch?: Fetch): Promise<SitesAnswer> =>
  strict(SitesAnswer).parse(await (await operator(query, {}, fetch)).json())

/** The siteIds of a page of the list. */
export const siteIdsIn = async (...page: Parameters<typeof sitePage>): Promise<string[]> =>
  (await sitePage(...page)).sites.map(({ siteId }) => siteId)

/** What the operator is told of a site. */
export const healthOf = async ({ siteId }: { siteId: string }, fetch?: Fetch): Promise<SiteAnswer> =>
  strict(SiteAnswer).parse(await (await operator(`/${siteId}`, {}, fetch)).json())
