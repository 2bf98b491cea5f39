// Delivers notifications to merchants over HTTP.
import type { Config } from '../config.ts'
import { type CallbackPolicy, callbackUrlProblem } from '../contract/callback-url.ts'
import type { Delivered, NotificationContent } from '../contract/delivery.ts'
import {
  type ComposedNotification,
  type NotificationOrigin,
  paymentNotification,
  qrCodeNotification,
  refundNotification,
  tokenNotification,
} from '../contract/notification.ts'
import type { Delivery } from '../site/dispatcher.ts'
import { type Sender, send } from './send.ts'
import { notificationSignature, webhookHeaders } from './signatures.ts'

export interface CourierPlatform extends Sender {
  config: Pick<Config, 'utcOffset' | 'anyCallbackHost' | 'publicUrl'>
}

/**
 * The body of a notification, and the values that `Signature` covers.
 * @param showsTokens false where the reader may see the ends of tokens' values alone
 */
export function compose(
  content: NotificationContent,
  origin: NotificationOrigin,
  showsTokens = true,
): ComposedNotification {
  if (content.type === 'PAYMENT') return paymentNotification(content, origin)
  if (content.type === 'REFUND') return refundNotification(content, origin)
  if (content.type === 'TOKEN') return tokenNotification(content, origin, showsTokens)
  return qrCodeNotification(content, origin)
}

/** Which callback URLs the deployment calls. @param origin of a request, which is this service's own address too */
export const callbackPolicy = (
  { anyCallbackHost, publicUrl }: CourierPlatform['config'],
  origin?: string,
): CallbackPolicy => ({
  anyHost: anyCallbackHost,
  ownHosts: [publicUrl, origin].flatMap((url) => (url === undefined ? [] : [new URL(url).host])),
})

/** Delivers a notification to its merchant; any 2xx answer is success. */
export async function deliver(platform: CourierPlatform, delivery: Delivery): Promise<Delivered> {
  const { config, now } = platform
  const { id, siteId, content, endpoint } = delivery
  // The settings of the deployment can be stricter than when the URL was set.
  const problem = callbackUrlProblem(endpoint.url, callbackPolicy(config))
  if (problem) return { error: `callbackUrl must be ${problem}`, ms: 0 }
  const { body, signedValues } = compose(content, { siteId, utcOffset: config.utcOffset })
  const headers = {
    Signature: notificationSignature(endpoint.keys[0], signedValues),
    ...webhookHeaders(endpoint.keys, id, Math.floor(now() / 1000), body),
  }
  return send(platform, { url: endpoint.url, headers, body })
}
