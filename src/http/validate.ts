// Validation: every broken field at once, each with its value and its rule (contract, section 6).
import type * as z from 'zod/mini'
import { strictObject } from '../contract/object.ts'
import { ApiError, type FieldErrors } from '../errors.ts'
import { nearestOf } from './nearest.ts'

/** How many broken rules one answer names: the answer to an invalid request must not be many times its size. */
const MAX_ERRORS = 100

/**
 * Parses a value by a schema, whose messages say what the field must be.
 * @throws ApiError validation.error, whose cause names every broken field by its path with points, such as `qrCode.ttl`
 */
export function validate<T extends z.ZodMiniType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  throw refusal(result.error.issues)
}

/** The query of an operation without parameters: any parameter is refused, so that a misspelt one is not ignored. */
export const NO_QUERY = strictObject({})

/** The schemas of a request, of the parts that its operation declares; the others are not parsed. */
interface RequestSchemas {
  path: z.ZodMiniObject | undefined
  query: z.ZodMiniObject | undefined
  headers: z.ZodMiniObject | undefined
  body: z.ZodMiniType | undefined
}

/**
 * Parses the parts of a request. An item of a list in the query has the name of its parameter.
 * @param also issues found elsewhere; they are reported together with those of the schemas
 * @throws ApiError as validate, for all parts at once
 */
export function validateRequest(
  schemas: RequestSchemas,
  values: Record<keyof RequestSchemas, unknown>,
  also: FieldErrors,
) {
  const issues: z.core.$ZodIssue[] = []
  const parse = <T extends z.ZodMiniType>(part: keyof RequestSchemas, schema: T | undefined) => {
    const result = schema?.safeParse(values[part], { reportInput: true })
    if (result?.success !== false) return result?.data
    for (const issue of result.error.issues) {
      issues.push(part === 'body' ? issue : { ...issue, path: issue.path.slice(0, 1) })
    }
    return undefined
  }
  const input = {
    path: parse('path', schemas.path) ?? {},
    query: parse('query', schemas.query) ?? {},
    headers: parse('headers', schemas.headers) ?? {},
    body: parse('body', schemas.body),
  }
  if (issues.length > 0 || Object.keys(also).length > 0) throw refusal(issues, also)
  return input
}

function refusal(issues: readonly z.core.$ZodIssue[], also: FieldErrors = {}): ApiError {
  // A map, because the name of an unknown field can be `__proto__`.
  const fields = new Map(Object.entries(also))
  let count = Object.values(also).reduce((sum, texts) => sum + texts.length, 0)
  // After the last rule that is named, nothing is computed: to find a name near to an unknown one costs much.
  const add = (path: readonly PropertyKey[], describe: () => string) => {
    if (count > MAX_ERRORS) return
    const [field, text] = [path.join('.'), describe()]
    const texts = fields.get(field) ?? []
    if (texts.includes(text)) return
    fields.set(field, [...texts, text])
    count++
  }
  for (const issue of issues) {
    const { path, input, message } = issue
    if (issue.code !== 'unrecognized_keys') add(path, () => `is ${quoteAt(path, input)}, must be ${message}`)
    else for (const key of issue.keys) add([...path, key], () => unknownField(key, message.split(', ')))
  }
  return invalid(Object.fromEntries(fields))
}

/** A value as an error shows it, unless it is the payer's contact: that is personal data. */
const quoteAt = (path: readonly PropertyKey[], value: unknown): string =>
  path.includes('contact') && value !== undefined ? 'not shown here' : quote(value)

/** @param known the fields that the object can have; see strictObject */
function unknownField(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known)
  return nearest ? `is unknown, did you mean ${nearest}` : 'is unknown'
}

/** The refusal of invalid fields. It names the first rules, and says so where there are more. */
export function invalid(errors: FieldErrors): ApiError {
  const all = Object.entries(errors).flatMap(([field, texts]) => texts.map((text) => ({ field, text })))
  const named = all.slice(0, MAX_ERRORS)
  const fields = new Map<string, string[]>()
  for (const { field, text } of named) fields.set(field, [...(fields.get(field) ?? []), text])
  const sentences = named.map(({ field, text }) => `${field} ${text}`)
  if (all.length > named.length) sentences.push(`there are more, only ${MAX_ERRORS} are named`)
  return new ApiError('validation.error', sentences.join('; '), { fields: Object.fromEntries(fields) })
}

/** A value as an error shows it: short, and never the content of an object or an array. */
export function quote(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (Number.isNaN(value)) return 'a number with more digits than can be kept exactly'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
