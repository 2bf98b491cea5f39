// Whether the path of a request names a test site, whether or not the request reaches it (contract, section 10).
import type { Config } from '../config.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { networkOf } from '../gateway/connection.ts'

/** Every path that names a site; the first group is there where the path is the operator's. */
const SITE_PATH =
  /^\/(?:pay|logo|(?:(?:partner\/)?payin|network|sandbox)\/v1\/sites|console\/sites|(operator\/v1\/sites|console\/operator\/sites))\/([^/]+)/

/**
 * Whether a path names a test site: one of the deployment, or at an address of the operator also one that it has no more.
 * @param path decoded, without the query
 */
export function namesTestSite(config: Pick<Config, 'network' | 'testNetwork'>, path: string): boolean {
  const [, operators, siteId = ''] = SITE_PATH.exec(path) ?? []
  const { isTest, isServed } = networkOf(config, siteId)
  return isTest && (isServed || operators !== undefined) && SITE_ID.test(siteId)
}
