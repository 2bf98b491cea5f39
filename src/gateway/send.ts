// Sends a POST request with JSON to an endpoint outside the service, with a timeout of 10 seconds, and reports the result.

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
interface Post {
  url: string
  headers: Record<string, string>
  body: string
}

/** Sends a request, and gives the response 10 seconds, its body included. */
export const post = ({ fetch }: Pick<Sender, 'fetch'>, { url, headers, body }: Post): Promise<Response> =>
  fetch(
    new Request(url, {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
      body,
      // A redirect is a failure: it could point to a host that is not allowed.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }),
  )

/** Sends a request, of whose response only the status and Retry-After are used. */
export async function send(sender: Sender, request: Post): Promise<Delivered> {
  const { now } = sender
  const started = now()
  try {
    const response = await post(sender, request)
    // The status is the result, even if the rest of the response is lost.
    response.body?.cancel().catch(() => {})
    const retryAfter = response.headers.get('Retry-After')
    return {
      httpStatus: response.status,
      ms: now() - started,
      ...(retryAfter !== null && { retryAfter: retryAfterOf(retryAfter, now()) }),
    }
  } catch (error) {
    return { error: failureOf(error), ms: now() - started }
  }
}

/** Why there is no response. */
export const failureOf = (error: unknown): string =>
  error instanceof Error && error.name === 'TimeoutError' ? 'no answer within 10 seconds' : 'no connection'
