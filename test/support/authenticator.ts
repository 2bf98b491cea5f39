// An authenticator and its browser in software, on WebCrypto: in workerd and in Node. Each part of an answer can be spoiled.

/** What a page asks for; other fields of the options change nothing here. */
interface Creation {
  rp: { id: string }
  user: { id: string }
  challenge: string
}
interface Request {
  rpId: string
  challenge: string
}

type Bytes = Uint8Array<ArrayBuffer>

/** What differs from an honest answer. */
export interface Spoiled {
  /** Fields of the client data; undefined leaves one out. */
  client?: Record<string, unknown>
  /** In place of the text of the client data. */
  clientText?: string
  rpId?: string
  /** The byte of the flags. */
  flags?: number
  counter?: number
  /** Changes the authenticator data behind the signature. */
  data?: (bytes: Bytes) => Bytes
  signature?: (bytes: Bytes) => Bytes
  /** Fields of the response beside those that an authenticator gives, or in their place. */
  response?: Record<string, unknown>
  /** Fields of the credential. */
  credential?: Record<string, unknown>
  /** In place of the public key of a registration. */
  publicKey?: Bytes
  /** Whether a registration has `packed` attestation by its own key. */
  isSelfAttested?: boolean
  /** The fields of that attestation's statement. */
  statement?: Record<string, CborValue>
  /** The fields of the attestation object, such as `fmt`. */
  attestation?: Record<string, CborValue>
  /** Bytes behind the attestation object. */
  trailing?: Bytes
}

export type AlgorithmName = 'ES256' | 'RS256' | 'EdDSA'

export interface Authenticator {
  /** The id of its passkey, in base64url. */
  id: string
  /** COSE_Key, in base64url. */
  publicKey: string
  /** Answers `navigator.credentials.create` on a page of the origin: the JSON of the credential. */
  create(options: Creation, origin: string, spoiled?: Spoiled): Promise<string>
  /** Answers `navigator.credentials.get`. */
  get(options: Request, origin: string, spoiled?: Spoiled): Promise<string>
}

export const FLAGS = {
  present: 0x01,
  verified: 0x04,
  eligible: 0x08,
  backedUp: 0x10,
  attested: 0x40,
  extended: 0x80,
}
const HONEST = FLAGS.present | FLAGS.verified

/** @param counts whether it counts its uses, beginning with 1; others say 0 */
export async function softAuthenticator({
  algorithm = 'ES256',
  counts = false,
}: {
  algorithm?: AlgorithmName
  counts?: boolean
} = {}): Promise<Authenticator> {
  const { alg, cose, sign } = await keyPair(algorithm)
  const id = crypto.getRandomValues(new Uint8Array(16))
  let uses = 0
  let handle: string | undefined

  const clientData = (type: string, challenge: string, origin: string, { client, clientText }: Spoiled) =>
    utf8(clientText ?? JSON.stringify({ type, challenge, origin, crossOrigin: false, ...client }))
  const authenticatorData = async (rpId: string, flags: number, rest: Bytes, spoiled: Spoiled) => {
    if (counts) uses++
    const head = new Uint8Array(37)
    head.set(await sha256(utf8(spoiled.rpId ?? rpId)))
    const view = new DataView(head.buffer)
    view.setUint8(32, spoiled.flags ?? flags)
    view.setUint32(33, spoiled.counter ?? uses)
    return joined(head, rest)
  }
  const credential = (response: object, { credential: fields, response: more }: Spoiled) =>
    JSON.stringify({
      id: base64url(id),
      rawId: base64url(id),
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response: { ...response, ...more },
      ...fields,
    })

  const attestationOf = async (authData: Bytes, client: Bytes, spoiled: Spoiled) => {
    if (!spoiled.isSelfAttested) return { fmt: 'none', attStmt: new Map() }
    const signature = await sign(joined(authData, await sha256(client)))
    const statement = { alg, sig: spoiled.signature?.(signature) ?? signature, ...spoiled.statement }
    return { fmt: 'packed', attStmt: new Map(Object.entries(statement)) }
  }

  return {
    id: base64url(id),
    publicKey: base64url(cose),
    async create({ rp, user, challenge }, origin, spoiled = {}) {
      handle = user.id
      const attested = joined(new Uint8Array(16), Uint8Array.of(0, id.length), id, spoiled.publicKey ?? cose)
      const authData = await authenticatorData(rp.id, HONEST | FLAGS.attested, attested, spoiled)
      const client = clientData('webauthn.create', challenge, origin, spoiled)
      const attestation = {
        ...(await attestationOf(authData, client, spoiled)),
        authData: spoiled.data?.(authData) ?? authData,
        ...spoiled.attestation,
      }
      const object = joined(cbor(new Map(Object.entries(attestation))), spoiled.trailing ?? new Uint8Array(0))
      return credential(
        {
          clientDataJSON: base64url(client),
          attestationObject: base64url(object),
          transports: ['internal'],
        },
        spoiled,
      )
    },
    async get({ rpId, challenge }, origin, spoiled = {}) {
      const data = await authenticatorData(rpId, HONEST, new Uint8Array(0), spoiled)
      const client = clientData('webauthn.get', challenge, origin, spoiled)
      const signature = await sign(joined(data, await sha256(client)))
      return credential(
        {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(spoiled.data?.(data) ?? data),
          signature: base64url(spoiled.signature?.(signature) ?? signature),
          userHandle: handle,
        },
        spoiled,
      )
    },
  }
}

