// Signatures of notifications (contract, section 11).
import { createHmac } from 'node:crypto'

/** The headers of Standard Webhooks, https://www.standardwebhooks.com. */
type WebhookHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>

/** A key is shown as `whsec_` and base64. */
const PREFIX = /^whsec_/

/**
 * The header `Signature`: HMAC-SHA256, under the text of the key after `whsec_`, of the values joined with `|`.
 * @returns lower-case hex
 */
export const notificationSignature = (key: string, values: readonly string[]): string =>
  createHmac('sha256', key.replace(PREFIX, '')).update(values.join('|')).digest('hex')

/**
 * The headers of Standard Webhooks, with a signature for each key: its HMAC key is the bytes after `whsec_`.
 * @param id the same for every delivery of a notification
 * @param timestamp Unix seconds of this delivery
 */
export const webhookHeaders = (
  keys: readonly string[],
  id: string,
  timestamp: number,
  body: string,
): WebhookHeaders => ({
  'webhook-id': id,
  'webhook-timestamp': `${timestamp}`,
  'webhook-signature': keys
    .map((key) => `v1,${webhookSignature(key, `${id}.${timestamp}.${body}`)}`)
    .join(' '),
})

const webhookSignature = (key: string, message: string): string =>
  createHmac('sha256', Buffer.from(key.replace(PREFIX, ''), 'base64'))
    .update(message)
    .digest('base64')
