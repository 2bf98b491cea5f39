// The QR codes of a site, for a merchant's server (contract, sections 3 and 7).
import type * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { type QrCodeRequest, qrCodePutRequest, qrCodeRequest, specOf } from '../contract/qr-code.ts'
import {
  CANCELLED_QR_CODE_EXAMPLE,
  QR_CODE_EXAMPLE,
  QrCodeAnswer,
  STATIC_QR_CODE_EXAMPLE,
  shownPayload,
} from '../contract/qr-code-answer.ts'
import { QR_CODE_PUT_REQUEST_EXAMPLES, QR_CODE_REQUEST_EXAMPLES } from '../contract/qr-code-examples.ts'
import { ListAnswer, ListQuery, listed, QR_CODES_EXAMPLE } from '../contract/qr-code-list.ts'
import { cursorOf } from '../contract/query.ts'
import { QrCodePath } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { pollQrCode } from '../gateway/long-poll.ts'
import { drawnImage } from '../gateway/render.ts'
import { cancelQrCode as cancelAtBank } from '../gateway/sales.ts'
import { callSite } from '../gateway/site-client.ts'
import { etagOf, LongPollHeaders, preferenceApplied, waitOf } from '../http/conditional.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { answerOf, replayed } from './answer.ts'

export const QR_CODES_TAG = {
  name: 'QR codes',
  description: 'Create QR codes and follow their status',
}

const COLLECTION = '/payin/v1/sites/{siteId}/sbp/qrCodes'
const ITEM = '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}'

const CREATED_ONCE = `Each \`qrCodeUid\` makes one QR code, for good. If you send the same request again, nothing is created: the \
response has the present state of the QR code and the header \`Idempotent-Replayed\`. A field that you leave out is \
equal to its default. If a request got no response, send it again. A request with the same \`qrCodeUid\` and other \
fields gets 409, and the QR code does not change. \`qrCode.image\` is not compared: each response has the picture that its \
request asks for.`

const LONG_POLL = `The response has no picture. With \`Prefer: wait=N\` the request waits for a change, for at most N \
seconds, so you learn of a payment at once. Send the \`ETag\` of the state that you know in \`If-None-Match\`: the \
response is 200 with another state, or 304 after N seconds. Without \`If-None-Match\` the request waits for the next \
change, unless the status is final.`

