// A request's body: JSON, not too large, and every field by its rule.
import type { Context } from 'hono'
import type * as z from 'zod'
import { parseJson } from '../contract/json.ts'
import { ApiError, type Cause } from '../errors.ts'
import type { AppEnv, Service } from './service.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** 415 where the body does not say that it is JSON. */
export function requireJson(c: Context): void {
  const mediaType = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (mediaType === 'application/json') return
  const description = `Content-Type is ${mediaType || 'missing'}, must be application/json`
  throw new ApiError('http.media.type.not.supported', description, {
    headers: { 'Accept-Post': 'application/json' },
  })
}

/** The object that a body says: 413 where it is over 64 KiB, 400 where it is not a JSON object. */
export const readObject = async (
  c: Context<AppEnv>,
  service: Pick<Service, 'sleep'>,
): Promise<Record<string, unknown>> => objectOf(await readBytes(c, service, 64 * 1024))

/** The fields of a form: 413 where it is over 4 KiB; of a body that is none, whatever they are taken for. */
export const readForm = async (
  c: Context<AppEnv>,
  service: Pick<Service, 'sleep'>,
): Promise<URLSearchParams> =>
  new URLSearchParams(new TextDecoder().decode(await readBytes(c, service, 4 * 1024)))

/** Milliseconds within which a body must arrive. */
const BODY_TIMEOUT_MS = 10_000

/** The bytes of a body; no more than the limit is ever read, let alone parsed. */
async function readBytes(
  c: Context<AppEnv>,
  { sleep }: Pick<Service, 'sleep'>,
  maxSize: number,
): Promise<ArrayBuffer> {
  const length = c.req.header('Content-Length')
  const isStream = length === undefined || c.req.header('Transfer-Encoding') !== undefined
  if (!isStream && !(Number(length) <= maxSize)) throw tooLarge(maxSize)
  // Where the length is known, the runtime reads the whole body at a fraction of what its chunks cost.
  const reader = isStream ? c.req.raw.body?.getReader() : undefined
  const whole = reader ? collect(reader, maxSize) : c.req.raw.arrayBuffer()
  try {
    const bytes = await Promise.race([whole, sleep(BODY_TIMEOUT_MS)])
    if (bytes) return bytes
  } catch (error) {
    if (error instanceof ApiError) throw error
    // A client that is gone and a malformed chunk are the same to the runtime: the connection is lost.
    c.set('disconnected', true)
    throw new ApiError('http.message.conversion.failed', 'the body ended before it was complete')
  } finally {
    reader?.cancel().catch(() => {})
  }
  const description = `the body did not arrive within ${BODY_TIMEOUT_MS / 1000} seconds`
  throw new ApiError('http.message.conversion.failed', description)
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

const tooLarge = (maxSize: number) =>
  new ApiError('http.message.too.large', `the body is too large, must be at most ${maxSize} bytes`)

function objectOf(bytes: ArrayBuffer): Record<string, unknown> {
  let value: unknown
  try {
    value = parseJson(utf8.decode(bytes))
  } catch {
    throw new ApiError(
      'http.message.conversion.failed',
      'the body is no JSON, must be a JSON object in UTF-8',
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('http.message.conversion.failed', `the body is ${quote(value)}, must be a JSON object`)
  }
  return { ...value }
}

/** Faults that one answer names: a body of faults alone must not come back many times its size. */
const MAX_FAULTS = 100

/**
 * What the schema makes of a value.
 * @param also faults found elsewhere, which are reported together with the schema's
 * @throws ApiError validation.error, naming every field at fault
 */
export function validate<T extends z.ZodType>(schema: T, value: unknown, also: Cause = {}): z.output<T> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success && Object.keys(also).length === 0) return result.data
  const cause: Cause = { ...also }
  for (const { path, input, message } of result.error?.issues.slice(0, MAX_FAULTS) ?? []) {
    const field = path.join('.')
    const text = `is ${quote(input)}, must be ${message}`
    const texts = cause[field] ?? []
    if (!texts.includes(text)) cause[field] = [...texts, text]
  }
  const description = Object.entries(cause).flatMap(([field, texts]) =>
    texts.map((text) => `${field} ${text}`),
  )
  throw new ApiError('validation.error', description.join('; '), { fields: cause })
}

/** A value as an error shows it: short, and never more than its kind where it is a structure. */
export function quote(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (Number.isNaN(value)) return 'a number with more digits than can be kept exactly'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : String(value)
}
