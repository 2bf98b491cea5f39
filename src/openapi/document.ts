// The OpenAPI 3.1 document: derived from the operations, the schemas that validate and the table of errors.
import * as z from 'zod/mini'
import { SITE_SCOPES } from '../contract/access-token.ts'
import { meta } from '../contract/meta.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { isReport } from '../http/auth.ts'
import type { Operation } from '../http/operation.ts'
import { BODY_ERRORS, COMMON_ERRORS, LIMITED_ERRORS, SITE_ERRORS } from './common-errors.ts'
import { errorReferences, errorResponses, HEADERS, headerReferences, Schemas } from './components.ts'
import type { Content, OpenApiDocument, OperationObject } from './objects.ts'
import { WEBHOOK_PARAMETERS } from './webhook-parameters.ts'
import { webhooksOf } from './webhooks.ts'

const DESCRIPTION = `A merchant’s server creates a QR code; a customer scans it and pays.

- **Addresses.** Each operation under \`/payin/v1\` exists under \`/partner/payin/v1\` too.
- **Access.** Send \`Authorization: Bearer <ACCESS_TOKEN>\`. The token is for one site and has scopes.
  On your own machine, \`npm run -s token -- demo\` prints one.
- **Money** is exact. An amount has at most two fraction digits and is never rounded.
- **Fields.** \`null\` for an optional field means absent. An unknown field gets 400. Only reports of the payment network
  may have unknown fields: they are ignored.
- **Trace.** Every response has \`X-Trace-Id\`; an error repeats it as \`traceId\`. Quote it when you report a problem.
- **Test sites.** Where the deployment has them, a siteId that ends with \`-test\` is a sandbox: its responses have
  \`Test-Site: true\`.
- **Idempotency.** If a request got no response, send the same request again: nothing happens twice. The only
  exception is the sandbox: each request makes another payment.
- **Notifications.** The service sends payments, refunds and tokens to the addresses of the settings as soon as
  they change.`

const SiteId = z.object({
  siteId: z
    .string()
    .check(z.regex(SITE_ID))
    .apply(meta, {
      description:
        'Identifier of the merchant site. The access token must be for this site, or the operator’s',
      examples: ['demo'],
    }),
})

/**
 * Builds the document, but for `servers`: the address of the service can be that of the request.
 * @param version the service's own: 1.0.0
 */
export function openapiDocument(operations: readonly Operation[], version: string): OpenApiDocument {
  const schemas = new Schemas()
  const paths: OpenApiDocument['paths'] = {}
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: operationObject(schemas, operation),
    }
  }
  const webhooks = webhooksOf(schemas)
  const responses = errorResponses(schemas)
  return {
    openapi: '3.1.1',
    info: {
      title: 'FPS payment QR codes',
      version,
      summary:
        'Creates the QR codes that customers scan to pay through Russia’s Faster Payments System (FPS, SBP)',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [...new Set(operations.map(({ tag }) => tag))],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: `The access token of a site, with scopes of ${SITE_SCOPES.join(', ')}. merchant:admin includes merchant, merchant:accounting includes merchant:read. The operator’s token is of no site (sub is *), and has the scope operator, or operator:read for reads`,
        },
      },
      headers: HEADERS,
      parameters: WEBHOOK_PARAMETERS,
      responses,
      schemas: schemas.named,
    },
  }
}

function operationObject(schemas: Schemas, operation: Operation): OperationObject {
  const { operationId, summary, description, tag, scopes, parameters, query, headers, body, answer } =
    operation
  const isOfSite = operation.path.includes('{siteId}')
  const ok = { description: answer.description, headers: headerReferences(['X-Trace-Id', ...answer.headers]) }
  return {
    operationId,
    summary,
    description,
    tags: [tag.name],
    security: scopes.map((scope) => ({ accessToken: [scope] })),
    parameters: [
      ...schemas.parametersOf(isOfSite ? SiteId : undefined, 'path'),
      ...schemas.parametersOf(parameters, 'path'),
      ...schemas.parametersOf(query, 'query'),
      ...schemas.parametersOf(headers, 'header'),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          (body.mediaTypes ?? ['application/json']).map((mediaType) => [
            mediaType,
            body.maxSize === undefined && body.file === undefined
              ? { schema: schemas.of(body.schema, 'input'), examples: body.examples }
              : { schema: BINARY },
          ]),
        ),
      },
    }),
    responses: {
      ...('status' in answer
        ? { [answer.status]: ok }
        : { [isAccepted(answer) ? 202 : 200]: { ...ok, content: contentOf(schemas, operation) } }),
      ...('created' in answer && {
        201: { ...ok, description: answer.created, content: contentOf(schemas, operation) },
      }),
      ...('empty' in answer && { 204: { ...ok, description: answer.empty } }),
      ...(headers &&
        'If-None-Match' in headers.shape && {
          304: { ...ok, description: 'The state is the one that `If-None-Match` names' },
        }),
      ...errorReferences([
        ...new Set([
          ...COMMON_ERRORS,
          ...(isOfSite ? SITE_ERRORS : []),
          ...(isOfSite && !operation.isOnDeleted ? (['site.deleted'] as const) : []),
          ...(isReport(scopes) ? [] : LIMITED_ERRORS),
          ...(body ? BODY_ERRORS : []),
          ...operation.errors,
        ]),
      ]),
    },
  }
}

const isAccepted = (answer: Operation['answer']): boolean => 'accepted' in answer && answer.accepted === true

function contentOf(schemas: Schemas, { answer, files }: Operation): Content {
  const json = 'schema' in answer && {
    'application/json': { schema: schemas.of(answer.schema, 'output'), examples: answer.examples },
  }
  const mediaTypes = 'mediaTypes' in answer ? answer.mediaTypes : (files?.mediaTypes ?? [])
  return { ...json, ...Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: BINARY }])) }
}

/** Not of OpenAPI 3.1, which would leave the schema out; but without it generators do not know that it is a file. */
const BINARY = { type: 'string', format: 'binary' }
