// The picture of a QR code at an address of its own (contract, section 7).
import { ImageQuery, MEDIA_TYPES, type MediaType, sizeOf } from '../contract/image.ts'
import { ApiError } from '../errors.ts'
import type { Service } from '../gateway/context.ts'
import { draw } from '../gateway/render.ts'
import { callSite } from '../gateway/site-client.ts'
import { validate } from '../http/body.ts'
import { etagOf, hasIt } from '../http/conditional.ts'
import { preferred } from '../http/negotiation.ts'
import type { Operation } from '../http/operation.ts'
import { segmentOf } from '../http/path.ts'
import { answer } from '../http/response.ts'

const PATH = '/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/image'

/** The operation on pictures. */
export const images = (service: Service): Operation[] => [
  {
    operationId: 'getQrCodeImage',
    method: 'get',
    path: PATH,
    tag: 'QR codes',
    summary: 'The picture of a QR code',
    description:
      'PNG or SVG, as Accept prefers, else as asked for at creation; the size of creation unless width or height is given.',
    scopes: ['merchant', 'merchant:read'],
    parameters: ['width', 'height', 'If-None-Match'],
    answer: { description: 'The picture', headers: ['ETag'], mediaTypes: MEDIA_TYPES, notModified: true },
    errors: ['validation.error', 'payin.resource.not.found'],
    async handle(c, siteId) {
      const { value: qrCodeUid, fault } = segmentOf(c, PATH, 'qrCodeUid')
      const asked = validate(ImageQuery, c.req.query(), fault)
      const { image, payload } = await callSite(service, siteId, (site) => site.read({ qrCodeUid }))
      const own: MediaType = image?.mediaType ?? 'image/png'
      const mediaType = preferred(c.req.header('Accept'), [own, ...MEDIA_TYPES])
      if (!mediaType) {
        const description = `Accept admits no picture, must admit ${MEDIA_TYPES.join(' or ')}`
        throw new ApiError('http.media.type.not.acceptable', description)
      }
      const size = asked.width || asked.height ? sizeOf(asked) : sizeOf(image ?? {})
      const drawn = draw({ mediaType, ...size }, payload)
      const ETag = etagOf(0, drawn)
      const headers = { ETag, Vary: 'Accept', 'Cache-Control': 'private, max-age=86400' }
      if (hasIt(c, ETag)) return answer(c, null, 304, headers)
      return answer(c, drawn, 200, { ...headers, 'Content-Type': mediaType })
    },
  },
]
