// Files as banks send them: their bytes, and what a parser makes of them.
import {
  type Bytes,
  type Entry,
  type Parse,
  type Summary,
  TooLarge,
  Unreadable,
} from '../../../src/settlement/formats/entry.ts'

/** What a file has, or why it is not read. */
export type Outcome =
  | { entries: Entry[]; summary: Summary }
  | { faults: Record<string, string[]> }
  | { tooLarge: string }

/** A character that is one byte of the file, whatever its encoding: `raw(0)` is a NUL. */
export const raw = (...bytes: number[]): string => String.fromCharCode(...bytes.map((byte) => RAW + byte))
const RAW = 0xe000

const codes = (encoding: string): Map<string, number> =>
  new Map(
    Array.from({ length: 256 }, (_, byte) => [new TextDecoder(encoding).decode(Uint8Array.of(byte)), byte]),
  )
const CODES = { 'windows-1251': codes('windows-1251'), ibm866: codes('ibm866') }
export type Encoding = keyof typeof CODES | 'utf-8'

/** The bytes of a text; throws where the encoding lacks a character. */
export function encode(text: string, encoding: Encoding): Uint8Array {
  const bytes = new Uint8Array(3 * text.length)
  let size = 0
  const put = (byte: number) => {
    bytes[size++] = byte
  }
  for (const character of text) {
    const code = character.charCodeAt(0)
    if (code < 0x80) put(code)
    else if (code >= RAW && code < RAW + 256) put(code - RAW)
    else if (encoding === 'utf-8') new TextEncoder().encode(character).forEach(put)
    else {
      const byte = CODES[encoding].get(character)
      if (byte === undefined) throw new Error(`${encoding} has no ${character}`)
      put(byte)
    }
  }
  return bytes.slice(0, size)
}

/** A stream of the bytes. @param sizes of its pieces, over and over; by default one piece */
export async function* streamOf(bytes: Uint8Array, sizes: readonly number[] = [bytes.length || 1]): Bytes {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

/** All that a parser makes of a stream. Any other error than a refusal is thrown. */
export async function outcomeOf(parse: Parse, bytes: Bytes): Promise<Outcome> {
  const entries: Entry[] = []
  try {
    const batches = parse(bytes)
    let next = await batches.next()
    for (; !next.done; next = await batches.next()) entries.push(...next.value)
    return { entries, summary: next.value }
  } catch (error) {
    if (error instanceof Unreadable) return { faults: error.faults }
    if (error instanceof TooLarge) return { tooLarge: error.message }
    throw error
  }
}
