// Unpacks a zip that has exactly one file (PKWARE APPNOTE 6.3), as a stream. Its sizes and its checksum are checked.
import { crc32 } from 'node:zlib'
import { type Bytes, TooLarge, Unreadable } from './entry.ts'
import { Faults } from './faults.ts'
import { piecesOf } from './lines.ts'
import { peek } from './peek.ts'
import { type Central, endOf, type Local, localIn, MAX_LOCAL, MAX_TAIL } from './zip-records.ts'

/** A piece of compressed bytes becomes at most a thousand times as long. */
const MAX_PIECE = 2048

/**
 * The bytes of the one file in a zip, as many of them as the reader takes.
 * @throws Unreadable where it is no zip, has another number of files, is encrypted, has changed or is cut off; TooLarge
 */
export async function* unzipped(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const faults = new Faults()
  const { head, all } = await peek(piecesOf(bytes), MAX_LOCAL)
  if (head.length === 0) return
  const archive = new Archive(all, localIn(head, faults), faults)
  let size = 0
  let sum = 0
  try {
    const content = archive.local.isDeflated ? inflated(archive.data()) : archive.data()
    for await (const piece of content) {
      size += piece.length
      sum = crc32(piece, sum)
      yield piece
    }
  } catch (error) {
    if (error instanceof Unreadable || error instanceof TooLarge) throw error
    // It can be a second file that cannot be unpacked: the end of the zip says how many there are.
    await archive.end()
    faults.stop('file', 'is a zip that is damaged')
  } finally {
    // Also where the reader has enough.
    await archive.close()
  }
  const { crc, unpackedSize } = await archive.end()
  if (size !== unpackedSize || sum !== crc) faults.stop('file', 'is a zip that is damaged')
}

/** The stream of a zip: the compressed bytes of its first file, and the records behind them. */
class Archive {
  readonly local: Local
  readonly #source: AsyncIterator<Uint8Array>
  readonly #faults: Faults
  /** The last bytes so far: they can be records. */
  #tail = new Uint8Array(0)
  /** Bytes that are neither in the tail nor before it any more. */
  #passed = 0

  constructor(source: Bytes, local: Local, faults: Faults) {
    this.#source = source[Symbol.asyncIterator]()
    this.local = local
    this.#faults = faults
  }

  /** The compressed bytes. Where the size is stated only behind them, it is known at the end. */
  async *data(): AsyncGenerator<Uint8Array> {
    const { begin, size } = this.local
    let done = begin
    const upTo = (bytes: Uint8Array, at: number, end: number) => {
      const part = bytes.subarray(Math.max(done - at, 0), Math.max(end - at, 0))
      done += part.length
      return part
    }
    for (let piece = await this.#next(); piece; piece = await this.#next())
      yield upTo(piece, this.#passed - piece.length, begin + (size ?? Number.POSITIVE_INFINITY))
    const { packedSize } = endOf(this.#tail, this.#faults)
    if (size !== undefined && size !== packedSize) this.#faults.stop('file', 'is a zip that is damaged')
    const rest = upTo(this.#tail, this.#passed, begin + packedSize)
    if (done !== begin + packedSize) this.#faults.stop('file', 'is a zip that is damaged')
    yield rest
  }

  /** The record of the file, after what is left of the stream. */
  async end(): Promise<Central> {
    while (await this.#next());
    return endOf(this.#tail, this.#faults)
  }

  /** Ends the stream, if it has not come to its end. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  /** The bytes that are certainly before the last ones; undefined after the last of them. */
  async #next(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#source.next()
    if (done) return undefined
    const bytes = new Uint8Array(this.#tail.length + value.length)
    bytes.set(this.#tail)
    bytes.set(value, this.#tail.length)
    const split = Math.max(bytes.length - MAX_TAIL, 0)
    this.#tail = bytes.slice(split)
    this.#passed += split
    return bytes.subarray(0, split)
  }
}

async function* inflated(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream('deflate-raw')
  const writer = writable.getWriter()
  const reader = readable.getReader()
  let failure: unknown
  const written = (async () => {
    try {
      for await (const piece of source)
        for (let at = 0; at < piece.length; at += MAX_PIECE)
          await writer.write(piece.slice(at, at + MAX_PIECE))
      await writer.close()
    } catch (error) {
      failure = error
      await writer.abort(error).catch(() => {})
    }
  })()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } catch (error) {
    await written
    throw failure ?? error
  } finally {
    await reader.cancel().catch(() => {})
  }
  await written
  if (failure !== undefined) throw failure
}
