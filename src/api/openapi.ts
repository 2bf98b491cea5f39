// The OpenAPI 3.1 document: derived from the operations, the schemas that validate and the table of errors.
import * as z from 'zod'
import { SCOPES } from '../contract/access-token.ts'
import { ErrorAnswer } from '../contract/error-answer.ts'
import { ImageQuery } from '../contract/image.ts'
import { ListQuery } from '../contract/qr-code-list.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { LINK_ID } from '../fps/link-id.ts'
import type { Answer, AnswerHeader, Api, Operation, ParameterName } from './operation.ts'

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
    description: 'true where an earlier request had done it; else absent',
    schema: { type: 'string', const: 'true' },
  },
  ETag: { description: 'Names this state of the QR code', schema: { type: 'string' } },
  'Preference-Applied': {
    description: 'wait=N, where the answer was held back for N seconds at most',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': {
    description: 'Bearer; error is invalid_token or insufficient_scope where a token came (RFC 6750)',
    schema: { type: 'string' },
  },
  Allow: { description: 'The methods that the address knows', schema: { type: 'string' } },
  'Accept-Post': { description: 'The media type that the address takes', schema: { type: 'string' } },
}

const uid = { type: 'string', minLength: 1, maxLength: 200 }

/** Those of the path, by the name that the path gives them. */
const PATH_PARAMETERS: Record<string, object> = {
  siteId: {
    description: 'Identifier of the merchant site; the access token must be for it',
    schema: { type: 'string', pattern: SITE_ID.source },
    example: 'demo',
  },
  qrCodeUid: {
    description:
      'Identifier of the request in the merchant’s system, unique within the site; percent-encoded UTF-8',
    schema: uid,
    example: 'order-1001',
  },
  qrcId: {
    description: 'The id of the QR code’s functional link',
    schema: { type: 'string', pattern: LINK_ID.source },
    example: 'AD100004BAL7227F9BNP6KNE007J9B3K',
  },
  paymentUid: {
    description: 'Identifier of the payment in the network; percent-encoded UTF-8',
    schema: uid,
    example: 'A6325171030000001',
  },
}

const PARAMETERS: Record<ParameterName, object> = {
  status: query(ListQuery.shape.status, 'Only QR codes in this state'),
  createdFrom: query(ListQuery.shape.createdFrom, 'Only QR codes created at this moment or later'),
  createdTo: query(ListQuery.shape.createdTo, 'Only QR codes created at this moment or earlier'),
  limit: query(ListQuery.shape.limit, 'QR codes of a page, 1 to 100'),
  cursor: query(ListQuery.shape.cursor, 'nextCursor of the page before'),
  width: query(ImageQuery.shape.width, 'Pixels, 100 to 2000; given alone, the picture is a square'),
  height: query(ImageQuery.shape.height, 'Pixels, 100 to 2000; given alone, the picture is a square'),
  'If-None-Match': { in: 'header', description: 'ETag of an earlier answer', schema: { type: 'string' } },
  Prefer: {
    in: 'header',
    description: 'wait=N holds the answer until something changes, for N seconds at most, 1 to 60 (RFC 7240)',
    schema: { type: 'string' },
    example: 'wait=30',
  },
}

const DESCRIPTION = `A merchant’s server creates a QR code here; a customer scans it and pays.

- **Addresses.** The merchant’s operations stand under \`/payin/v1\` and, unchanged, under \`/partner/payin/v1\`.
- **Access.** \`Authorization: Bearer <ACCESS_TOKEN>\`; the token is for one site and has scopes.
  On your own machine, \`npm run -s token -- demo\` prints one.
- **Money** is exact: at most two fraction digits, never rounded.
- **null** for an optional field means absent; unknown fields are ignored.
- **Trace.** Every answer has \`X-Trace-Id\`; an error repeats it as \`traceId\`. Quote it when you report a problem.
- **Safe to repeat.** Whatever got no answer is sent again, the same: nothing happens twice. (The sandbox bank makes up
  a new payment each time.)`

/** Builds the document; the servers of the first API are the document's, the others name their own. */
export function openapi(apis: readonly Api[]): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [index, { prefixes, operations }] of apis.entries()) {
    for (const operation of operations) {
      const servers = index > 0 && { servers: prefixes.map((url) => ({ url })) }
      paths[operation.path] = {
        ...servers,
        ...paths[operation.path],
        [operation.method]: operationObject(operation),
      }
    }
  }
  const tags = new Set(apis.flatMap(({ operations }) => operations.map(({ tag }) => tag)))
  return {
    openapi: '3.1.1',
    info: {
      title: 'FPS payment QR codes',
      version: '1.0.0',
      summary: 'Creates the QR codes that customers scan to pay through a faster payment system',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: apis[0]?.prefixes.map((url) => ({ url })),
    tags: [...tags].map((name) => ({ name, description: TAGS[name] })),
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
      parameters: {
        ...named(PATH_PARAMETERS, { in: 'path', required: true }),
        ...named(PARAMETERS, {}),
      },
      headers: HEADERS,
      schemas: { Error: jsonSchema(ErrorAnswer, 'output') },
    },
  }
}

const TAGS: Record<Operation['tag'], string> = {
  'QR codes': 'The QR codes of a merchant site, for the merchant’s server',
  'Payment network': 'What the payment network reports',
  'Sandbox bank': 'Payments without money, for tests',
}

function operationObject({ path, body, answer, errors, scopes, tag, ...operation }: Operation): object {
  const codes = new Set([...COMMON, ...(body ? WITH_BODY : []), ...errors])
  const byStatus = Object.groupBy(codes, (code) => ERRORS[code].status)
  const refusals = Object.entries(byStatus).map(([status, group]) => [status, errorResponse(group ?? [])])
  const ofPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    description: operation.description,
    tags: [tag],
    security: scopes.map((scope) => ({ accessToken: [scope] })),
    parameters: [...ofPath, ...(operation.parameters ?? [])].map((name) => reference('parameters', name)),
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
        content: contentOf(answer),
      },
      ...(answer.notModified && {
        304: { description: 'Nothing changed', headers: references(['X-Trace-Id', ...answer.headers]) },
      }),
      ...Object.fromEntries(refusals),
    },
  }
}

const contentOf = (answer: Answer): object =>
  'schema' in answer
    ? { 'application/json': { schema: jsonSchema(answer.schema, 'output'), examples: answer.examples } }
    : Object.fromEntries(answer.mediaTypes.map((mediaType) => [mediaType, {}]))

function errorResponse(codes: readonly ErrorCode[]): object {
  const headers = new Set(
    codes.flatMap((code) => [
      ...(ERRORS[code].headers ?? []),
      ...(ERRORS[code].retryAfter ? ['Retry-After'] : []),
    ]),
  )
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

const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
const references = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)]))
const named = (parameters: Record<string, object>, more: object) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, { name, ...more, ...parameter }]),
  )

function query(schema: z.ZodType, description: string): object {
  return { in: 'query', description, schema: jsonSchema(schema, 'input') }
}

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
