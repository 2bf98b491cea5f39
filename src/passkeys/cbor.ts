// Reads CBOR (RFC 8949) as authenticators write it (CTAP 2.2, section 8): definite lengths, no tags, no floating point.

export type Cbor = number | string | boolean | null | Uint8Array<ArrayBuffer> | Cbor[] | CborMap
/** Keys are numbers and texts, each once. */
export type CborMap = Map<number | string, Cbor>

/** CTAP allows four levels. */
const MAX_DEPTH = 4

/**
 * Reads the value that begins at an offset.
 * @returns the value and the offset behind it; undefined for anything else than such CBOR
 */
export function readCbor(
  bytes: Uint8Array<ArrayBuffer>,
  offset: number,
): { value: Cbor; end: number } | undefined {
  const reader = new Reader(bytes, offset)
  try {
    const value = reader.read(0)
    return { value, end: reader.at }
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

class Malformed extends Error {}

class Reader {
  private readonly bytes: Uint8Array<ArrayBuffer>
  at: number

  constructor(bytes: Uint8Array<ArrayBuffer>, at: number) {
    this.bytes = bytes
    this.at = at
  }

  read(depth: number): Cbor {
    const [initial = 0] = this.take(1)
    const [type, info] = [initial >> 5, initial & 31]
    if (type === 7) return simple(info)
    const argument = this.argument(info)
    switch (type) {
      case 0:
        return argument
      case 1:
        return -1 - argument
      case 2:
        return this.take(argument)
      case 3:
        return text(this.take(argument))
      case 4:
      case 5:
        if (depth === MAX_DEPTH) throw new Malformed()
        return type === 4 ? this.array(argument, depth + 1) : this.map(argument, depth + 1)
      default:
        throw new Malformed()
    }
  }

  /** A count of a map or an array can be larger than the bytes that are left: reading ends with them. */
  private array(count: number, depth: number): Cbor[] {
    const items: Cbor[] = []
    for (let i = 0; i < count; i++) items.push(this.read(depth))
    return items
  }

  private map(count: number, depth: number): CborMap {
    const map: CborMap = new Map()
    for (let i = 0; i < count; i++) {
      const key = this.read(depth)
      if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key)) throw new Malformed()
      map.set(key, this.read(depth))
    }
    return map
  }

  /** A number of at most 32 bits: nothing here is longer. */
  private argument(info: number): number {
    if (info < 24) return info
    if (info > 26) throw new Malformed()
    return this.take(2 ** (info - 24)).reduce((number, byte) => number * 256 + byte, 0)
  }

  private take(length: number): Uint8Array<ArrayBuffer> {
    const end = this.at + length
    if (end > this.bytes.length) throw new Malformed()
    const taken = this.bytes.slice(this.at, end)
    this.at = end
    return taken
  }
}

function simple(info: number): Cbor {
  if (info === 20 || info === 21) return info === 21
  if (info === 22) return null
  throw new Malformed()
}

function text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Malformed()
  }
}