async function keyPair(
  algorithm: AlgorithmName,
): Promise<{ alg: number; cose: Bytes; sign(data: Bytes): Promise<Bytes> }> {
  const { alg, generate, use, coseOf } = ALGORITHMS[algorithm]
  const pair = await crypto.subtle.generateKey(generate, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error(`${algorithm} has no pair of keys`)
  const jwk = await crypto.subtle.exportKey('jwk', pair.publicKey)
  if (jwk instanceof ArrayBuffer) throw new Error('the key is not a JWK')
  return {
    alg,
    cose: cbor(coseOf(jwk)),
    async sign(data) {
      const signature = new Uint8Array(await crypto.subtle.sign(use, pair.privateKey, data))
      return algorithm === 'ES256' ? toDer(signature) : signature
    },
  }
}

const ALGORITHMS = {
  ES256: {
    alg: -7,
    generate: { name: 'ECDSA', namedCurve: 'P-256' },
    use: { name: 'ECDSA', hash: 'SHA-256' },
    coseOf: ({ x, y }) => coseKey({ 1: 2, 3: -7, [-1]: 1, [-2]: bytesOf(x), [-3]: bytesOf(y) }),
  },
  RS256: {
    alg: -257,
    generate: {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: 'SHA-256',
    },
    use: { name: 'RSASSA-PKCS1-v1_5' },
    coseOf: ({ n, e }) => coseKey({ 1: 3, 3: -257, [-1]: bytesOf(n), [-2]: bytesOf(e) }),
  },
  EdDSA: {
    alg: -8,
    generate: { name: 'Ed25519' },
    use: { name: 'Ed25519' },
    coseOf: ({ x }) => coseKey({ 1: 1, 3: -8, [-1]: 6, [-2]: bytesOf(x) }),
  },
} satisfies Record<
  AlgorithmName,
  {
    alg: number
    generate: object
    use: object
    coseOf: (jwk: { x?: string; y?: string; n?: string; e?: string }) => CborMap
  }
>

/** A COSE_Key as a map, by its labels. */
export const coseKey = (fields: Record<string, CborValue>): CborMap =>
  new Map(Object.entries(fields).map(([label, value]) => [Number(label), value]))

export type CborValue = number | string | boolean | null | Uint8Array | CborValue[] | CborMap
type CborMap = Map<number | string, CborValue>

/** Writes CBOR (RFC 8949) with the shortest lengths. */
export function cbor(value: CborValue): Bytes {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'boolean') return Uint8Array.of(value ? 0xf5 : 0xf4)
  if (value === null) return Uint8Array.of(0xf6)
  if (typeof value === 'string') return joined(head(3, utf8(value).length), utf8(value))
  if (value instanceof Uint8Array) return joined(head(2, value.length), value)
  if (Array.isArray(value)) return joined(head(4, value.length), ...value.map(cbor))
  return joined(head(5, value.size), ...[...value].flatMap(([key, each]) => [cbor(key), cbor(each)]))
}

function head(type: number, argument: number): Bytes {
  const major = type << 5
  if (argument < 24) return Uint8Array.of(major | argument)
  if (argument < 0x100) return Uint8Array.of(major | 24, argument)
  return Uint8Array.of(major | 25, argument >> 8, argument & 0xff)
}

/** An ECDSA signature of two numbers of 32 bytes as DER. */
function toDer(raw: Uint8Array): Bytes {
  const integer = (bytes: Uint8Array) => {
    const first = bytes.findIndex((byte) => byte !== 0)
    const digits = bytes.slice(first)
    const value = (digits[0] ?? 0) < 0x80 ? digits : joined(Uint8Array.of(0), digits)
    return joined(Uint8Array.of(2, value.length), value)
  }
  const numbers = joined(integer(raw.slice(0, 32)), integer(raw.slice(32)))
  return joined(Uint8Array.of(0x30, numbers.length), numbers)
}

export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
export const bytesOf = (text = ''): Bytes => Uint8Array.from(Buffer.from(text, 'base64url'))
const utf8 = (text: string): Bytes => Uint8Array.from(Buffer.from(text))
const sha256 = async (bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

export function joined(...parts: Uint8Array[]): Bytes {
  return Uint8Array.from(Buffer.concat(parts))
}
