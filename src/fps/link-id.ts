// The id of a functional link (contract, section 4): a version-4 UUID that vouches for itself.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** What an id begins with: a dynamic QR code, one that binds an account too, a binding alone. */
export const HEADS = { dynamic: 'AD1000', dynamicWithToken: 'AD1P00', token: 'AB1S00' } as const
export type Head = (typeof HEADS)[keyof typeof HEADS]

/** The shape of an id: a head and 26 base32hex digits, the first of which carries three bits only. */
export const LINK_ID = /^(AD1000|AD1P00|AB1S00)([0-7][0-9A-V]{25})$/

/** Bytes of the UUID: of the clock; with the random ones, all that are vouched for; of the voucher. */
const CLOCK_BYTES = 3
const FREE_BYTES = 10
const VOUCHER_BYTES = 16 - FREE_BYTES

/**
 * Makes the id of a link of a site.
 * Of the UUID's 122 free bits, the first 24 are the clock's, so that ids of one moment stand together in an index; 50
 * are random; the last 48 are the head of an HMAC-SHA256 over the site, the head and those 74. So a made-up id is
 * refused without asking anyone.
 * @param now Unix milliseconds, of which the last 24 bits count
 * @param random 7 random bytes, of which 6 bits give way to the UUID's version and variant
 * @returns 32 characters
 */
export function makeLinkId(
  secret: string,
  siteId: string,
  head: Head,
  now: number,
  random: Uint8Array,
): string {
  const uuid = new Uint8Array(16)
  uuid.set([now / 0x10000, now / 0x100, now])
  uuid.set(random.subarray(0, FREE_BYTES - CLOCK_BYTES), CLOCK_BYTES)
  // RFC 9562, sections 4.1 and 5.4: version 4, variant 10.
  uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x40
  uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80
  uuid.set(voucher(secret, siteId, head, uuid), FREE_BYTES)
  return head + encode(uuid)
}

/**
 * Whether the deployment made this id for this site.
 * @param secrets those that may have vouched: the present one and, during a rotation, the previous one
 */
export function isLinkId(secrets: readonly string[], siteId: string, id: string): boolean {
  const [, head, digits] = LINK_ID.exec(id) ?? []
  if (!head || !digits) return false
  const uuid = decode(digits)
  const vouched = uuid.subarray(FREE_BYTES)
  return secrets.some((secret) => timingSafeEqual(voucher(secret, siteId, head, uuid), vouched))
}

function voucher(secret: string, siteId: string, head: string, uuid: Uint8Array): Uint8Array {
  // The prefix keeps these messages apart from the access tokens that the same secret signs.
  const message = `link\0${siteId}\0${head}\0${numberOf(uuid) >> BigInt(8 * VOUCHER_BYTES)}`
  return createHmac('sha256', secret).update(message).digest().subarray(0, VOUCHER_BYTES)
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
