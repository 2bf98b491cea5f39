// Notifications as the service makes and signs them, for receivers: what is genuine, and what is forged.
import {
  type ComposedNotification,
  type NotifiedPayment,
  paymentNotification,
} from '../../src/contract/notifications/compose.ts'
import { notificationSignature, webhookHeaders } from '../../src/gateway/signatures.ts'

const keyOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`
export const [KEY, NEXT_KEY, FOREIGN_KEY] = [keyOf(1), keyOf(2), keyOf(3)]
/** A part of these keys. */
export const PART_OF_KEY = /whsec_|AQEB|AgIC|AwMD/

export const ORIGIN = { siteId: 'shop-1', utcOffset: '+03:00' }

/** Unix seconds. */
export const now = (): number => Math.floor(Date.now() / 1000)

/** A completed payment of 5.00, unless said otherwise. */
export const paid = (
  qrCodeUid: string,
  more: Partial<NotifiedPayment> = {},
  at = now(),
  origin: Parameters<typeof paymentNotification>[1] = ORIGIN,
): ComposedNotification =>
  paymentNotification(
    {
      ...{ paymentUid: `payment-of-${qrCodeUid}`, qrCodeUid, createdAt: at, changedAt: at },
      ...{ amount: { minorUnits: 500, currency: 'RUB' }, status: 'COMPLETED', applied: true },
      ...more,
    },
    origin,
  )

/** How a notification is sent; by default as the service sends it. */
export interface Sending {
  id?: string
  /** The key of `Signature`. */
  key?: string
  /** Those of `webhook-signature`; by default the same. */
  keys?: string[]
  timestamp?: number
  /** The body that is sent instead of the signed one. */
  sent?: (body: string) => string
  headers?: Record<string, string>
}

/** The body and the headers of a delivery. */
export function delivery(
  { body, signedValues }: ComposedNotification,
  { id = 'id-1', key = KEY, keys = [key], timestamp = now(), sent = (all) => all, headers }: Sending = {},
): { body: string; headers: Record<string, string> } {
  return {
    body: sent(body),
    headers: {
      'Content-Type': 'application/json',
      Signature: notificationSignature(key, signedValues),
      ...webhookHeaders(keys, id, timestamp, body),
      ...headers,
    },
  }
}

/**
 * What no receiver accepts, whose keys are KEY and NEXT_KEY: deliveries of `paid('order-1')`, and how the client names them.
 * @param at the time of the receiver, in Unix seconds
 */
export const forgeries = (at: number): [string, Sending, RegExp][] => [
  ['another QR code in the body', { sent: (body) => body.replace('order-1', 'order-2') }, /altered/],
  ['another amount in the body', { sent: (body) => body.replace('5.00', '5.01') }, /altered/],
  ['an amount of the same value', { sent: (body) => body.replace('5.00', '5.0') }, /altered/],
  ['another applied', { sent: (body) => body.replace('true', 'false') }, /altered/],
  ['an empty body', { sent: () => '' }, /altered/],
  ['a body of 65 KB', { sent: (body) => body.padEnd(65_537) }, /altered/],
  ['another id', { headers: { 'webhook-id': 'another' } }, /altered/],
  ['a time that is not the signed one', { headers: { 'webhook-timestamp': `${at + 100}` } }, /altered/],
  ['an old time', { timestamp: at - 400 }, /timestamp/],
  ['a time to come', { timestamp: at + 400 }, /timestamp/],
  ['no time', { headers: { 'webhook-timestamp': '' } }, /timestamp/],
  ['a time that is not a number', { headers: { 'webhook-timestamp': '0x6ab13b80' } }, /timestamp/],
  ['a foreign key', { key: FOREIGN_KEY }, /another key/],
  ['a foreign key for Signature alone', { key: FOREIGN_KEY, keys: [KEY] }, /^Signature/],
  ['one key for webhook-signature and another for Signature', { key: NEXT_KEY, keys: [KEY] }, /^Signature/],
  ['no webhook-signature', { headers: { 'webhook-signature': '' } }, /another key/],
  ['a webhook-signature of another version', { headers: { 'webhook-signature': 'v2,AAAA' } }, /another key/],
  ['a webhook-signature that is not base64', { headers: { 'webhook-signature': 'v1,*' } }, /another key/],
  ['an empty Signature', { headers: { Signature: '' } }, /^Signature/],
  ['a Signature of another length', { headers: { Signature: 'ab' } }, /^Signature/],
  ['a Signature that is not ASCII', { headers: { Signature: 'é' } }, /^Signature/],
]
