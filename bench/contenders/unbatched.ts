// The service itself with batching off: every create is a call of its own to the site's object.
import { env, waitUntil } from 'cloudflare:workers'
import { createApp } from '../../src/api/app.ts'
import { readConfig } from '../../src/config.ts'
import { within } from '../../src/gateway/within.ts'

export { Site } from '../../src/site/site.ts'

const settings = readConfig(env)
if (!settings.ok) throw new Error(settings.problems.join('; '))

export default createApp({
  config: settings.config,
  site: (siteId) => env.SITES.getByName(siteId),
  // Only the operator's operations call it, and no load does.
  registry: () => {
    throw new Error('this contender has no registry')
  },
  limiter: undefined,
  now: () => Date.now(),
  random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  within,
  waitUntil: (work) => waitUntil(work),
  fetch: (request) => fetch(request),
  fetchConnector: (request) => fetch(request),
  log: (line) => console.log(line),
  asset: async () => new Response(null, { status: 404 }),
  maxInFlight: Number.POSITIVE_INFINITY,
})
