// Reads authenticator data (WebAuthn Level 3, section 6.1).
import { readCbor } from './cbor.ts'

export interface AuthenticatorData {
  /** SHA-256 of the RP ID. */
  rpIdHash: Uint8Array
  isUserPresent: boolean
  isUserVerified: boolean
  counter: number
  /** Attested credential data (section 6.5.1): a registration has it. */
  credential: { id: Uint8Array; publicKey: Uint8Array<ArrayBuffer> } | undefined
}

const FLAGS = {
  present: 0x01,
  verified: 0x04,
  eligible: 0x08,
  backedUp: 0x10,
  attested: 0x40,
  extended: 0x80,
}
const FLAGS_AT = 32
const COUNTER_AT = 33
/** The fixed part; attested credential data and extensions follow. */
const FIXED_BYTES = 37
const AAGUID_BYTES = 16

/** @returns undefined for bytes that are not authenticator data, or have more behind it */
export function readAuthenticatorData(bytes: Uint8Array<ArrayBuffer>): AuthenticatorData | undefined {
  if (bytes.length < FIXED_BYTES) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const flags = view.getUint8(FLAGS_AT)
  const has = (flag: keyof typeof FLAGS) => (flags & FLAGS[flag]) !== 0
  // Section 6.1.3: what is not eligible for a backup has none.
  if (has('backedUp') && !has('eligible')) return undefined
  let end = FIXED_BYTES
  let credential: AuthenticatorData['credential']
  if (has('attested')) {
    const idAt = end + AAGUID_BYTES + 2
    if (bytes.length < idAt) return undefined
    const length = view.getUint16(idAt - 2)
    const key = readCbor(bytes, idAt + length)
    if (!key) return undefined
    credential = { id: bytes.slice(idAt, idAt + length), publicKey: bytes.slice(idAt + length, key.end) }
    end = key.end
  }
  if (has('extended')) {
    const extensions = readCbor(bytes, end)
    if (!(extensions?.value instanceof Map)) return undefined
    end = extensions.end
  }
  if (end !== bytes.length) return undefined
  return {
    rpIdHash: bytes.slice(0, FLAGS_AT),
    isUserPresent: has('present'),
    isUserVerified: has('verified'),
    counter: view.getUint32(COUNTER_AT),
    credential,
  }
}
