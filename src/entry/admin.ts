// The operator's socket of a self-hosted service.
import { WorkerEntrypoint } from 'cloudflare:workers'
import { LOOPBACK } from '../config.ts'
import { hostNameOf, hostOf } from '../contract/host.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { hasTestSites } from '../gateway/connection.ts'
import { METRICS_TYPE } from '../gateway/metrics.ts'
import { quote } from '../http/validate.ts'
import { lazily } from '../lazily.ts'
import { writeCounts } from '../site/database/write-counts.ts'
import { processListeners } from '../site/listeners/process.ts'
import { app } from './app.ts'
import { build } from './build.ts'
import { platform, settings } from './deployment.ts'

/** Only a self-hosted service has metrics. */
const loadReadings = lazily(() => import('../gateway/readings.ts'))

/** A registry that does not answer must not keep the metrics back. */
const TIMEOUT_MS = 2000

/** While the Worker starts there is no clock. */
let since: number | undefined
let isCounted = false

export class Admin extends WorkerEntrypoint {
  override async fetch(request: Request): Promise<Response> {
    // A malformed Host makes an invalid URL.
    const pathname = URL.parse(request.url)?.pathname
    // Both are public.
    if (pathname === '/healthz' || pathname === '/readyz') return app.fetch(request)
    const refused = refusal(request)
    if (refused) return refused
    if (pathname === '/metrics') return metrics()
    if (pathname === '/version') return Response.json(build)
    if (pathname === '/drain' && request.method === 'POST') return drained()
    if (pathname === '/backup' && request.method === 'POST') return backedUp()
    if (pathname === '/wake' && request.method === 'POST') return woken(await request.text())
    return new Response(null, { status: 404 })
  }
}

const HOSTS: ReadonlySet<string> = new Set([...LOOPBACK, ...(settings.ok ? settings.config.adminHosts : [])])

/** A web page reaches this socket through the operator's browser: under a name of its own, or with its Origin. */
function refusal(request: Request): Response | undefined {
  const host = hostOf(request)
  const origin = request.headers.get('Origin')
  if (!HOSTS.has(hostNameOf(host) ?? '')) {
    return error(421, `Host is ${quote(host)}, must be localhost, 127.0.0.1, [::1] or one of ADMIN_HOSTS`)
  }
  if (request.method === 'POST' && origin !== null) {
    return error(403, `Origin is ${quote(origin)}, must be absent: no web page may call the admin socket`)
  }
  return undefined
}

const error = (status: number, text: string) => new Response(`${text}\n`, { status })

/** The figures of test sites would raise or silence alerts. */
const countsTestSites = !settings.ok || !hasTestSites(settings.config)

async function metrics(): Promise<Response> {
  const { registry, within, now } = platform
  await counted()
  const [totals, holdsLease] = await Promise.all([
    within(TIMEOUT_MS, registry().totals({ test: countsTestSites })).catch(() => undefined),
    leaseHeld(),
  ])
  const failingSites = platform.metrics?.failingSites.count(now()) ?? 0
  const banksMadeAt = platform.metrics?.banksMadeAt
  const own = {
    ...{ build, writes: writeCounts, failingSites, holdsLease, banksMadeAt },
    ...{ since: started(), now: now() },
  }
  const { readings } = await loadReadings()
  const text = platform.metrics?.text(readings(own, totals))
  return new Response(text, { headers: { 'Content-Type': METRICS_TYPE } })
}

/** Undefined where this is not an instance of a cluster. */
async function leaseHeld(): Promise<boolean | undefined> {
  const { holdsLease, within } = platform
  return holdsLease && ((await within(TIMEOUT_MS, holdsLease()).catch(() => false)) ?? false)
}

/** When this process answered for the first time, in Unix milliseconds: it tells it from others. */
function started(): number {
  since ??= platform.now()
  return since
}

/**
 * Has the registry count this process, once. Where it does not answer, the next request tries again. In a cluster it would
 * take the start of one instance for that of another that ended.
 */
async function counted(): Promise<void> {
  const { registry, within, holdsLease } = platform
  if (isCounted || holdsLease) return
  isCounted = true
  const isDone = await within(
    TIMEOUT_MS,
    registry()
      .recordStart(started())
      .then(() => true),
  ).catch(() => false)
  isCounted = isDone === true
}

/** The backup of all sites is complete. */
async function backedUp(): Promise<Response> {
  try {
    await platform.registry().recordBackup()
    return new Response(null, { status: 204 })
  } catch {
    return error(503, 'the registry of sites does not answer')
  }
}

/** Starts the object of a site, which does what a start does. The answer is the epoch of its tables. */
async function woken(siteId: string): Promise<Response> {
  if (!SITE_ID.test(siteId)) return error(400, `the body is ${quote(siteId)}, must be a siteId`)
  try {
    return new Response(await platform.site(siteId).wake())
  } catch {
    return error(503, 'the site does not start')
  }
}

/** Answers all long polls, for a process that is about to stop. */
async function drained(): Promise<Response> {
  const stops = { ...platform, listeners: processListeners }
  await Promise.all([platform.longPolls?.drain(stops), stopped()])
  return new Response(null, { status: 204 })
}

/** Notes the stop. A process counts itself before it: counted later, it would pass for the next one. */
async function stopped(): Promise<void> {
  const { registry, within, holdsLease } = platform
  if (holdsLease) return
  await counted()
  await within(TIMEOUT_MS, registry().recordStop()).catch(() => undefined)
}
