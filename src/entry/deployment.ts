// What this deployment consists of: its settings, its bindings, the clock and the network; all other code gets them from here.
import { env, exports, waitUntil } from 'cloudflare:workers'
import { isSelfHosted, readConfig } from '../config.ts'
import { AUDIT, REGISTRY } from '../contract/site-id.ts'
import { LongPolls } from '../gateway/long-polls.ts'
import { Metrics } from '../gateway/metrics.ts'
import { SiteRate } from '../gateway/site-rate.ts'
import { within } from '../gateway/within.ts'
import { isBundled } from './build.ts'
import { staticFiles } from './static-files.ts'

/** A long poll is one call for 20 seconds; a balancer gives up after 75. */
const CALL_TIMEOUT_MS = 30_000

export const settings = readConfig(env)

const metrics = isSelfHosted(env) ? new Metrics() : undefined

const { CLUSTER_READY_URL: readyUrl } = env
// The connector can have a network of its own.
const connector = env.CONNECTOR ?? globalThis

export const platform = {
  site: (siteId: string) => env.SITES.getByName(siteId),
  registry: () => exports.Registry.getByName(REGISTRY),
  audit: () => exports.Audit.getByName(AUDIT),
  limiter: env.LIMITER,
  ...staticFiles(env),
  isDevelopment: !isBundled,
  now: () => Date.now(),
  random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
  sleep: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
  within,
  waitUntil: (work: Promise<void>) => waitUntil(work),
  fetch: (request: Request) => fetch(request),
  fetchConnector: (request: Request) => connector.fetch(request),
  limited: readyUrl ? <T extends object>(call: Promise<T>) => within(CALL_TIMEOUT_MS, call) : undefined,
  // The cluster's port is at a private address too.
  holdsLease: readyUrl ? async () => isOk(await connector.fetch(readyUrl)) : undefined,
  log: (line: string) => console.log(line),
  siteRate: isSelfHosted(env) && settings.ok ? new SiteRate(settings.config.siteRate, Date.now) : undefined,
  metrics,
  longPolls: metrics && new LongPolls(metrics),
}

async function isOk(response: Response): Promise<boolean> {
  await response.body?.cancel()
  return response.ok
}
