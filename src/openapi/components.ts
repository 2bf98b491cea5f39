// The shared parts of the OpenAPI document: schemas, headers, error responses.
import * as z from 'zod/mini'
import { ErrorAnswer } from '../contract/error-answer.ts'
import { ERRORS, type ErrorCode, type ErrorHeader, type ErrorRow } from '../errors.ts'
import type { AnswerHeader } from '../http/operation.ts'
import { type Parameter, type Responses, Schema } from './objects.ts'

type HeaderName = AnswerHeader | ErrorHeader | 'X-Trace-Id' | 'Link' | 'Retry-After'

export const HEADERS: Record<HeaderName, object> = {
  'X-Trace-Id': {
    description: 'Identifies this request in the log',
    required: true,
    schema: { type: 'string', pattern: '^[0-9a-f]{16}$' },
  },
  Location: {
    description: 'The address of the QR code',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotent-Replayed': {
    description: 'true if an earlier request had the effect; otherwise absent',
    schema: { type: 'string', const: 'true' },
  },
  ETag: { description: 'Identifies this version of the response', schema: { type: 'string' } },
  'Preference-Applied': {
    description: 'wait=N if the request waited for a change, for at most N seconds',
    schema: { type: 'string' },
  },
  Link: {
    description: 'The section of the documentation on this error, as rel="help" (RFC 8288)',
    schema: { type: 'string' },
  },
  'Content-Disposition': { description: 'The name of the file', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds after which to send the request again',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description:
      'Bearer. If the request had a token, error is invalid_token or insufficient_scope (RFC 6750)',
    schema: { type: 'string' },
  },
  Allow: { description: 'The methods of the endpoint', schema: { type: 'string' } },
  'Accept-Encoding': {
    description: '`identity`, if the content coding of the body was refused (RFC 9110, section 12.5.3)',
    schema: { type: 'string' },
  },
  'Accept-Post': { description: 'The media types that the endpoint accepts', schema: { type: 'string' } },
  'Accept-Patch': {
    description: 'The media types that the endpoint accepts, of a PATCH (RFC 5789)',
    schema: { type: 'string' },
  },
}

export const headerReferences = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Collects the named schemas that other schemas refer to. */
export class Schemas {
  readonly named: Record<string, Schema> = {}

  /** The JSON schema of what is sent (`input`) or answered (`output`); a schema with an id becomes a reference. */
  of(schema: z.ZodMiniType, io: 'input' | 'output'): Schema {
    const written = z.toJSONSchema(schema, {
      io,
      override: ({ zodSchema, jsonSchema }) => tidy(zodSchema, jsonSchema, io),
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
  parametersOf(schema: z.ZodMiniObject | undefined, where: Parameter['in']): Parameter[] {
    if (!schema) return []
    const { properties = {}, required = [] } = this.of(schema, 'input')
    return Object.entries(properties)
      .filter(([name]) => !IGNORED_HEADERS.includes(name))
      .map(([name, { description, examples, ...shape }]) => ({
        name,
        in: where,
        required: required.includes(name),
        description,
        // The items of a list are separated by commas.
        ...(shape.type === 'array' && { style: 'form', explode: false }),
        schema: { ...shape, examples },
      }))
  }
}

/** OpenAPI ignores a parameter of this name: the media types of the answer say what Accept can be. */
const IGNORED_HEADERS = ['Accept']

/** What zod writes otherwise than a reader of the document needs. */
function tidy(schema: z.core.$ZodTypes, written: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  // A client must accept fields that a later version of the service adds to its answers.
  if (io === 'output' && written.additionalProperties === false) delete written.additionalProperties
  // The bounds of every integer, not a rule of this one.
  if (written.minimum === Number.MIN_SAFE_INTEGER) delete written.minimum
  if (written.maximum === Number.MAX_SAFE_INTEGER) delete written.maximum
  // 250 characters that say the same as the format.
  if (written.format === 'date-time') delete written.pattern
  // All names are strings.
  if (schema._zod.def.type === 'record') delete written.propertyNames
  // Left out of the input of a schema that transforms, as if they were of its output.
  const { examples, description } = z.globalRegistry.get(schema) ?? {}
  if (Array.isArray(examples)) written.examples = examples
  // In words: generators take a field with the keyword for one that is always there, in requests too.
  if (schema._zod.def.type === 'default' || schema._zod.def.type === 'prefault') {
    const { default: value } = written
    delete written.default
    written.description = withDefault(
      `${description ?? written.description ?? ''}`,
      schema._zod.def.defaultValue ?? value,
    )
  }
}

const withDefault = (description: string, value: unknown): string =>
  /by default/i.test(description)
    ? description
    : [description, `By default \`${value}\``].filter(Boolean).join('. ')

/** What zod writes: a schema, and those that it refers to. */
const Referring = z.intersection(
  Schema,
  z.looseObject({ $defs: z._default(z.record(z.string(), Schema), {}) }),
)

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
export const errorResponses = (schemas: Schemas): Responses =>
  Object.fromEntries(byStatus(CODES).map(([, codes, name]) => [name, errorResponse(schemas, codes)]))

/** The error responses of an operation: shared ones, each with a description of the operation's own errors. */
export const errorReferences = (codes: readonly ErrorCode[]): Responses =>
  Object.fromEntries(
    byStatus(codes).map(([status, group, name]) => [
      status,
      { $ref: `#/components/responses/${name}`, description: descriptionOf(group) },
    ]),
  )

function errorResponse(schemas: Schemas, codes: readonly ErrorCode[]): Responses[string] {
  const headers = new Set<HeaderName>(
    codes.flatMap((code) => [
      ...(ERRORS[code].headers ?? []),
      ...(ERRORS[code].retryAfter ? (['Retry-After'] as const) : []),
    ]),
  )
  return {
    description: descriptionOf(codes),
    headers: headerReferences(['X-Trace-Id', 'Link', ...headers]),
    content: {
      'application/json': {
        schema: {
          allOf: [
            schemas.of(ErrorAnswer, 'output'),
            {
              type: 'object',
              properties: { errorCode: { type: 'string', enum: codes } },
              required: ['errorCode'],
            },
          ],
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
