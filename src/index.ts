// The Worker's entry: a table of contents.
import { env, WorkerEntrypoint, waitUntil } from 'cloudflare:workers'
import { createApp } from './api/app.ts'
import { readConfig } from './config.ts'
import type { Delivered } from './contract/delivery.ts'
import { deliver } from './gateway/courier.ts'
import { misconfigured } from './http/misconfigured.ts'
import type { Delivery } from './site/dispatcher.ts'

export { Site } from './site/site.ts'

/** The entry point that delivers notifications. */
export class Courier extends WorkerEntrypoint {
  async deliver(delivery: Delivery): Promise<Delivered> {
    if (!settings.ok) return { error: 'the deployment is not configured', ms: 0 }
    return deliver({ ...platform, config: settings.config, fetch: (request) => fetch(request) }, delivery)
  }
}

const settings = readConfig(env)
const platform = {
  now: () => Date.now(),
  random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
  sleep: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
  waitUntil: (work: Promise<void>) => waitUntil(work),
  log: (line: string) => console.log(line),
}

if (settings.ok && settings.config.sandbox) {
  platform.log(
    JSON.stringify({ notice: 'PAYMENT_NETWORK is sandbox: payments are made up, and no money moves' }),
  )
}

export default settings.ok
  ? createApp({
      ...platform,
      config: settings.config,
      site: (siteId) => env.SITES.getByName(siteId),
      limiter: env.LIMITER,
    })
  : misconfigured(platform, settings.problems)
