// Delivers one notification to its merchant: checks the URL, composes the body, signs and sends it.
import type { Config } from '../config.ts'
import type { Delivered } from '../contract/delivery.ts'
import { compose } from '../contract/notifications/compose.ts'
import type { Delivery } from '../site/outbox/courier.ts'
import { type CallbackPolicy, callbackUrlProblem } from './callback-url.ts'
import { networkOf } from './connection.ts'
import { type Sender, send } from './send.ts'
import { notificationSignature, webhookHeaders } from './signatures.ts'

interface CourierPlatform extends Sender {
  config: Pick<Config, 'utcOffset' | 'anyCallbackHost' | 'publicUrl' | 'network' | 'testNetwork'>
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
  const { body, signedValues } = compose(content, {
    siteId,
    utcOffset: config.utcOffset,
    publicUrl: config.publicUrl,
    isTest: networkOf(config, siteId).isTest,
  })
  const headers = {
    Signature: notificationSignature(endpoint.keys[0], signedValues),
    ...webhookHeaders(endpoint.keys, id, Math.floor(now() / 1000), body),
  }
  return send(platform, { url: endpoint.url, headers, body })
}
