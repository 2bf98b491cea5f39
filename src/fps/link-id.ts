// The id of a functional link (contract, section 4): an authenticated version-4 UUID.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { setVersion4 } from './uuid.ts'

/**
 * The prefixes of ids: a dynamic QR code, one that also binds an account, a binding alone, a static QR code with and
 * without a sum, a counter.
 */
export const PREFIXES = {
  dynamic: 'AD1000',
  dynamicWithToken: 'AD1P00',
  token: 'AB1S00',
  static: 'AS1000',
  staticWithoutSum: 'AS1A00',
  counter: 'AS1R00',
} as const
export type Prefix = (typeof PREFIXES)[keyof typeof PREFIXES]

/** An id that has the form of one, taken apart. */
interface LinkId {
  prefix: string
  digits: string
}

/** The form of an id: a prefix and 26 base32hex digits, the first of which has only three bits. */
export const LINK_ID = /^(AD1000|AD1P00|AB1S00|AS1000|AS1A00|AS1R00)([0-7][0-9A-V]{25})$/

/** Bytes of the UUID: the timestamp; everything that the MAC covers, random bytes included; the MAC. */
const TIMESTAMP_BYTES = 3
const MESSAGE_BYTES = 10
const MAC_BYTES = 16 - MESSAGE_BYTES

/**
 * Makes the id of a link of a site.
 * Of the UUID's 122 free bits, the first 24 are a timestamp, so that ids of one moment are neighbours in an index; 50
 * are random; the last 48 are the first bits of an HMAC-SHA256 over the site, the prefix and those 74 bits. So a forged
 * id is refused without a storage call. The timestamp wraps every 4.7 h: it reveals the time of creation only to someone
 * who already knows it roughly.
 * @param now Unix milliseconds, of which the last 24 bits count
 * @param random 7 random bytes, of which 6 bits are replaced by the UUID's version and variant
 * @returns 32 characters
 */
export function makeLinkId(
  secret: string,
  siteId: string,
  prefix: Prefix,
  { now, random }: { now: number; random: Uint8Array },
): string {
  const uuid = new Uint8Array(16)
  uuid.set([now / 0x10000, now / 0x100, now])
  uuid.set(random.subarray(0, MESSAGE_BYTES - TIMESTAMP_BYTES), TIMESTAMP_BYTES)
  setVersion4(uuid)
  uuid.set(macOf(secret, siteId, prefix, uuid), MESSAGE_BYTES)
  return prefix + encode(uuid)
}

/** Whether the id is of a static QR code. */
export const isStaticId = (text: string): boolean =>
  text.startsWith(PREFIXES.static) || text.startsWith(PREFIXES.staticWithoutSum)

export const isCounterId = (text: string): boolean => text.startsWith(PREFIXES.counter)

/** The parts of an id; undefined if the text does not have its form. */
function parseLinkId(text: string): LinkId | undefined {
  const [, prefix, digits] = LINK_ID.exec(text) ?? []
  return prefix && digits ? { prefix, digits } : undefined
}

/** Whether a text is an id that the deployment made for this site. @param secrets see isAuthentic */
export function isLinkId(secrets: readonly string[], siteId: string, text: string): boolean {
  const id = parseLinkId(text)
  return id !== undefined && isAuthentic(secrets, siteId, id)
}

/**
 * Whether the deployment made this id for this site.
 * @param secrets the present one and, during a rotation, the previous one
 */
function isAuthentic(secrets: readonly string[], siteId: string, { prefix, digits }: LinkId): boolean {
  const uuid = decode(digits)
  const mac = uuid.subarray(MESSAGE_BYTES)
  return secrets.some((secret) => timingSafeEqual(macOf(secret, siteId, prefix, uuid), mac))
}

function macOf(secret: string, siteId: string, prefix: string, uuid: Uint8Array): Uint8Array {
  // The first word keeps these messages apart from the access tokens that the same secret signs.
  const message = `link\0${siteId}\0${prefix}\0${numberOf(uuid) >> BigInt(8 * MAC_BYTES)}`
  return createHmac('sha256', secret).update(message).digest().subarray(0, MAC_BYTES)
}

/** 128 bits as 26 base32hex digits, most significant bits first, the top two of the 130 bits zero. */
const encode = (uuid: Uint8Array): string => numberOf(uuid).toString(32).toUpperCase().padStart(26, '0')

function decode(digits: string): Uint8Array {
  let number = 0n
  for (const digit of digits) number = (number << 5n) | BigInt(Number.parseInt(digit, 32))
  const view = new DataView(new ArrayBuffer(16))
  view.setBigUint64(0, number >> 64n)
  view.setBigUint64(8, number)
  return new Uint8Array(view.buffer)
}

function numberOf(uuid: Uint8Array): bigint {
  const view = new DataView(uuid.buffer, uuid.byteOffset)
  return (view.getBigUint64(0) << 64n) | view.getBigUint64(8)
}
