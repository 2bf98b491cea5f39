// The operator's socket of a self-hosted service.
import { WorkerEntrypoint } from 'cloudflare:workers'
import { version } from '../../package.json'
import { LOOPBACK } from '../config.ts'
import { hostNameOf, hostOf } from '../contract/host.ts'
import { hasTestSites } from '../gateway/connection.ts'
import { METRICS_TYPE } from '../gateway/metrics.ts'
import { readings } from '../gateway/readings.ts'
import { quote } from '../http/validate.ts'
import { writeCounts } from '../site/database/write-counts.ts'
import { app } from './app.ts'
import { platform, settings } from './deployment.ts'

/** A registry that does not answer must not keep the metrics back. */
const TIMEOUT_MS = 2000

/** While the Worker starts there is no clock. */
let since: number | undefined

export class Admin extends WorkerEntrypoint {
  override fetch(request: Request): Response | Promise<Response> {
    // A malformed Host makes an invalid URL.
    const pathname = URL.parse(request.url)?.pathname
    // Both are public.
    if (pathname === '/healthz' || pathname === '/readyz') return app.fetch(request)
    const refused = refusal(request)
    if (refused) return refused
    if (pathname === '/metrics') return metrics()
    if (pathname === '/version') return Response.json({ version })
    if (pathname === '/drain' && request.method === 'POST') return drained()
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
  const totals = await within(TIMEOUT_MS, registry().totals({ test: countsTestSites })).catch(() => undefined)
  since ??= now()
  const text = platform.metrics?.text(readings({ version, writes: writeCounts, since, now: now() }, totals))
  return new Response(text, { headers: { 'Content-Type': METRICS_TYPE } })
}

/** Answers all long polls, for a process that is about to stop. */
async function drained(): Promise<Response> {
  await platform.longPolls?.drain(platform)
  return new Response(null, { status: 204 })
}
