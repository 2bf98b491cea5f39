// Sends requests: the access token, time limits, repeats, and errors by their class.
import { pause, withTimeLimit } from './abort.ts'
import { apiError, ConnectionError, ConnectionRefusedError, FpsQrError } from './errors.ts'
import { retryAfterMs, retryDelay } from './retry.ts'
import type { ErrorAnswer } from './schema.ts'

export interface FpsQrOptions {
  /** The address of the service, such as `https://qr.acquirer.example`. */
  baseUrl: string
  /** The merchant site that the access token is for. */
  siteId: string
  /** The access token. It is sent in the header Authorization, and is in no error and in no log. */
  token: string
  /** Milliseconds in which one attempt must be answered; by default 15000. A long poll has its own time besides. */
  attemptTimeoutMs?: number
  /** Milliseconds in which an operation with its repeats must succeed; by default 60000. Waits have no such limit. */
  timeLimitMs?: number
  /** Milliseconds before the first repeat, twice as many before each one after it, up to 10000; by default 250. */
  retryDelayMs?: number
  /** Called before each repeat: for your log. */
  onRetry?: (retry: Retry) => void
  /** By default the global fetch. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** Called as a function of the global object: as a method of another one, browsers and Workers refuse it. */
export const globalFetch: NonNullable<FpsQrOptions['fetch']> = (url, init) => globalThis.fetch(url, init)

export interface Retry {
  /** Why the request is sent again. */
  error: FpsQrError
  /** 1 before the first repeat. */
  attempt: number
  delayMs: number
}

export interface HttpRequest {
  method?: 'PUT' | 'POST' | 'DELETE'
  /** Below the site, with encoded segments: `/sbp/qrCodes/order-1`. */
  path: string
  query?: URLSearchParams
  body?: object
  /** A body that is a file. */
  file?: { mediaType: string; content: Uint8Array<ArrayBuffer> | Blob }
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** Seconds for which the service may wait before it answers. */
  waitSeconds?: number
  /** Seconds that an attempt can take besides, such as those of a large body. */
  moreSeconds?: number
  /** Repeat until the signal is aborted: what waits survives a break of any length. */
  endless?: boolean
}

export interface Answer<T> {
  status: number
  headers: Headers
  /** Undefined in a 304. Its shape is the promise of the OpenAPI document. */
  body: T
}

export class Http {
  /** Whether there was ever a connection: before, a refused one says that the address is wrong, or nothing was started. */
  #hasConnected = false
  readonly #site: string
  readonly #token: string
  readonly #options: Required<Omit<FpsQrOptions, 'baseUrl' | 'siteId' | 'token'>>

  /** @throws RangeError naming the option and its rule */
  constructor({ baseUrl, siteId, token, ...options }: FpsQrOptions) {
    if (!/^https?:\/\/[^/]/.test(baseUrl))
      throw new RangeError(`baseUrl is "${baseUrl}", must be an http or https URL`)
    // What is wrong is not shown: a part of a secret is a secret too.
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new RangeError('token must be visible ASCII characters without white space')
    this.#site = `${baseUrl.replace(/\/+$/, '')}/payin/v1/sites/${segment('siteId', siteId)}`
    this.#token = token
    this.#options = {
      attemptTimeoutMs: options.attemptTimeoutMs ?? 15_000,
      timeLimitMs: options.timeLimitMs ?? 60_000,
      retryDelayMs: options.retryDelayMs ?? 250,
      onRetry: options.onRetry ?? (() => {}),
      fetch: options.fetch ?? globalFetch,
    }
  }

