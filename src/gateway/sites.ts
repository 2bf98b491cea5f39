// Reads the list of sites from the registry.
import type { ListedSite, SitesQuery } from '../contract/site-list.ts'
import { hasTestSites } from './connection.ts'
import type { Platform } from './context.ts'
import { callRegistry } from './site-client.ts'

/** A page of the sites, by their names; `next` is the last one, where there are more. @throws ApiError service.unavailable */
export async function listSites(
  platform: Pick<Platform, 'registry' | 'config' | 'sleep' | 'random' | 'limited'>,
  query: SitesQuery,
): Promise<{ sites: ListedSite[]; next?: string | undefined }> {
  const asked = hasTestSites(platform.config) ? query : { ...query, test: true }
  const read = await callRegistry(platform, (registry) => registry.list(asked))
  const sites = read.slice(0, query.limit)
  return { sites, next: read.length > sites.length ? sites.at(-1)?.siteId : undefined }
}
