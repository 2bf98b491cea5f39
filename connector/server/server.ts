// The HTTP server: instructions of the service, webhooks of banks, health and metrics.
import { ServerResponse } from 'node:http'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { takeRegisterWebhook } from '../cash-registers/webhooks.ts'
import type { Core } from '../core.ts'
import { takeWebhook } from '../inbox/webhooks.ts'
import { messageOf } from '../log.ts'
import type { Gauge } from '../metrics.ts'
import type { Instructions } from './instructions.ts'

/** A document has up to 100 lines. */
const MAX_BYTES = 256 * 1024

interface Routes {
  core: Core
  instructions: Instructions
  gauges: readonly Gauge[]
  /** Something may be due now. */
  kick: () => void
}

export function routes({ core, instructions, gauges, kick }: Routes): Hono {
  const app = new Hono()
  app.use(bodyLimit({ maxSize: MAX_BYTES, onError: tooLarge }))
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
  app.post('/webhooks/receipts/:register', async (c) => {
    const request = { headers: c.req.header(), body: await c.req.text() }
    const { status, text } = takeRegisterWebhook(core, c.req.param('register'), request)
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

/** The rest of the body is not read: a next request on the connection would never be answered. */
const tooLarge = (c: Context): Response => c.text('the body is over 256 KiB', 413, { Connection: 'close' })

/** The client has gone in the midst of the body: nobody has to act, because banks and the service send again. */
const isIncomplete = (error: Error): boolean =>
  error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'

/**
 * @param port 0: any that is free
 * @param descriptor of a socket that listens already and stays at a restart, which replaces host and port
 * @returns the port, of a socket that has one
 */
export function listen(
  app: Hono,
  host: string,
  port: number,
  descriptor?: number,
): Promise<{ server: ServerType; port: number }> {
  const server = createAdaptorServer({ fetch: app.fetch })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => {
      const address = server.address()
      resolve({ server, port: typeof address === 'object' && address ? address.port : 0 })
    })
    if (descriptor === undefined) server.listen(port, host)
    else {
      // A restart ends connections that are kept: a request could arrive on one in that moment.
      closeAfterAnswers(server)
      // As in fps-connector.socket: without it Node sets its own default, which is smaller.
      server.listen({ fd: descriptor, backlog: 4096 })
    }
  })
}

/** No connection is kept after its answer. */
function closeAfterAnswers(server: ServerType): void {
  server.prependListener('request', (_request: unknown, response: unknown) => {
    if (response instanceof ServerResponse) response.shouldKeepAlive = false
  })
}

/** A request waits at most this long for a bank. */
const LAST_ANSWER_MS = 20_000

/** Ends a server: requests in flight are answered, and no connection is kept after its answer. */
export async function close(server: ServerType): Promise<void> {
  closeAfterAnswers(server)
  const timer = setTimeout(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
  }, LAST_ANSWER_MS)
  await new Promise((resolve) => server.close(resolve))
  clearTimeout(timer)
}
