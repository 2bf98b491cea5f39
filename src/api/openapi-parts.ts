// What the operations of the OpenAPI document refer to: its headers, its parameters, and how a schema is written.
import * as z from 'zod'
import { EventsQuery } from '../contract/event.ts'
import { ImageQuery } from '../contract/image.ts'
import { ListQuery } from '../contract/qr-code-list.ts'
import { SITE_ID } from '../contract/site-id.ts'
import { LINK_ID } from '../fps/link-id.ts'
import type { AnswerHeader, ParameterName } from './operation.ts'

export const HEADERS: Record<
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
    description: 'wait=N, only where the request waited, for N seconds at most',
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

const OTHER_PARAMETERS: Record<ParameterName, object> = {
  status: query(ListQuery.shape.status, 'Only QR codes in this state'),
  createdFrom: query(ListQuery.shape.createdFrom, 'Only QR codes created at this moment or later'),
  createdTo: query(ListQuery.shape.createdTo, 'Only QR codes created at this moment or earlier'),
  limit: query(ListQuery.shape.limit, 'QR codes of a page, 1 to 100'),
  eventsLimit: { name: 'limit', ...query(EventsQuery.shape.limit, 'Events of a page, 1 to 100') },
  cursor: query(ListQuery.shape.cursor, 'nextCursor of the page before'),
  width: query(ImageQuery.shape.width, 'Pixels, 100 to 2000; given alone, the picture is a square'),
  height: query(ImageQuery.shape.height, 'Pixels, 100 to 2000; given alone, the picture is a square'),
  'If-None-Match': { in: 'header', description: 'ETag of an earlier answer', schema: { type: 'string' } },
  Prefer: {
    in: 'header',
    description: 'wait=N waits until the state changes, for N seconds at most, 1 to 60 (RFC 7240)',
    schema: { type: 'string' },
    example: 'wait=30',
  },
}

const named = (parameters: Record<string, object>, more: object) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, { name, ...more, ...parameter }]),
  )

/** All parameters, by name. */
export const PARAMETERS = {
  ...named(PATH_PARAMETERS, { in: 'path', required: true }),
  ...named(OTHER_PARAMETERS, {}),
}

function query(schema: z.ZodType, description: string): object {
  return { in: 'query', description, schema: jsonSchema(schema, 'input') }
}

/** A schema that says what is there and leaves room for what may come: no closed objects. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return rest
}
