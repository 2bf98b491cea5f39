// The OpenAPI 3.1 document: derived from the operations, the schemas that validate and the table of errors.
import { SCOPES } from '../contract/access-token.ts'
import { ErrorAnswer } from '../contract/error-answer.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import { HEADERS, jsonSchema, PARAMETERS } from './openapi-parts.ts'
import type { Answer, Api, Operation } from './operation.ts'

/** What every operation can answer, besides its own errors. */
const COMMON: readonly ErrorCode[] = [
  'auth.unauthorized',
  'auth.forbidden',
  'http.url.not.found',
  'http.method.not.supported',
  'http.media.type.not.acceptable',
  'http.misdirected.request',
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
      parameters: PARAMETERS,
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
