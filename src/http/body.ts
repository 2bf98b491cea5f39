// Reads the body of a request, of limited size and time.
import type { Context } from 'hono'
import { ApiError } from '../errors.ts'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { parseJson } from './json.ts'
import { repeatedKey } from './repeated-keys.ts'
import { invalid, quote } from './validate.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** @throws ApiError 415 unless the body is declared as one of the media types */
export function requireMediaType(c: Context, mediaTypes: readonly string[]): void {
  const mediaType = mediaTypeOf(c)
  if (mediaTypes.includes(mediaType)) return
  const description = `Content-Type is ${mediaType || 'missing'}, must be ${mediaTypes.join(' or ')}`
  const name = c.req.method === 'PATCH' ? 'Accept-Patch' : 'Accept-Post'
  throw new ApiError('http.media.type.not.supported', description, {
    headers: { [name]: mediaTypes.join(', ') },
  })
}

/** The media type of a body in lower case, without its parameters; empty if it is not declared. */
export const mediaTypeOf = (c: Context): string =>
  c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase() ?? ''

/**
 * The JSON object of a body. @throws ApiError as readBytes over 64 KiB, 400 where it is not a JSON object or has a key twice
 * @param keepsNull whether a member that is null stays, else it is absent
 */
export const readObject = async (
  c: Context<AppEnv>,
  platform: Pick<Platform, 'within'>,
  keepsNull: boolean,
): Promise<Record<string, unknown>> => objectOf(await readBytes(c, platform, 64 * 1024), keepsNull)

/** The fields of a form; a body that is not a form has none of its fields. @throws ApiError 413 over `maxSize` */
export const readForm = async (
  c: Context<AppEnv>,
  platform: Pick<Platform, 'within'>,
  maxSize = 4 * 1024,
): Promise<URLSearchParams> =>
  new URLSearchParams(new TextDecoder().decode(await readBytes(c, platform, maxSize)))

/** A body must arrive within these milliseconds. */
const BODY_TIMEOUT_MS = 10_000

/** What the nginx of `deploy/` passes on: so much is read of a body that is refused, in bytes. */
export const MAX_DISCARDED = 2 * 1024 * 1024

/** The bytes of a body. @throws ApiError 415 where a content coding is applied to it, 413 over `maxSize` */
export async function readBytes(
  c: Context<AppEnv>,
  { within }: Pick<Platform, 'within'>,
  maxSize: number,
): Promise<ArrayBuffer> {
  const length = c.req.header('Content-Length')
  const isStream = length === undefined || c.req.header('Transfer-Encoding') !== undefined
  const isTooLarge = !isStream && !(Number(length) <= maxSize)
  const refusal = codingRefusal(c) ?? (isTooLarge ? tooLarge(maxSize) : undefined)
  if (refusal) {
    // The runtime resets a connection of which more than 64 KiB are left unread, and a proxy then gets no answer.
    if (!isStream && Number(length) <= MAX_DISCARDED)
      await within(BODY_TIMEOUT_MS, c.req.raw.arrayBuffer()).catch(() => {})
    throw refusal
  }
  // Where the length is known, the runtime reads the whole body at a fraction of the cost of its chunks.
  const reader = isStream ? c.req.raw.body?.getReader() : undefined
  const whole = reader ? collect(reader, maxSize) : c.req.raw.arrayBuffer()
  try {
    const bytes = await within(BODY_TIMEOUT_MS, whole)
    if (bytes) return bytes
  } catch (error) {
    if (error instanceof ApiError) throw error
    // The runtime reports a disconnected client and a malformed chunk alike: the connection is lost.
    c.set('disconnected', true)
    throw ended()
  } finally {
    reader?.cancel().catch(() => {})
  }
  throw late(BODY_TIMEOUT_MS / 1000)
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxSize: number,
): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(maxSize)
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes.buffer.slice(0, size)
    if (size + value.length > maxSize) throw tooLarge(maxSize)
    bytes.set(value, size)
    size += value.length
  }
}

/** The refusal of a body whose content is compressed, or coded otherwise (RFC 9110, sections 8.4 and 12.5.3). */
export function codingRefusal(c: Context): ApiError | undefined {
  const codings = c.req.header('Content-Encoding') ?? ''
  if (codings.split(',').every((coding) => /^(?:identity)?$/i.test(coding.trim()))) return undefined
  const description = `Content-Encoding is ${quote(codings)}, must be identity`
  const headers = { 'Accept-Encoding': 'identity' }
  return new ApiError('http.media.type.not.supported', description, { headers })
}

export const tooLarge = (maxSize: number) =>
  new ApiError('http.message.too.large', `the body is too large, must be at most ${maxSize} bytes`)

/** The refusal of a body whose connection has broken, and of one that takes too long. */
export const ended = () => notJson('the body ended before it was complete')
export const late = (seconds: number) => notJson(`the body did not arrive within ${seconds} seconds`)

const notJson = (description: string) => new ApiError('http.message.conversion.failed', description)

function objectOf(bytes: ArrayBuffer, keepsNull: boolean): Record<string, unknown> {
  if (bytes.byteLength === 0) throw notJson('the body is empty, must be a JSON object')
  const text = decode(bytes)
  const value = parse(text, keepsNull)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    // parseJson can drop null, so it is the only body that is undefined.
    throw notJson(`the body is ${quote(value ?? null)}, must be a JSON object`)
  }
  // In a request about money the last value of a key must not win silently.
  const repeated = repeatedKey(text)
  if (repeated !== undefined) throw invalid({ [repeated]: ['is given more than once, must be given once'] })
  return { ...value }
}

function decode(bytes: ArrayBuffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notJson('the body is not valid UTF-8, must be a JSON object in UTF-8')
  }
}

function parse(text: string, keepsNull: boolean): unknown {
  try {
    return parseJson(text, keepsNull)
  } catch (error) {
    throw notJson(`the body is not valid JSON${messageOf(error)}, must be a JSON object`)
  }
}

/** What the parser says, mostly with line and column, but not the text that it shows: a body can have a token. */
function messageOf(error: unknown): string {
  // Only a SyntaxError is about the text; nested too deep, it is a RangeError.
  const message = error instanceof SyntaxError ? error.message : ''
  const [shown] = /^Unexpected token '.+?'(?=, )|^[^"]+$/su.exec(message) ?? []
  return shown === undefined ? '' : `: ${shown}`
}