/** The operations on QR codes. */
export function qrCodes({ currencies }: Pick<Config, 'currencies'>) {
  const create = {
    tag: QR_CODES_TAG,
    scopes: ['merchant'],
    answer: {
      schema: QrCodeAnswer,
      description:
        'The QR code that this request created, or the present state of the one that an earlier request created',
      headers: ['Location', 'Idempotent-Replayed'],
      examples: { created: QR_CODE_EXAMPLE },
    },
    errors: [
      'payin.resource.already.exists',
      'site.limit.exceeded',
      'network.refused',
      'network.unavailable',
    ],
  } as const

  return [
    operation({
      ...create,
      operationId: 'createQrCode',
      method: 'post',
      path: COLLECTION,
      summary: 'Create a QR code',
      description: `The body has the identifier. ${CREATED_ONCE}`,
      body: { schema: qrCodeRequest(currencies), examples: QR_CODE_REQUEST_EXAMPLES },
      handle: (site, { body }) => createOrReplay(site, body),
    }),
    operation({
      ...create,
      operationId: 'putQrCode',
      method: 'put',
      path: ITEM,
      parameters: QrCodePath,
      summary: 'Create a QR code by its identifier',
      description: `The path has the identifier. If the body has it too, both must be equal. ${CREATED_ONCE}`,
      body: {
        schema: qrCodePutRequest(currencies),
        examples: QR_CODE_PUT_REQUEST_EXAMPLES,
        repeats: 'qrCodeUid',
      },
      handle: (site, { path, body }) => createOrReplay(site, { ...body, ...path }),
    }),
    operation({
      operationId: 'getQrCode',
      method: 'get',
      path: ITEM,
      parameters: QrCodePath,
      headers: LongPollHeaders,
      tag: QR_CODES_TAG,
      summary: 'Get a QR code',
      description: LONG_POLL,
      scopes: ['merchant', 'merchant:read', 'merchant:till'],
      answer: {
        schema: QrCodeAnswer,
        description: 'The QR code',
        headers: ['ETag', 'Preference-Applied'],
        examples: { created: QR_CODE_EXAMPLE, static: STATIC_QR_CODE_EXAMPLE },
      },
      errors: ['validation.error', 'payin.resource.not.found'],
      handle: readQrCode,
      toContent: qrCodeContent,
    }),
    operation({
      operationId: 'listQrCodes',
      method: 'get',
      path: COLLECTION,
      query: ListQuery,
      encodedLists: ['qrCodeUid'],
      tag: QR_CODES_TAG,
      summary: 'List QR codes',
      description: `Newest first, without pictures. The response is one page. For the next page, send its \
\`nextCursor\` as \`cursor\` and do not change the other parameters. QR codes that are created while you read the pages \
do not repeat or hide others. With \`qrCodeUid\` the response has the named QR codes instead.`,
      scopes: ['merchant', 'merchant:read', 'merchant:till'],
      answer: {
        schema: ListAnswer,
        description: 'A page of QR codes',
        headers: [],
        examples: { page: QR_CODES_EXAMPLE },
      },
      errors: ['validation.error'],
      handle: listQrCodes,
      toContent: (site, { qrCodes, next }) => ({
        value: {
          qrCodes: qrCodes.map((qrCode) => answerOf(site, qrCode)),
          ...(next !== undefined && { nextCursor: cursorOf(next) }),
        },
      }),
    }),
    operation({
      operationId: 'cancelQrCode',
      method: 'delete',
      path: ITEM,
      parameters: QrCodePath,
      tag: QR_CODES_TAG,
      summary: 'Cancel a QR code',
      description:
        'A cancelled QR code cannot be paid. A QR code that is paid or expired cannot be cancelled. The same request again gets the same response. If the payment network completes a payment that was already under way, the QR code becomes PAYED. The ACTIVE sale of a COUNTER code is cancelled too; where a bank has armed the code for it, the bank is told first, and if it refuses or does not answer, nothing changes.',
      scopes: ['merchant'],
      answer: {
        schema: QrCodeAnswer,
        description: 'The cancelled QR code',
        headers: [],
        examples: { cancelled: CANCELLED_QR_CODE_EXAMPLE },
      },
      errors: [
        'validation.error',
        'payin.resource.not.found',
        'payin.incorrect-method-invocation',
        'network.refused',
        'network.unavailable',
      ],
      handle: cancelQrCode,
    }),
  ]
}

async function createOrReplay(
  site: SiteContext,
  request: QrCodeRequest,
): Promise<ResponseContent<QrCodeAnswer>> {
  const spec = specOf(request)
  const { qrCode, isReplayed } = await site.service.createQrCode(site, spec)
  const payload = shownPayload(qrCode)
  const image = spec.image && payload !== '' ? drawnImage(spec.image, payload) : undefined
  const collection = site.prefix + COLLECTION.replace('{siteId}', site.siteId)
  return {
    value: answerOf(site, qrCode, image),
    headers: {
      Location: `${collection}/${encodeURIComponent(qrCode.qrCodeUid)}`,
      ...replayed(isReplayed),
    },
  }
}

interface OfItem {
  path: QrCodePath
}

async function readQrCode(
  site: SiteContext,
  { path, headers }: OfItem & { headers: z.output<typeof LongPollHeaders> },
) {
  const { value: qrCode, waited } = await pollQrCode(site, path, waitOf(headers))
  return { qrCode, applied: preferenceApplied(waited, headers.Prefer) }
}

function qrCodeContent(
  site: SiteContext,
  { qrCode, applied }: Awaited<ReturnType<typeof readQrCode>>,
): ResponseContent<QrCodeAnswer> {
  const value = answerOf(site, qrCode)
  const text = JSON.stringify(value)
  return { value, text, headers: { ETag: etagOf(qrCode.version, text), 'Preference-Applied': applied } }
}

const listQrCodes = (site: SiteContext, { query }: { query: z.output<typeof ListQuery> }) =>
  callSite(site, (object) => object.list(site.caller, listed(query)))

async function cancelQrCode(site: SiteContext, { path }: OfItem): Promise<ResponseContent<QrCodeAnswer>> {
  return { value: answerOf(site, await cancelAtBank(site, path)) }
}