  /**
   * Sends a request until it is answered, refused for good, or its time is over.
   * @throws ApiError, ConnectionError; the signal's reason
   */
  async request<T>(request: HttpRequest): Promise<Answer<T>> {
    const { timeLimitMs, retryDelayMs, onRetry } = this.#options
    const end = request.endless ? Number.POSITIVE_INFINITY : Date.now() + timeLimitMs
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send<T>(request)
      } catch (error) {
        request.signal?.throwIfAborted()
        if (error instanceof ConnectionRefusedError && !this.#hasConnected) throw error
        const delayMs = retryDelay(error, attempt, retryDelayMs, Math.random())
        if (!(error instanceof FpsQrError) || delayMs === undefined || Date.now() + delayMs > end) throw error
        onRetry({ error, attempt, delayMs })
        await pause(delayMs, request.signal)
      }
    }
  }

  async #send<T>(request: HttpRequest): Promise<Answer<T>> {
    const { method = 'GET', path, query, body, file, waitSeconds = 0 } = request
    const url = `${this.#site}${path}${query?.size ? `?${query}` : ''}`
    const name = `${method} ${new URL(url).pathname}`
    const init: RequestInit = {
      method,
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${this.#token}`,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(file && { 'Content-Type': file.mediaType }),
        ...(waitSeconds > 0 && { Prefer: `wait=${waitSeconds}` }),
        ...request.headers,
      },
      // A redirect would send the access token to another address.
      redirect: 'manual',
      ...(body && { body: JSON.stringify(body) }),
      ...(file && { body: file.content }),
    }
    const { response, text } = await this.#fetched(name, init, url, request)
    const { status, headers } = response
    if (response.ok || status === 304) return { status, headers, body: parsed<T>(name, status, text) }
    if (status < 400)
      throw new FpsQrError(`${name}: the answer is a redirect, baseUrl must be the service's own address`)
    throw apiError(name, {
      httpStatus: status,
      answer: errorAnswer(text),
      traceId: headers.get('X-Trace-Id') ?? undefined,
      retryAfterMs: retryAfterMs(headers.get('Retry-After'), Date.now()),
    })
  }

  async #fetched(
    name: string,
    init: RequestInit,
    url: string,
    { signal, waitSeconds = 0, moreSeconds = 0 }: HttpRequest,
  ) {
    const ms = this.#options.attemptTimeoutMs + (waitSeconds + moreSeconds) * 1000
    try {
      return await withTimeLimit(ms, signal, async (both) => {
        const response = await this.#options.fetch(url, { ...init, signal: both })
        this.#hasConnected = true
        return { response, text: await response.text() }
      })
    } catch (error) {
      signal?.throwIfAborted()
      const text = `${name}: ${this.#textOf(error)}`
      if (!isRefused(error)) throw new ConnectionError(text)
      const { origin } = new URL(url)
      throw new ConnectionRefusedError(
        `${text}: nothing listens on ${origin}, baseUrl must be the address of a running service`,
      )
    }
  }

  /** Only texts, and without the token: the error of a fetch can have the request, or the header that it refuses. */
  #textOf(error: unknown): string {
    const texts: string[] = []
    for (let each = error; each instanceof Error && texts.length < 5; each = each.cause)
      texts.push(each.message)
    return (texts.join(': ') || 'no connection').replaceAll(this.#token, '(token)')
  }
}

/** Whether nothing listens, as Node, Bun and Deno say it; with several addresses all of them refused. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  if (code === 'ECONNREFUSED' || code === 'ConnectionRefused') return true
  return /connection refused/i.test(error.message) || isRefused(error.cause)
}

function parsed<T>(name: string, status: number, text: string): T {
  try {
    return JSON.parse(text || 'null')
  } catch {
    throw new FpsQrError(
      `${name}: the body of the ${status} is not JSON, baseUrl must be the service's address`,
    )
  }
}

/** The error object; undefined if a proxy or a platform answered. */
function errorAnswer(text: string): Partial<ErrorAnswer> | undefined {
  try {
    const answer = JSON.parse(text)
    return typeof answer?.errorCode === 'string' ? answer : undefined
  } catch {
    return undefined
  }
}

/**
 * An identifier as a segment of a path.
 * @throws RangeError naming it: `..` would lead to another address, and an empty one too
 */
export function segment(name: string, value: string): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..' || hasLoneSurrogate(value))
    throw new RangeError(`${name} is ${JSON.stringify(value)}, must be Unicode text, not empty, not . or ..`)
  return encodeURIComponent(value)
}

const hasLoneSurrogate = (text: string) => /\p{Surrogate}/u.test(text)
