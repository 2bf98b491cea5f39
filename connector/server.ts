// The HTTP server: instructions of the service, webhooks of banks, health and metrics.
import { type ServerType, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Core } from './core.ts'
import type { Instructions } from './instructions.ts'
import { messageOf } from './log.ts'
import type { Gauge } from './metrics.ts'
import { takeWebhook } from './webhooks.ts'

const MAX_BYTES = 64 * 1024

interface Routes {
  core: Core
  instructions: Instructions
  gauges: readonly Gauge[]
  /** Something may be due now. */
  kick: () => void
}

export function routes({ core, instructions, gauges, kick }: Routes): Hono {
  const app = new Hono()
  app.use(bodyLimit({ maxSize: MAX_BYTES, onError: (c) => c.text('the body is over 64 KiB', 413) }))
  app.post('/instructions', async (c) => {
    const { status, body } = await instructions.take({ headers: c.req.header(), body: await c.req.text() })
    kick()
    return body ? Response.json(body, { status }) : new Response(null, { status })
  })
  app.post('/webhooks/:bank', async (c) => {
    const request = { headers: c.req.header(), body: await c.req.text() }
    const { status, text } = await takeWebhook(core, c.req.param('bank'), request)
    kick()
    return c.text(text, status)
  })
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/metrics', (c) => c.text(core.metrics.render(gauges)))
  app.notFound((c) => c.text('not found', 404))
  app.onError((error, c) => {
    if (isIncomplete(error)) return c.text('the body is incomplete', 400)
    core.log('error', 'a request failed', { path: c.req.path, error: messageOf(error) })
    return c.text('internal error', 500)
  })
  return app
}

/** The client has gone in the midst of the body: nobody has to act, because banks and the service send again. */
const isIncomplete = (error: Error): boolean =>
  error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'

/** @param port 0: any that is free */
export function listen(app: Hono, host: string, port: number): Promise<{ server: ServerType; port: number }> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, (info) =>
      resolve({ server, port: info.port }),
    )
    server.once('error', reject)
  })
}
