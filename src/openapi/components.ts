// The shared parts of the OpenAPI document: schemas, headers, error responses.
import * as z from 'zod'
import { ErrorAnswer } from '../contract/error-answer.ts'
import { ERRORS, type ErrorCode, type ErrorHeader, type ErrorRow } from '../errors.ts'
import type { AnswerHeader } from '../http/operation.ts'

type HeaderName = AnswerHeader | ErrorHeader | 'X-Trace-Id' | 'Retry-After'

export const HEADERS: Record<HeaderName, object> = {
  'X-Trace-Id': {
    description: 'Identifies this request in the log',
    schema: { type: 'string', pattern: '^[0-9a-f]{16}$' },
  },
  Location: {
    description: 'The address of the QR code',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotent-Replayed': {
    description: 'true where an earlier request had the effect; otherwise absent',
    schema: { type: 'string', const: 'true' },
  },
  ETag: { description: 'Identifies this version of the answer', schema: { type: 'string' } },
  'Preference-Applied': {
    description: 'wait=N, where the request waited for a change, for at most N seconds',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': {
    description: 'Bearer; error is invalid_token or insufficient_scope where a token was sent (RFC 6750)',
    schema: { type: 'string' },
  },
  Allow: { description: 'The methods of the endpoint', schema: { type: 'string' } },
  'Accept-Post': { description: 'The media type that the endpoint accepts', schema: { type: 'string' } },
}

export const headerReferences = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Collects the named schemas that other schemas refer to. */
export class Schemas {
  readonly named: Record<string, object> = {}

  /** The JSON schema of what is sent (`input`) or answered (`output`); a schema with an id becomes a reference. */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const written = z.toJSONSchema(schema, {
      io,
      // A client must accept fields that a later version of the service adds to its answers.
      override: ({ jsonSchema }) => {
        if (io === 'output') delete jsonSchema.additionalProperties
      },
    })
    const { $schema, $defs, ...rest } = Referring.parse(
      JSON.parse(JSON.stringify(written).replaceAll('"#/$defs/', '"#/components/schemas/')),
    )
    for (const [name, definition] of Object.entries($defs)) {
      const known = this.named[name]
      if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
        throw new Error(`two schemas have the id ${name}`)
      }
      this.named[name] = definition
    }
    return rest
  }

  /** The parameters that the properties of a schema describe. */
  parametersOf(schema: z.ZodObject | undefined, where: 'path' | 'query' | 'header'): object[] {
    if (!schema) return []
    const { properties = {}, required = [] } = this.of(schema, 'input')
    return Object.entries(properties).map(([name, { description, ...shape }]) => ({
      name,
      in: where,
      required: required.includes(name),
      description,
      schema: shape,
    }))
  }
}

const Property = z.looseObject({ description: z.string().optional() })
const JsonSchema = z.looseObject({
  properties: z.record(z.string(), Property).optional(),
  required: z.array(z.string()).optional(),
})
type JsonSchema = z.infer<typeof JsonSchema>
const Referring = JsonSchema.extend({ $defs: z.record(z.string(), z.looseObject({})).default({}) })

/** The names of the error responses, one for each status. */
const RESPONSE_NAMES: Record<ErrorRow['status'], string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  412: 'PreconditionFailed',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  421: 'MisdirectedRequest',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
}

const CODES = Object.keys(ERRORS).filter((code): code is ErrorCode => code in ERRORS)
const byStatus = (codes: readonly ErrorCode[]) =>
  Object.entries(Object.groupBy(codes, (code) => ERRORS[code].status)).map(
    ([status, group = []]) =>
      [status, group, RESPONSE_NAMES[ERRORS[group[0] ?? 'internal.error'].status]] as const,
  )

/** The response of every status, with all errors that have it. */
export const errorResponses = (schemas: Schemas): Record<string, object> =>
  Object.fromEntries(byStatus(CODES).map(([, codes, name]) => [name, errorResponse(schemas, codes)]))

/** The error responses of an operation: shared ones, each with a description of the operation's own errors. */
export const errorReferences = (codes: readonly ErrorCode[]): Record<string, object> =>
  Object.fromEntries(
    byStatus(codes).map(([status, group, name]) => [
      status,
      { $ref: `#/components/responses/${name}`, description: descriptionOf(group) },
    ]),
  )

function errorResponse(schemas: Schemas, codes: readonly ErrorCode[]): object {
  const headers = new Set<HeaderName>(
    codes.flatMap((code) => [
      ...(ERRORS[code].headers ?? []),
      ...(ERRORS[code].retryAfter ? (['Retry-After'] as const) : []),
    ]),
  )
  return {
    description: descriptionOf(codes),
    headers: headerReferences(['X-Trace-Id', ...headers]),
    content: {
      'application/json': {
        schema: {
          allOf: [schemas.of(ErrorAnswer, 'output'), { properties: { errorCode: { enum: codes } } }],
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: code, value: errorExample(code) }]),
        ),
      },
    },
  }
}

const descriptionOf = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n')

const errorExample = (code: ErrorCode): ErrorAnswer => ({
  serviceName: 'payin-core',
  errorCode: code,
  description: ERRORS[code].when,
  userMessage: ERRORS[code].userMessage.ru,
  dateTime: '2026-11-20T20:10:32+03:00',
  traceId: '4bf92f3577b34da6',
  ...(code === 'validation.error' && {
    cause: { 'qrCode.ttl': ['is 0, must be whole minutes from 1 to 129600'] },
  }),
})
