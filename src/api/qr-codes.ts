// The QR codes of a site, for a merchant's server (contract, sections 3 and 7).
import type * as z from 'zod/mini'
import type { Config } from '../config.ts'
import {
  QR_CODE_PUT_REQUEST_EXAMPLES,
  QR_CODE_REQUEST_EXAMPLES,
  type QrCodeRequest,
  qrCodePutRequest,
  qrCodeRequest,
  specOf,
} from '../contract/qr-code.ts'
import {
  CANCELLED_QR_CODE_EXAMPLE,
  isCharged,
  QR_CODE_EXAMPLE,
  QrCodeAnswer,
} from '../contract/qr-code-answer.ts'
import { ListAnswer, ListQuery, QR_CODES_EXAMPLE } from '../contract/qr-code-list.ts'
import { cursorOf } from '../contract/query.ts'
import { QrCodePath } from '../contract/uid.ts'
import type { SiteContext } from '../gateway/context.ts'
import { drawnImage } from '../gateway/render.ts'
import { callSite } from '../gateway/site-client.ts'
import { etagOf } from '../http/conditional.ts'
import { LongPollHeaders, pollQrCode } from '../http/long-poll.ts'
import { type Operation, operation, type Reply } from '../http/operation.ts'
import { answerOf } from './answer.ts'

export const QR_CODES_TAG = {
  name: 'QR codes',
  description: 'The QR codes of a merchant site, for the merchant’s server',
}

const COLLECTION = '/payin/v1/sites/{siteId}/sbp/qrCodes'
const ITEM = '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}'

const CREATED_ONCE = `A qrCodeUid is created once. The same request again, equal after defaults, answers the QR code \
as it stands now with the header Idempotent-Replayed, and creates nothing. So if a request got no response, send it \
again. The same qrCodeUid with other fields is refused, and the first QR code stays unchanged.`

const LONG_POLL = `With Prefer: wait=N the request waits until the state changes from the one that If-None-Match \
names or N seconds, at most 60, have passed: 200 or 304. Without If-None-Match it waits while the status is not final. \
So a merchant learns of a payment at once.`

/** The operations on QR codes. */
export function qrCodes({ currencies }: Pick<Config, 'currencies'>): Operation[] {
  const create = {
    tag: QR_CODES_TAG,
    scopes: ['merchant'],
    answer: {
      schema: QrCodeAnswer,
      description:
        'The QR code: created by this request, or as it stands now where the same request created it before',
      headers: ['Location', 'Idempotent-Replayed'],
      examples: { created: QR_CODE_EXAMPLE },
    },
    errors: ['payin.resource.already.exists'],
  } as const

  return [
    operation({
      ...create,
      operationId: 'createQrCode',
      method: 'post',
      path: COLLECTION,
      summary: 'Create a QR code, its identifier in the body',
      description: CREATED_ONCE,
      body: { schema: qrCodeRequest(currencies), examples: QR_CODE_REQUEST_EXAMPLES },
      handle: (site, { body }) => createOrReplay(site, body),
    }),
    operation({
      ...create,
      operationId: 'putQrCode',
      method: 'put',
      path: ITEM,
      parameters: QrCodePath,
      summary: 'Create a QR code, its identifier in the path',
      description: `${CREATED_ONCE} A body that repeats the identifier must repeat it equal.`,
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
      summary: 'A QR code as it stands, without its picture',
      description: LONG_POLL,
      scopes: ['merchant', 'merchant:read'],
      answer: {
        schema: QrCodeAnswer,
        description: 'The QR code',
        headers: ['ETag', 'Preference-Applied'],
        examples: { created: QR_CODE_EXAMPLE },
      },
      errors: ['validation.error', 'payin.resource.not.found'],
      handle: readQrCode,
    }),
    operation({
      operationId: 'listQrCodes',
      method: 'get',
      path: COLLECTION,
      query: ListQuery,
      tag: QR_CODES_TAG,
      summary: 'QR codes, newest first, without their pictures',
      description: `One page at a time: nextCursor of one answer is the cursor of the next request, with the other \
parameters unchanged. A QR code that is created meanwhile neither repeats nor hides another one.`,
      scopes: ['merchant', 'merchant:read'],
      answer: {
        schema: ListAnswer,
        description: 'A page',
        headers: [],
        examples: { page: QR_CODES_EXAMPLE },
      },
      errors: ['validation.error'],
      handle: listQrCodes,
    }),
    operation({
      operationId: 'cancelQrCode',
      method: 'delete',
      path: ITEM,
      parameters: QrCodePath,
      tag: QR_CODES_TAG,
      summary: 'Cancel a QR code that is not paid',
      description:
        'The same request again answers the same. A payment that the network completes later still counts.',
      scopes: ['merchant'],
      answer: {
        schema: QrCodeAnswer,
        description: 'The QR code, CANCELLED',
        headers: [],
        examples: { cancelled: CANCELLED_QR_CODE_EXAMPLE },
      },
      errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
      handle: cancelQrCode,
    }),
  ]
}

async function createOrReplay(site: SiteContext, request: QrCodeRequest): Promise<Reply<QrCodeAnswer>> {
  const { qrCode, isReplayed } = await site.service.createQrCode(site, specOf(request))
  const image = qrCode.image && !isCharged(qrCode) ? drawnImage(qrCode.image, qrCode.payload) : undefined
  const collection = site.prefix + COLLECTION.replace('{siteId}', site.siteId)
  return {
    value: answerOf(site, qrCode, image),
    headers: {
      Location: `${collection}/${encodeURIComponent(qrCode.qrCodeUid)}`,
      'Idempotent-Replayed': isReplayed ? 'true' : undefined,
    },
  }
}

interface OfItem {
  path: QrCodePath
}

async function readQrCode(
  site: SiteContext,
  { path, headers }: OfItem & { headers: z.output<typeof LongPollHeaders> },
): Promise<Reply<QrCodeAnswer>> {
  const { value: qrCode, preferenceApplied } = await pollQrCode(site, path, headers)
  const value = answerOf(site, qrCode)
  const ETag = etagOf(qrCode.version, JSON.stringify(value))
  return { value, headers: { ETag, 'Preference-Applied': preferenceApplied } }
}

async function listQrCodes(
  site: SiteContext,
  { query }: { query: z.output<typeof ListQuery> },
): Promise<Reply<z.infer<typeof ListAnswer>>> {
  const { qrCodes, next } = await callSite(site, (object) => object.list(site.caller, query))
  return {
    value: {
      qrCodes: qrCodes.map((qrCode) => answerOf(site, qrCode)),
      ...(next !== undefined && { nextCursor: cursorOf(next) }),
    },
  }
}

async function cancelQrCode(site: SiteContext, { path }: OfItem): Promise<Reply<QrCodeAnswer>> {
  const qrCode = await callSite(site, (object) => object.cancel(site.caller, path))
  return { value: answerOf(site, qrCode) }
}
