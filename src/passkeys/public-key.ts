// Public keys of passkeys as authenticators give them (COSE_Key, RFC 9053), and the signatures that they check.
import { toBase64Url } from './base64url.ts'
import { type Cbor, type CborMap, readCbor } from './cbor.ts'

/** COSE algorithms, in the order in which they are asked for: ES256, RS256, EdDSA with Ed25519 (WebAuthn Level 3, section 5.8.5). */
export const ALGORITHMS = [-7, -257, -8] as const
type Algorithm = (typeof ALGORITHMS)[number]

export interface PublicKey {
  algorithm: Algorithm
  /** Whether the signature is this key's, for the data. Never throws for bad bytes. */
  verify(signature: Uint8Array<ArrayBuffer>, data: Uint8Array<ArrayBuffer>): Promise<boolean>
}

/** RFC 9052, section 7; RFC 9053, section 7; RFC 8230, section 4. */
const KTY = 1
const ALG = 3
const CRV_OR_N = -1
const X_OR_E = -2
const Y = -3

/** Bytes of a modulus: 2048 to 4096 bits. */
const MODULUS = { min: 256, max: 512 }
/** 65537, the exponent that authenticators use. */
const EXPONENT = 'AQAB'

/** The key of a COSE_Key; undefined for one of another algorithm, or one that is malformed. */
export async function readPublicKey(cose: Uint8Array<ArrayBuffer>): Promise<PublicKey | undefined> {
  const read = readCbor(cose, 0)
  if (!(read?.value instanceof Map) || read.end !== cose.length) return undefined
  const found = webCryptoKey(read.value)
  if (!found) return undefined
  const { algorithm, jwk, parameters, toRaw } = found
  // An import fails for a point that is not on the curve.
  const key = await crypto.subtle.importKey('jwk', jwk, parameters, false, ['verify']).catch(() => undefined)
  return (
    key && {
      algorithm,
      async verify(signature, data) {
        const raw = toRaw(signature)
        return (
          raw !== undefined && (await crypto.subtle.verify(parameters, key, raw, data).catch(() => false))
        )
      },
    }
  )
}

interface WebCryptoKey {
  algorithm: Algorithm
  jwk: JsonWebKey
  parameters: { name: string; namedCurve?: string; hash?: string }
  /** The signature as WebCrypto takes it. */
  toRaw(signature: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined
}

function webCryptoKey(key: CborMap): WebCryptoKey | undefined {
  const [kty, algorithm] = [key.get(KTY), key.get(ALG)]
  const asIs = (signature: Uint8Array<ArrayBuffer>) => signature
  if (kty === 2 && algorithm === -7 && key.get(CRV_OR_N) === 1) {
    const [x, y] = [coordinate(key.get(X_OR_E)), coordinate(key.get(Y))]
    if (!x || !y) return undefined
    const parameters = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
    return { algorithm, jwk: { kty: 'EC', crv: 'P-256', x, y }, parameters, toRaw: fromDer }
  }
  if (kty === 3 && algorithm === -257) {
    const [n, e] = [key.get(CRV_OR_N), key.get(X_OR_E)]
    if (!(n instanceof Uint8Array) || n.length < MODULUS.min || n.length > MODULUS.max) return undefined
    if (!(e instanceof Uint8Array) || toBase64Url(e) !== EXPONENT) return undefined
    const parameters = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    return { algorithm, jwk: { kty: 'RSA', n: toBase64Url(n), e: EXPONENT }, parameters, toRaw: asIs }
  }
  if (kty === 1 && algorithm === -8 && key.get(CRV_OR_N) === 6) {
    const x = coordinate(key.get(X_OR_E))
    if (!x) return undefined
    return { algorithm, jwk: { kty: 'OKP', crv: 'Ed25519', x }, parameters: { name: 'Ed25519' }, toRaw: asIs }
  }
  return undefined
}

const SCALAR_BYTES = 32

const coordinate = (value: Cbor | undefined): string | undefined =>
  value instanceof Uint8Array && value.length === SCALAR_BYTES ? toBase64Url(value) : undefined

/** The two numbers of an ECDSA signature as 64 bytes, from the DER of RFC 3279, section 2.2.3 (WebAuthn Level 3, section 6.5.5). */
function fromDer(der: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  const raw = new Uint8Array(2 * SCALAR_BYTES)
  // Lengths below 128 have one byte.
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined
  let at = 2
  for (const end of [SCALAR_BYTES, 2 * SCALAR_BYTES]) {
    const length = der[at + 1] ?? 0
    const number = der.slice(at + 2, at + 2 + length)
    if (der[at] !== 0x02 || number.length !== length || !isPositive(number)) return undefined
    const digits = number[0] === 0 ? number.slice(1) : number
    if (digits.length > SCALAR_BYTES) return undefined
    raw.set(digits, end - digits.length)
    at += 2 + length
  }
  return at === der.length ? raw : undefined
}

/** Whether it is a positive number in DER: without a zero byte that the sign does not need. */
const isPositive = ([first = 0, second = 0]: Uint8Array): boolean =>
  first < 0x80 && (first !== 0 || second >= 0x80)
