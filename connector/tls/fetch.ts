// The part of `fetch` that calls of banks need, over connections that trust more authorities: only the package undici, a megabyte of
// CommonJS, can tell the global one of them.
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { type Authority, contextWith } from './authorities.ts'

export interface FetchInit {
  method: string
  redirect: 'manual'
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

export interface Fetched {
  status: number
  headers: { get: (name: string) => string | null }
  body: AsyncIterable<Uint8Array> | null
}

/** The global `fetch` is one. */
export type Fetch = (url: string, init: FetchInit) => Promise<Fetched>

/** Milliseconds. */
interface Times {
  /** Until a connection that is not made has failed. */
  connect: number
  /** Until a connection is closed that nothing uses. */
  idle: number
}

/** Those of the global `fetch`. */
const TIMES: Times = { connect: 10_000, idle: 4_000 }

/**
 * A `fetch` with connections of its own.
 * @returns what rejects as the global one does: with a TypeError whose cause says why
 */
export function fetchTrusting(authorities: readonly Authority[], times = TIMES): Fetch {
  const agent = new VerifyingAgent(authorities, times)
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      // A request without a connection fails only once it has one.
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
      const options = { agent, method, signal, headers: { 'User-Agent': 'node', ...headers, ...length } }
      const request = httpsRequest(url, options, (response) =>
        resolve({
          status: response.statusCode ?? 0,
          headers: { get: (name) => response.headersDistinct[name]?.join(', ') ?? null },
          body: response,
        }),
      )
      request.on('error', (cause) => reject(new TypeError('fetch failed', { cause })))
      request.end(body)
    })
}

/** A request gets a connection only after the certificate was verified: before that, no byte of it can be sent. */
class VerifyingAgent extends Agent {
  readonly #connectMs: number

  constructor(authorities: readonly Authority[], { connect, idle }: Times) {
    // This timeout ends no connection on which an answer is awaited.
    super({ keepAlive: true, timeout: idle, secureContext: contextWith(authorities) })
    this.#connectMs = connect
  }

  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const socket = super.createConnection(options)
    if (!socket || !callback) return socket
    const timer = setTimeout(() => socket.destroy(tooLate(this.#connectMs)), this.#connectMs)
    const finish = (error: Error | null) => {
      clearTimeout(timer)
      callback(error, socket)
    }
    socket.once('secureConnect', () => {
      socket.off('error', finish)
      finish(null)
    })
    socket.once('error', finish)
    return undefined
  }
}

/** As the system says it of a connection. */
const tooLate = (ms: number): Error =>
  Object.assign(new Error(`no connection within ${ms} ms`), { code: 'ETIMEDOUT', syscall: 'connect' })
