// The OpenAPI 3.1 document: derived from the operations, the schemas that validate and the table of errors.
import * as z from 'zod'
import { SCOPES } from '../contract/access-token.ts'
import { ErrorAnswer } from '../contract/error-answer.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import type { AnswerHeader, Operation } from './operation.ts'

/** What every operation can answer, besides its own errors. */
const COMMON: readonly ErrorCode[] = [
  'auth.unauthorized',
  'auth.forbidden',
  'http.url.not.found',
  'http.method.not.supported',
  'http.media.type.not.acceptable',
  'http.too.many.requests',
  'internal.error',
  'service.unavailable',
]
const WITH_BODY: readonly ErrorCode[] = [
  'http.message.conversion.failed',
  'validation.error',
  'http.message.too.large',
  'http.media.type.not.supported',
]

const HEADERS: Record<
  AnswerHeader | 'X-Trace-Id' | 'Retry-After' | 'WWW-Authenticate' | 'Allow' | 'Accept-Post',
  object
> = {
  'X-Trace-Id': {
    description: 'Names this request in the log',
    schema: { type: 'string', pattern: '^[0-9a-f]{16}$' },
  },
  Location: {
    description: 'The address of the QR code',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotent-Replayed': {
    description: 'true where an earlier request had created the QR code; else absent',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': {
    description: 'Bearer; error is invalid_token or insufficient_scope where a token came (RFC 6750)',
    schema: { type: 'string' },
  },
  Allow: { description: 'The methods that the address knows', schema: { type: 'string' } },
  'Accept-Post': { description: 'The media type that the address takes', schema: { type: 'string' } },
}

const PARAMETERS: Record<string, object> = {
  siteId: {
    name: 'siteId',
    in: 'path',
    required: true,
    description: 'Identifier of the merchant site; the access token must be for it',
    schema: { type: 'string', pattern: SITE_ID.source },
    example: 'demo',
  },
  qrCodeUid: {
    name: 'qrCodeUid',
    in: 'path',
    required: true,
    description:
      'Identifier of the request in the merchant’s system, unique within the site; percent-encoded UTF-8',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    example: 'order-1001',
  },
}

const DESCRIPTION = `A merchant’s server creates a QR code here; a customer scans it and pays.

- **Addresses.** Everything stands under \`/payin/v1\` and, unchanged, under \`/partner/payin/v1\`.
- **Access.** \`Authorization: Bearer <ACCESS_TOKEN>\`; the token is for one site and has scopes.
- **Money** is exact: at most two fraction digits, never rounded.
- **null** for an optional field means absent; unknown fields are ignored.
- **Trace.** Every answer has \`X-Trace-Id\`; an error repeats it as \`traceId\`. Quote it when you report a problem.
- **Safe to repeat.** Every operation may be sent again with the same meaning: nothing happens twice.`

/**
 * Builds the document.
 * @param prefixes where the operations stand, the preferred one first: the document's servers
 */
export function openapi(operations: readonly Operation[], prefixes: readonly string[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'FPS payment QR codes',
      version: '1.0.0',
      summary: 'Creates the QR codes that customers scan to pay through a faster payment system',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: prefixes.map((url) => ({ url })),
    tags: [{ name: 'QR codes', description: 'The QR codes of a merchant site' }],
    paths,
    components: {
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `The access token of a site; its scopes are of ${SCOPES.join(', ')}`,
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      schemas: { Error: jsonSchema(ErrorAnswer, 'output') },
    },
  }
}

function operationObject({ path, body, answer, errors, scopes, tag, ...operation }: Operation): object {
  const codes = [...COMMON, ...(body ? WITH_BODY : []), ...errors]
  const byStatus = Object.groupBy(codes, (code) => ERRORS[code].status)
  const refusals = Object.entries(byStatus).map(([status, group]) => [status, errorResponse(group ?? [])])
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    description: operation.description,
    tags: [tag],
    security: scopes.map((scope) => ({ accessToken: [scope] })),
    parameters: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => reference('parameters', name)),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: jsonSchema(body.schema, 'input'), examples: body.examples },
        },
      },
    }),
    responses: {
      200: {
        description: answer.description,
        headers: references(['X-Trace-Id', ...answer.headers]),
        content: {
          'application/json': { schema: jsonSchema(answer.schema, 'output'), examples: answer.examples },
        },
      },
      ...Object.fromEntries(refusals),
    },
  }
}

function errorResponse(codes: readonly ErrorCode[]): object {
  const headers = new Set(codes.flatMap((code) => ERRORS[code].headers ?? []))
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'),
    headers: references(['X-Trace-Id', ...headers]),
    content: {
      'application/json': {
        schema: { allOf: [reference('schemas', 'Error'), { properties: { errorCode: { enum: codes } } }] },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: code, value: errorExample(code) }]),
        ),
      },
    },
  }
}

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

const reference = (kind: string, name = '') => ({ $ref: `#/components/${kind}/${name}` })
const references = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)]))

/** A schema that says what is there and leaves room for what may come: no closed objects. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return rest
}
