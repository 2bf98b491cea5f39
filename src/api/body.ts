// A request's body: JSON, not too large, and every field by its rule.
import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { createMiddleware } from 'hono/factory'
import type * as z from 'zod'
import { parseJson } from '../contract/json.ts'
import { ApiError, type Cause } from '../errors.ts'
import type { AppEnv } from './service.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Lets through only a body that says it is JSON: 415 otherwise. */
export const requireJson = createMiddleware<AppEnv>(async (c, next) => {
  const mediaType = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json') {
    const description = `Content-Type is ${mediaType || 'missing'}, must be application/json`
    throw new ApiError('http.media.type.not.supported', description, {
      headers: { 'Accept-Post': 'application/json' },
    })
  }
  await next()
})

/** Lets through only a body of at most so many bytes: 413 otherwise, before anything is parsed. */
const limit = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new ApiError('http.message.too.large', `the body is too large, must be at most ${maxSize} bytes`)
    },
  })

/** Lets through only a body of at most 64 KiB. */
export const limitBody = limit(64 * 1024)

/** Lets through only a form of at most 4 KiB: a sum and a purpose, every character of it escaped. */
export const limitForm = limit(4 * 1024)

/** The fields of a form; of a body that is none, whatever they are taken for. */
export const readForm = async (c: Context): Promise<URLSearchParams> =>
  new URLSearchParams(new TextDecoder().decode(await c.req.arrayBuffer()))

/** The object that a body's bytes say; http.message.conversion.failed where they say none. */
export function readObject(bytes: ArrayBuffer): Record<string, unknown> {
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

/**
 * What the schema makes of a value.
 * @param also faults found elsewhere, which are reported together with the schema's
 * @throws ApiError validation.error, naming every field at fault
 */
export function validate<T extends z.ZodType>(schema: T, value: unknown, also: Cause = {}): z.output<T> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success && Object.keys(also).length === 0) return result.data
  const cause: Cause = { ...also }
  for (const { path, input, message } of result.error?.issues ?? []) {
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
function quote(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (Number.isNaN(value)) return 'a number with more digits than can be kept exactly'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : String(value)
}
