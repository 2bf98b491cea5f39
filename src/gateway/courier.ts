// Delivers notifications over HTTP, as a stateless entry point of the Worker: no object waits for an endpoint.
import type { Config } from '../config.ts'
import { retryAfterOf } from '../contract/backoff.ts'
import { type CallbackPolicy, callbackUrlProblem } from '../contract/callback-url.ts'
import type { Delivered, NotificationContent } from '../contract/delivery.ts'
import {
  type ComposedNotification,
  type NotificationOrigin,
  paymentNotification,
  qrCodeNotification,
} from '../contract/notification.ts'
import type { Delivery } from '../site/dispatcher.ts'
import { notificationSignature, webhookHeaders } from './signatures.ts'

/** An endpoint must answer within these milliseconds. */
const TIMEOUT_MS = 10_000

/** What a delivery needs besides pure functions; a test replaces any of them. */
export interface CourierPlatform {
  config: Pick<Config, 'utcOffset' | 'anyCallbackHost' | 'publicUrl'>
  fetch(request: Request): Promise<Response>
  /** Unix milliseconds. */
  now(): number
}

/** The body of a notification, and the values that `Signature` covers. */
export const compose = (content: NotificationContent, origin: NotificationOrigin): ComposedNotification =>
  content.type === 'PAYMENT' ? paymentNotification(content, origin) : qrCodeNotification(content, origin)

/** Which callback URLs the deployment calls. @param origin of a request, which is this service's own address too */
export const callbackPolicy = (
  { anyCallbackHost, publicUrl }: CourierPlatform['config'],
  origin?: string,
): CallbackPolicy => ({
  anyHost: anyCallbackHost,
  ownHosts: [publicUrl, origin].flatMap((url) => (url === undefined ? [] : [new URL(url).host])),
})

/** Delivers a notification; any 2xx answer is success. Of the answer nothing but the status and Retry-After is kept. */
export async function deliver(
  { config, fetch, now }: CourierPlatform,
  delivery: Delivery,
): Promise<Delivered> {
  const { id, siteId, content, endpoint } = delivery
  // The settings of the deployment can be stricter than when the URL was set.
  const problem = callbackUrlProblem(endpoint.url, callbackPolicy(config))
  if (problem) return { error: `callbackUrl must be ${problem}`, ms: 0 }
  const { body, signedValues } = compose(content, { siteId, utcOffset: config.utcOffset })
  const started = now()
  const request = new Request(endpoint.url, {
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      Signature: notificationSignature(endpoint.keys[0], signedValues),
      ...webhookHeaders(endpoint.keys, id, Math.floor(started / 1000), body),
    },
    body,
    // A redirect is a failure: it could lead to a host that is not public.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  try {
    const response = await fetch(request)
    // The status is the result, whatever becomes of the rest.
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
