// The Worker's entry: a table of contents.
import { env, WorkerEntrypoint, waitUntil } from 'cloudflare:workers'
import { createApp } from './api/app.ts'
import { misconfigured } from './api/misconfigured.ts'
import { readConfig } from './config.ts'
import type { Delivered } from './contract/delivery.ts'
import { instruct } from './gateway/connector.ts'
import type { StaticFile } from './gateway/context.ts'
import { deliver } from './gateway/courier.ts'
import { METRICS_TYPE, Metrics } from './gateway/metrics.ts'
import type { Delivery, InstructionDelivery } from './site/dispatcher.ts'

export { Site } from './site/site.ts'

/** The entry point that delivers notifications and instructions: no object waits for an endpoint. */
export class Courier extends WorkerEntrypoint {
  async deliver(delivery: Delivery): Promise<Delivered> {
    if (!settings.ok) return { error: 'the deployment is not configured', ms: 0 }
    const { config } = settings
    const delivered = await deliver({ ...platform, config }, delivery)
    metrics?.add('deliveries', { status: delivered.httpStatus ?? 'none' })
    return delivered
  }

  async instruct(delivery: InstructionDelivery): Promise<Delivered> {
    if (!settings.ok) return { error: 'the deployment is not configured', ms: 0 }
    const fetch = (request: Request) => (env.CONNECTOR ?? platform).fetch(request)
    const delivered = await instruct({ ...platform, fetch, config: settings.config }, delivery)
    metrics?.add('instructions', { status: delivered.httpStatus ?? 'none' })
    return delivered
  }
}

/** The operator's socket of a self-hosted service. */
export class Admin extends WorkerEntrypoint {
  override fetch(request: Request): Response | Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/metrics') {
      return new Response(metrics?.text(), { headers: { 'Content-Type': METRICS_TYPE } })
    }
    if (pathname === '/healthz' || pathname === '/readyz') return app.fetch(request)
    return new Response(null, { status: 404 })
  }
}

const settings = readConfig(env)
const metrics = env.SELF_HOSTED ? new Metrics() : undefined
const platform = {
  now: () => Date.now(),
  random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
  sleep: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
  waitUntil: (work: Promise<void>) => waitUntil(work),
  fetch: (request: Request) => fetch(request),
  site: (siteId: string) => env.SITES.getByName(siteId),
  log: (line: string) => console.log(line),
  metrics,
}

// What is allowed, and in production most likely a mistake.
if (settings.ok && settings.config.sandbox) {
  notice('PAYMENT_NETWORK is sandbox: payments are made up, and no money moves')
} else if (settings.ok && settings.config.linkBaseUrl === undefined) {
  notice('LINK_BASE_URL is not set: links lead to this service, and no bank can pay their QR codes')
}

const app = settings.ok
  ? createApp({
      ...platform,
      config: settings.config,
      limiter: env.LIMITER,
      file,
      asset,
    })
  : misconfigured(platform, settings.problems)

export default app

function notice(text: string): void {
  platform.log(JSON.stringify({ notice: text }))
}

/** A static file of the bindings that only bare workerd has. */
function file(path: string): StaticFile | undefined {
  const headers = env.FILES?.[path]
  if (!headers) return undefined
  const content: unknown = Reflect.get(env, path)
  return content instanceof ArrayBuffer ? { headers, content } : undefined
}

/** The content of a static file: a binding of bare workerd, or Cloudflare's. */
async function asset(path: string): Promise<Response> {
  const found = file(path)
  if (found) return new Response(found.content)
  const assets: Fetcher | undefined = env.ASSETS
  // The host is not resolved.
  return assets ? assets.fetch(`https://assets.invalid${path}`) : new Response(null, { status: 404 })
}
