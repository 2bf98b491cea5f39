// Sends a request to an endpoint of others; of the answer only the status and Retry-After are used.

import type { Delivered } from '../contract/delivery.ts'
import { retryAfterOf } from './retry-after.ts'

/** An endpoint must answer within these milliseconds. */
const TIMEOUT_MS = 10_000

/** What sending needs besides pure functions; a test replaces any of them. */
export interface Sender {
  fetch(request: Request): Promise<Response>
  /** Unix milliseconds. */
  now(): number
}

/** A request by POST with a body in JSON. */
export interface Post {
  url: string
  headers: Record<string, string>
  body: string
}

/** Sends a request. @returns the status of the response, or the error */
export async function send({ fetch, now }: Sender, { url, headers, body }: Post): Promise<Delivered> {
  const started = now()
  const request = new Request(url, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
    body,
    // A redirect is a failure: it could point to a host that is not allowed.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  try {
    const response = await fetch(request)
    // The status is the result, even if the rest of the response is lost.
    response.body?.cancel().catch(() => {})
    const retryAfter = response.headers.get('Retry-After')
    return {
      httpStatus: response.status,
      ms: now() - started,
      ...(retryAfter !== null && { retryAfter: retryAfterOf(retryAfter, now()) }),
    }
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    return { error: isTimeout ? 'no answer within 10 seconds' : 'no connection', ms: now() - started }
  }
}
