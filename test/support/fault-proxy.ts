// A proxy on 127.0.0.1 between a client and the service, which does to requests what networks do.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { portOf } from './ports.ts'

/** What happens to a request; the answers of `lost-answer`, `half-answer`, `503-after` and `silent` are the service's work done. */
export const FAULTS = [
  'none',
  'reset',
  'lost-answer',
  'half-answer',
  '429',
  '503',
  '503-after',
  'silent',
] as const
export type Fault = (typeof FAULTS)[number]

export interface Proxied {
  method: string
  path: string
  prefer: string | undefined
  fault: Fault
}

export interface FaultProxy {
  url: string
  /** What happens to the next requests; then nothing does. */
  faults: Fault[]
  /** What happens to those that it knows, before the list is asked. */
  choose?: (request: { method: string; path: string }) => Fault | undefined
  /** The requests that came, in their order. */
  requests: Proxied[]
  /** Resolves when a request that fits has come, now or before. */
  until(fits: (request: Proxied) => boolean): Promise<void>
  close(): void
}

/** Headers that concern one connection alone. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

/** @param target the address of the service, which may change: `http://127.0.0.1:…` */
export async function faultProxy(target: () => string): Promise<FaultProxy> {
  let arrived = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    const fault = proxy.choose?.({ method, path }) ?? proxy.faults.shift() ?? 'none'
    proxy.requests.push({ method, path, prefer: headers.prefer?.toString(), fault })
    arrived.resolve()
    arrived = Promise.withResolvers()
    // A service that is down resets its connections.
    relay(target() + path, request, response, fault).catch(() => request.socket.resetAndDestroy())
  })
  const proxy: FaultProxy = {
    url: `http://127.0.0.1:${await portOf(server)}`,
    faults: [],
    requests: [],
    async until(fits) {
      while (!proxy.requests.some(fits)) await arrived.promise
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return proxy
}

async function relay(url: string, request: IncomingMessage, response: ServerResponse, fault: Fault) {
  const body = await buffer(request)
  if (fault === 'reset') return request.socket.resetAndDestroy()
  // As a proxy answers: no JSON, no Retry-After.
  if (fault === '503') return response.writeHead(503).end('<h1>503 Service Unavailable</h1>')
  if (fault === '429') {
    const answer = { errorCode: 'http.too.many.requests', description: 'made up', traceId: '0' }
    return response.writeHead(429, { 'Retry-After': '0' }).end(JSON.stringify(answer))
  }
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const answer = await fetch(url, {
    method: request.method ?? 'GET',
    headers: Object.entries(request.headers).flatMap(([name, value = '']): [string, string][] =>
      HOP_BY_HOP.has(name) ? [] : [[name, String(value)]],
    ),
    ...(body.length > 0 && { body: new Uint8Array(body) }),
    redirect: 'manual',
    signal: gone.signal,
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (fault === 'lost-answer') return request.socket.resetAndDestroy()
  if (fault === '503-after') return response.writeHead(503).end('<h1>503 Service Unavailable</h1>')
  // Until the client gives it up.
  if (fault === 'silent') return
  const headers = [...answer.headers].flatMap((header) => (HOP_BY_HOP.has(header[0]) ? [] : header))
  if (answer.status !== 304) headers.push('content-length', String(bytes.length))
  response.writeHead(answer.status, headers)
  if (fault !== 'half-answer') return response.end(bytes)
  response.write(bytes.subarray(0, bytes.length / 2))
  setImmediate(() => request.socket.destroy())
}
