// The QR codes of a site, as a merchant's server asks for them (contract, sections 3 and 7).
import type { Context } from 'hono'
import { cursorOf } from '../contract/paging.ts'
import { orderOf, qrCodeRequest } from '../contract/qr-code.ts'
import { answerOf, QrCodeAnswer } from '../contract/qr-code-answer.ts'
import { ListAnswer, ListQuery } from '../contract/qr-code-list.ts'
import type { Cause } from '../errors.ts'
import { answer, json } from './answer.ts'
import { readObject, validate } from './body.ts'
import { etagOf, hasIt } from './conditional.ts'
import { creation } from './creation.ts'
import { CANCELLED, ORDERS, QR_CODE, QR_CODES, REQUESTS } from './examples.ts'
import { readWhenChanged } from './long-poll.ts'
import type { Operation } from './operation.ts'
import { originOf, rawPathOf, type Segment, segmentOf, wholeSegmentOf } from './path.ts'
import { drawnImage } from './pictures.ts'
import type { AppEnv, Service } from './service.ts'
import { callSite } from './sites.ts'

const COLLECTION = '/sites/{siteId}/sbp/qrCodes'
const ITEM = '/sites/{siteId}/sbp/qrCodes/{qrCodeUid}'

const CREATED_ONCE = `A qrCodeUid is created once. The same request sent again, with the same meaning after defaults, \
answers with the QR code as it stands now and the header Idempotent-Replayed: nothing new is made, so a request whose \
answer was lost is simply sent again. The same qrCodeUid with another meaning is refused, and the first stays.`

const LONG_POLL = `With If-None-Match and Prefer: wait=N the request waits until the state changes or N seconds, at most \
60, have passed: 200 or 304. So a merchant learns of a payment at once. An answer without Preference-Applied did not \
wait: pause before you ask again.`

/** The operations on QR codes. */
export function qrCodes(service: Service): Operation[] {
  const { currencies, utcOffset } = service.config
  const schema = qrCodeRequest(currencies)
  const createAtSite = creation(service)

  /**
   * @param collection the path of all QR codes of the site, as it was sent
   * @param inPath the identifier, where the path has it
   */
  async function create(
    c: Context<AppEnv>,
    siteId: string,
    collection: string,
    inPath?: Segment,
  ): Promise<Response> {
    const body = await readObject(c, service)
    const request = { ...body, qrCodeUid: inPath?.value ?? body.qrCodeUid }
    const order = orderOf(
      validate(schema, request, inPath && { ...unequal(body.qrCodeUid, inPath), ...inPath.fault }),
    )
    const { qrCode, isReplayed } = await createAtSite(siteId, { order, origin: originOf(c) })

    const image = qrCode.image && drawnImage(qrCode.image, qrCode.payload)
    return json(c, answerOf(qrCode, utcOffset, image), {
      Location: `${collection}/${encodeURIComponent(qrCode.qrCodeUid)}`,
      'Idempotent-Replayed': isReplayed ? 'true' : undefined,
    })
  }

  async function read(c: Context<AppEnv>, siteId: string): Promise<Response> {
    const qrCodeUid = wholeSegmentOf(c, ITEM, 'qrCodeUid')
    const { qrCode, headers } = await readWhenChanged(c, service, siteId, { qrCodeUid })
    const shown = answerOf(qrCode, utcOffset)
    const ETag = etagOf(qrCode.version, JSON.stringify(shown))
    return hasIt(c, ETag) ? answer(c, null, 304, { ETag, ...headers }) : json(c, shown, { ETag, ...headers })
  }

  async function list(c: Context<AppEnv>, siteId: string): Promise<Response> {
    const { cursor, ...query } = validate(ListQuery, c.req.query())
    const page = await callSite(service, siteId, (site) => site.list({ ...query, after: cursor }))
    return json(c, {
      qrCodes: page.qrCodes.map((qrCode) => answerOf(qrCode, utcOffset)),
      ...(page.next && { nextCursor: cursorOf(page.next) }),
    })
  }

  async function cancel(c: Context<AppEnv>, siteId: string): Promise<Response> {
    const qrCodeUid = wholeSegmentOf(c, ITEM, 'qrCodeUid')
    return json(c, answerOf(await callSite(service, siteId, (site) => site.cancel({ qrCodeUid })), utcOffset))
  }

  const postOrPut = {
    tag: 'QR codes',
    scopes: ['merchant'],
    answer: {
      schema: QrCodeAnswer,
      description:
        'The QR code: created by this request, or as it stands now where the same request created it before',
      headers: ['Location', 'Idempotent-Replayed'],
      examples: { created: QR_CODE },
    },
    errors: ['payin.resource.already.exists'],
  } as const

  return [
    {
      ...postOrPut,
      operationId: 'createQrCode',
      method: 'post',
      path: COLLECTION,
      summary: 'Create a QR code, its identifier in the body',
      description: CREATED_ONCE,
      body: { schema, examples: REQUESTS },
      handle: (c, siteId) => create(c, siteId, rawPathOf(c)),
    },
    {
      ...postOrPut,
      operationId: 'putQrCode',
      method: 'put',
      path: ITEM,
      summary: 'Create a QR code, its identifier in the path',
      description: `${CREATED_ONCE} A body that repeats the identifier must repeat it equal.`,
      body: { schema: schema.partial({ qrCodeUid: true }), examples: ORDERS },
      handle: (c, siteId) =>
        create(c, siteId, rawPathOf(c).replace(/\/[^/]*$/, ''), segmentOf(c, ITEM, 'qrCodeUid')),
    },
    {
      operationId: 'getQrCode',
      method: 'get',
      path: ITEM,
      tag: 'QR codes',
      summary: 'A QR code as it stands, without its picture',
      description: LONG_POLL,
      scopes: ['merchant', 'merchant:read'],
      parameters: ['If-None-Match', 'Prefer'],
      answer: {
        schema: QrCodeAnswer,
        description: 'The QR code',
        headers: ['ETag', 'Preference-Applied'],
        examples: { created: QR_CODE },
        notModified: true,
      },
      errors: ['validation.error', 'payin.resource.not.found'],
      handle: read,
    },
    {
      operationId: 'listQrCodes',
      method: 'get',
      path: COLLECTION,
      tag: 'QR codes',
      summary: 'QR codes, newest first, without their pictures',
      description: `A page at a time: nextCursor of one answer is the cursor of the next request, with the other \
parameters as they were. What is created meanwhile neither repeats nor hides another QR code.`,
      scopes: ['merchant', 'merchant:read'],
      parameters: ['status', 'createdFrom', 'createdTo', 'limit', 'cursor'],
      answer: { schema: ListAnswer, description: 'A page', headers: [], examples: { page: QR_CODES } },
      errors: ['validation.error'],
      handle: list,
    },
    {
      operationId: 'cancelQrCode',
      method: 'delete',
      path: ITEM,
      tag: 'QR codes',
      summary: 'Cancel a QR code that is not paid',
      description:
        'Sent again, it answers the same. A payment that the network completes all the same still counts.',
      scopes: ['merchant'],
      answer: {
        schema: QrCodeAnswer,
        description: 'The QR code, CANCELLED',
        headers: [],
        examples: { cancelled: CANCELLED },
      },
      errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
      handle: cancel,
    },
  ]
}

const unequal = (inBody: unknown, inPath: Segment): Cause =>
  inBody === undefined || inBody === inPath.value
    ? {}
    : { qrCodeUid: ['differs from the one in the path, must be equal or absent'] }
