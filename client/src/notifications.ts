// Verifies notifications: both signatures, by one of the keys, and the time.
import { NotificationError } from './errors.ts'
import type {
  Amount,
  PaymentNotification,
  QrCodeNotification,
  ReceiptNotification,
  RefundNotification,
  SettlementNotification,
  TokenNotification,
} from './schema.ts'

type Exact<Part> = Omit<Part, 'amount'> & { amount: Amount }

/**
 * A notification. `id` is its `webhook-id`: the same in every delivery, so deal with each id once. Amounts are texts
 * with two fraction digits, as in the other answers.
 */
export type Notification = { id: string } & (
  | (Omit<PaymentNotification, 'payment'> & { payment: Exact<PaymentNotification['payment']> })
  | (Omit<RefundNotification, 'refund'> & { refund: Exact<RefundNotification['refund']> })
  | TokenNotification
  | QrCodeNotification
  | (Omit<ReceiptNotification, 'receipt'> & { receipt: Exact<ReceiptNotification['receipt']> })
  | SettlementNotification
)

/** What a web framework has: an object of Node, or Headers. */
export type NotificationHeaders = Headers | Record<string, string | readonly string[] | undefined>

export interface Delivery {
  /** The body as it came, before anything parsed it. */
  body: string | Uint8Array
  headers: NotificationHeaders
  /** The notification key, `whsec_…`; while it is replaced, the old one and the new one. */
  keys: string | readonly string[]
  /** Seconds that the time of the delivery may differ from this clock's; by default 300. */
  toleranceSeconds?: number
  /** Milliseconds since 1970; by default the clock. */
  now?: number
}

/**
 * The notification, if one of the keys made both of its signatures; a type that this version does not know has one,
 * `webhook-signature`, which covers all of it.
 * @throws NotificationError that says why it must not be trusted, and RangeError if an argument breaks its rule;
 * neither has a key
 */
export async function verifyNotification({
  body,
  headers,
  keys,
  toleranceSeconds = 300,
  now = Date.now(),
}: Delivery): Promise<Notification> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new RangeError('body must be the text or the bytes as they came, before they are parsed')
  const texts = [keys].flat().map(keyText)
  if (texts.length === 0) throw new RangeError(KEYS_RULE)
  const header = (name: string) => headerOf(headers, name)
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new NotificationError(`webhook-timestamp is not within ${toleranceSeconds} seconds of now`)

  const bytes = typeof body === 'string' ? encode(body) : body
  const signed = concatenated(encode(`${id}.${timestamp}.`), bytes)
  const candidates = header('webhook-signature').split(' ').flatMap(version1)
  let reason = 'webhook-signature is of another key, or the notification was altered'
  for (const text of texts) {
    const secret = fromBase64(text)
    if (!secret || !(await isAny(secret, candidates, signed))) continue
    const notification = parsed(id, bytes)
    const covered = signedValues(notification)
    if (!covered || (await isAny(encode(text), fromHex(header('Signature')), encode(covered.join('|')))))
      return notification
    reason = 'Signature is of another key: only the active key makes it'
  }
  throw new NotificationError(reason)
}

/** The values that `Signature` covers (contract, section 11); undefined for a type of a later version. */
function signedValues(notification: Notification): string[] | undefined {
  switch (notification.type) {
    case 'PAYMENT': {
      const { paymentId, createdDateTime, amount } = notification.payment
      return [paymentId, createdDateTime, amount.value]
    }
    case 'REFUND': {
      const { refundId, createdDateTime, amount } = notification.refund
      return [refundId, createdDateTime, amount.value]
    }
    case 'TOKEN': {
      const { merchantSiteUid, account, status } = notification.token
      return [merchantSiteUid, account, status.value, status.changedDateTime]
    }
    case 'QR_CODE': {
      const { merchantSiteUid, qrCodeUid, status } = notification.qrCode
      return [merchantSiteUid, qrCodeUid, status.value, status.changedDateTime]
    }
    case 'RECEIPT': {
      const { merchantSiteUid, receiptUid, status } = notification.receipt
      return [merchantSiteUid, receiptUid, status.value, status.changedDateTime]
    }
    case 'SETTLEMENT': {
      const { merchantSiteUid, settlementUid, status } = notification.settlement
      return [merchantSiteUid, settlementUid, status.value, status.changedDateTime]
    }
    default:
      return undefined
  }
}

/** The body, which the service signed: its shape is the service's promise. */
function parsed(id: string, bytes: Uint8Array): Notification {
  // Amounts keep their digits. A string cannot contain this pattern: the quotes inside it are escaped.
  const text = new TextDecoder().decode(bytes).replace(/("value"\s*:\s*)(\d+\.\d+)/g, '$1"$2"')
  return { id, ...JSON.parse(text) }
}

const KEYS_RULE = 'keys must be one notification key or more, each begins with whsec_'

/** Whether it has the form of a notification key. */
export const isNotificationKey = (key: unknown): boolean =>
  typeof key === 'string' && /^whsec_[A-Za-z0-9+/=]+$/.test(key)

function keyText(key: string): string {
  if (!isNotificationKey(key)) throw new RangeError(KEYS_RULE)
  return key.slice('whsec_'.length)
}

function headerOf(headers: NotificationHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const [, value = ''] =
    Object.entries(headers).find(([each]) => each.toLowerCase() === name.toLowerCase()) ?? []
  return typeof value === 'string' ? value : (value[0] ?? '')
}

/** Whether one of the signatures is of the key. Web Crypto compares in constant time. */
async function isAny(key: Bytes, signatures: readonly Bytes[], message: Bytes): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['verify'])
  for (const signature of signatures)
    if (await crypto.subtle.verify('HMAC', imported, signature, message)) return true
  return false
}

type Bytes = Uint8Array<ArrayBuffer>

/** Copied, because the types of some runtimes say that the bytes could be shared with another thread. */
const encode = (text: string): Bytes => new Uint8Array(new TextEncoder().encode(text))

function concatenated(start: Uint8Array, rest: Uint8Array): Bytes {
  const both = new Uint8Array(start.length + rest.length)
  both.set(start)
  both.set(rest, start.length)
  return both
}

const version1 = (signature: string): Bytes[] => {
  const bytes = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined
  return bytes ? [bytes] : []
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const fromHex = (text: string): Bytes[] =>
  /^[0-9a-f]{64}$/.test(text)
    ? [Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))]
    : []
