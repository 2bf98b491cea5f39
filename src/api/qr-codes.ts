// The QR codes of a site, as a merchant's server asks for them (contract, section 3).
import type { Context } from 'hono'
import { orderOf, qrCodeRequest } from '../contract/qr-code.ts'
import { answerOf, QrCodeAnswer } from '../contract/qr-code-answer.ts'
import { ApiError, type Cause } from '../errors.ts'
import { readObject, validate } from './body.ts'
import { ORDERS, QR_CODE, REQUESTS } from './examples.ts'
import { drawnImage } from './images.ts'
import { issueLink } from './links.ts'
import type { Operation } from './operation.ts'
import type { AppEnv, Service } from './service.ts'
import { callSite } from './sites.ts'

const CREATED_ONCE = `A qrCodeUid is created once. The same request sent again, with the same meaning after defaults, \
answers with the QR code as it stands now and the header Idempotent-Replayed: nothing new is made, so a request whose \
answer was lost is simply sent again. The same qrCodeUid with another meaning is refused, and the first stays.`

/** The operations on QR codes. */
export function qrCodes(service: Service): Operation[] {
  const schema = qrCodeRequest(service.config.currencies)

  async function create(c: Context<AppEnv>, siteId: string, uidOfPath?: string): Promise<Response> {
    const body = readObject(await c.req.arrayBuffer())
    const request = { ...body, qrCodeUid: uidOfPath ?? body.qrCodeUid }
    const order = orderOf(validate(schema, request, unequalUid(body.qrCodeUid, uidOfPath)))
    const url = new URL(c.req.url)
    const payload = issueLink(service, siteId, order, url.origin)
    const { qrCode, created } = await callSite(service, siteId, (site) => site.create(order, payload))
    const image = qrCode.image && drawnImage(qrCode.image, qrCode.payload)
    const collection = url.pathname.slice(0, url.pathname.indexOf('/sbp/qrCodes') + '/sbp/qrCodes'.length)
    c.header('Location', `${collection}/${encodeURIComponent(qrCode.qrCodeUid)}`)
    if (!created) c.header('Idempotent-Replayed', 'true')
    return c.json(answerOf(qrCode, service.config.utcOffset, image))
  }

  const creation = {
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
      ...creation,
      operationId: 'createQrCode',
      method: 'post',
      path: '/sites/{siteId}/sbp/qrCodes',
      summary: 'Create a QR code, its identifier in the body',
      description: CREATED_ONCE,
      body: { schema, examples: REQUESTS },
      handle: create,
    },
    {
      ...creation,
      operationId: 'putQrCode',
      method: 'put',
      path: '/sites/{siteId}/sbp/qrCodes/{qrCodeUid}',
      summary: 'Create a QR code, its identifier in the path',
      description: `${CREATED_ONCE} A body that repeats the identifier must repeat it equal.`,
      body: { schema: schema.partial({ qrCodeUid: true }), examples: ORDERS },
      handle: (c, siteId) => create(c, siteId, readUid(c)),
    },
  ]
}

/** The qrCodeUid of the path. The router's own decoding is not used: it leaves a broken escape as it is. */
function readUid(c: Context): string {
  const escaped = /\/sbp\/qrCodes\/([^/?#]+)/.exec(c.req.url)?.[1] ?? ''
  try {
    return decodeURIComponent(escaped)
  } catch {
    const fault = `is ${escaped}, must be percent-encoded UTF-8`
    throw new ApiError('validation.error', `qrCodeUid ${fault}`, { fields: { qrCodeUid: [fault] } })
  }
}

const unequalUid = (inBody: unknown, inPath: string | undefined): Cause =>
  inPath === undefined || inBody === undefined || inBody === inPath
    ? {}
    : { qrCodeUid: ['differs from the one in the path, must be equal or absent'] }
