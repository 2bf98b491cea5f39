// Reads the body of a request that is a file, as a stream, of limited size and time.
import type { Context } from 'hono'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { codingRefusal, ended, late, MAX_DISCARDED, mediaTypeOf, tooLarge } from './body.ts'

/** A file that is read once, while it arrives. */
export class FileBody {
  /** As the request declares it, in lower case, without parameters. */
  readonly mediaType: string
  /** @throws ApiError what the body breaks: its size, its time, its end */
  readonly bytes: AsyncIterable<Uint8Array>

  constructor(mediaType: string, bytes: AsyncIterable<Uint8Array>) {
    this.mediaType = mediaType
    this.bytes = bytes
  }
}

/** How large a file can be, in bytes, and how long it may take. */
export interface FileLimits {
  maxSize: number
  seconds: number
}

/**
 * The body of a request as a file. After the work, `discard` reads what is left of it, so that a refusal reaches the client: the
 * runtime resets a connection of which more than 64 KiB are left unread.
 * @throws ApiError 415 where a content coding is applied to it, 413 where its stated length is above the limit
 */
export async function openFile(
  c: Context<AppEnv>,
  platform: Pick<Platform, 'within'>,
  limits: FileLimits,
): Promise<{ file: FileBody; discard(): Promise<void> }> {
  const { maxSize } = limits
  const length = statedLength(c) ?? 0
  const refusal = codingRefusal(c) ?? (length > maxSize ? tooLarge(maxSize) : undefined)
  if (refusal && length > maxSize + MAX_DISCARDED) throw refusal
  const body = new Body(c, platform, limits)
  if (refusal) {
    await body.discard()
    throw refusal
  }
  return { file: new FileBody(mediaTypeOf(c), body.bytes()), discard: () => body.discard() }
}

/** Undefined of a chunked body. */
function statedLength(c: Context): number | undefined {
  const length = c.req.header('Content-Length')
  return length === undefined || c.req.header('Transfer-Encoding') !== undefined ? undefined : Number(length)
}

class Body {
  readonly #c: Context<AppEnv>
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #limits: FileLimits
  readonly #finished = Promise.withResolvers<'finished'>()
  /** Undefined once the time is over. */
  readonly #inTime: Promise<'finished' | undefined>
  #size = 0
  #isOver = false

  constructor(c: Context<AppEnv>, { within }: Pick<Platform, 'within'>, limits: FileLimits) {
    this.#c = c
    this.#reader = c.req.raw.body?.getReader()
    this.#limits = limits
    this.#inTime = within(limits.seconds * 1000, this.#finished.promise)
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const { maxSize } = this.#limits
    const length = statedLength(this.#c)
    for (let bytes = await this.#next(); bytes; bytes = await this.#next()) {
      if (this.#size > maxSize) throw tooLarge(maxSize)
      yield bytes
    }
    // A file that is cut off can look whole.
    if (length !== undefined && this.#size < length) throw ended()
  }

  /** Reads what is left, unless it is much more than a file has, and ends the reading. */
  async discard(): Promise<void> {
    const most = this.#limits.maxSize + MAX_DISCARDED
    try {
      while (this.#size <= most && (await this.#next()));
    } catch {
      // The client has gone, or takes too long.
    }
    this.#finished.resolve('finished')
    this.#reader?.cancel().catch(() => {})
  }

  /** @throws ApiError where the time is over, or the connection has broken */
  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isOver || !this.#reader) return undefined
    try {
      const read = await Promise.race([this.#reader.read(), this.#inTime])
      if (typeof read === 'object' && !read.done) {
        this.#size += read.value.length
        return read.value
      }
      this.#isOver = true
      if (read === undefined) throw late(this.#limits.seconds)
      return undefined
    } catch (error) {
      if (this.#isOver) throw error
      this.#isOver = true
      this.#c.set('disconnected', true)
      throw ended()
    }
  }
}
