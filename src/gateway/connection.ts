// Which payment network a site has, and who makes its links: the siteId alone decides (contract, section 10).
import type { Config } from '../config.ts'
import { isTestSiteId, SITE_ID } from '../contract/site-id.ts'
import type { SiteNetwork } from '../contract/site-network.ts'
import type { Connection } from '../site/outbox/connection.ts'
import type { Metrics } from './metrics.ts'

type Networks = Pick<Config, 'network' | 'testNetwork'>

/** The network of a site: a test site's is never the deployment's. */
export const networkOf = ({ network, testNetwork }: Networks, siteId: string): SiteNetwork =>
  testNetwork && isTestSiteId(siteId) ? testNetwork : network

/** Whether siteIds tell which sites are test sites, served or not. */
export const hasTestSites = ({ testNetwork }: Networks): boolean => testNetwork !== undefined

/** Whether the deployment serves the site: the siteId is valid, and not that of a test site where there are none. */
export const servesSite = (config: Networks, siteId: string): boolean =>
  SITE_ID.test(siteId) && networkOf(config, siteId).isServed

/** Whether the sandbox bank makes up the payments of a site. */
export const isSandbox = (config: Networks, siteId: string): boolean =>
  networkOf(config, siteId).network === 'sandbox'

/** The payment network of a site, and whether it takes instructions. */
export function connectionOf(config: Networks, siteId: string): Connection {
  const { network, connector } = networkOf(config, siteId)
  return { network, isConnected: network === 'sandbox' || connector !== undefined }
}

/** Where the payments of a site are counted: those of test sites would raise or silence alerts. */
export const metricsOf = (
  { config, metrics }: { config: Networks; metrics?: Metrics | undefined },
  siteId: string,
): Metrics | undefined => (networkOf(config, siteId).isTest ? undefined : metrics)
