// The operator's socket of a self-hosted service.
import { WorkerEntrypoint } from 'cloudflare:workers'
import { version } from '../../package.json'
import { METRICS_TYPE } from '../gateway/metrics.ts'
import { readings } from '../gateway/readings.ts'
import { commits } from '../site/commits.ts'
import { app } from './app.ts'
import { platform } from './deployment.ts'

/** A registry that does not answer must not keep the metrics back. */
const TIMEOUT_MS = 2000

/** While the Worker starts there is no clock. */
let since: number | undefined

export class Admin extends WorkerEntrypoint {
  override fetch(request: Request): Response | Promise<Response> {
    // A malformed Host makes an invalid URL.
    const pathname = URL.parse(request.url)?.pathname
    if (pathname === '/metrics') return metrics()
    if (pathname === '/version') return Response.json({ version })
    if (pathname === '/drain' && request.method === 'POST') return drained()
    if (pathname === '/healthz' || pathname === '/readyz') return app.fetch(request)
    return new Response(null, { status: 404 })
  }
}

async function metrics(): Promise<Response> {
  const { registry, within, now } = platform
  const totals = await within(TIMEOUT_MS, registry().totals()).catch(() => undefined)
  since ??= now()
  const text = platform.metrics?.text(
    readings({ version, commits: commits.count, since, now: now() }, totals),
  )
  return new Response(text, { headers: { 'Content-Type': METRICS_TYPE } })
}

/** Answers all long polls, for a process that is about to stop. */
async function drained(): Promise<Response> {
  await platform.longPolls?.drain(platform)
  return new Response(null, { status: 204 })
}
