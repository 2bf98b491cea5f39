// The operator's socket of a self-hosted service.
import { WorkerEntrypoint } from 'cloudflare:workers'
import { METRICS_TYPE } from '../gateway/metrics.ts'
import { app } from './app.ts'
import { platform } from './deployment.ts'

export class Admin extends WorkerEntrypoint {
  override fetch(request: Request): Response | Promise<Response> {
    // A malformed Host makes an invalid URL.
    const pathname = URL.parse(request.url)?.pathname
    if (pathname === '/metrics') {
      return new Response(platform.metrics?.text(), { headers: { 'Content-Type': METRICS_TYPE } })
    }
    if (pathname === '/drain' && request.method === 'POST') return drained()
    if (pathname === '/healthz' || pathname === '/readyz') return app.fetch(request)
    return new Response(null, { status: 404 })
  }
}

/** Answers all long polls, for a process that is about to stop. */
async function drained(): Promise<Response> {
  await platform.longPolls?.drain(platform)
  return new Response(null, { status: 204 })
}
