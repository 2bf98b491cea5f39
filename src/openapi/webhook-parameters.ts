// The headers that all notifications have, as parameters of the document's webhooks (contract, section 11).
import type { Parameter } from './objects.ts'

/** A header that is always there. */
export const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
})

/** The parameters that all notifications have. */
export const WEBHOOK_PARAMETERS = {
  WebhookId: header(
    'webhook-id',
    'Identifies the notification. It is the same in every delivery of the notification: ignore one that you have already',
    '8c1f0d5a9b3e7f42-2',
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'The time of this delivery in Unix seconds. Refuse a time that is more than five minutes off',
    '1795194700',
  ),
  WebhookSignature: header(
    'webhook-signature',
    'One signature for each notification key of the site, separated by spaces: `v1,` and the base64 text of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. The HMAC key is the bytes that the base64 text after `whsec_` encodes. Accept the notification if one of them is right (Standard Webhooks)',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
}
