// Validation: every broken field at once, each with its value and its rule (contract, section 6).
import type * as z from 'zod/mini'
import { ApiError, type Cause } from '../errors.ts'
import { nearestOf } from './nearest.ts'

/** Issues that one answer names: an invalid body must not come back many times its size. */
const MAX_ISSUES = 100

export interface ValidateOptions {
  /** Issues found elsewhere; they are reported together with the schema's. */
  also?: Cause
  /** The field's name in the answer; by default its path with points, such as `qrCode.ttl`. */
  fieldOf?(path: readonly PropertyKey[]): string
}

/**
 * Parses a value by a schema, whose messages say what the field must be.
 * @throws ApiError validation.error, whose cause names every broken field
 */
export function validate<T extends z.ZodMiniType>(
  schema: T,
  value: unknown,
  { also = {}, fieldOf = (path) => path.join('.') }: ValidateOptions = {},
): z.output<T> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success && Object.keys(also).length === 0) return result.data
  // A map, because the name of an unknown field can be `__proto__`.
  const cause = new Map(Object.entries(also))
  const add = (path: readonly PropertyKey[], text: string) => {
    const field = fieldOf(path)
    const texts = cause.get(field) ?? []
    if (!texts.includes(text)) cause.set(field, [...texts, text])
  }
  for (const issue of result.error?.issues.slice(0, MAX_ISSUES) ?? []) {
    const { path, input, message } = issue
    if (issue.code !== 'unrecognized_keys') add(path, `is ${quote(input)}, must be ${message}`)
    else
      for (const key of issue.keys.slice(0, MAX_ISSUES))
        add([...path, key], unknownField(key, message.split(', ')))
  }
  throw invalid(Object.fromEntries(cause))
}

/** @param known the fields that the object can have; see strictObject */
function unknownField(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known)
  return nearest ? `is unknown, did you mean ${nearest}` : 'is unknown'
}

/** The refusal of invalid fields. */
export function invalid(cause: Cause): ApiError {
  const sentences = Object.entries(cause).flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`))
  return new ApiError('validation.error', sentences.join('; '), { fields: cause })
}

/** A value as an error shows it: short, and never the content of an object or an array. */
export function quote(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (Number.isNaN(value)) return 'a number with more digits than can be kept exactly'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : String(value)
}
