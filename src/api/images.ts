// The picture of a QR code at its own address (contract, section 7).
import * as z from 'zod/mini'
import { ImageQuery, MEDIA_TYPES, sizeOf } from '../contract/image.ts'
import { shownPayload } from '../contract/qr-code-answer.ts'
import { QrCodePath } from '../contract/uid.ts'
import { ApiError } from '../errors.ts'
import type { SiteContext } from '../gateway/context.ts'
import { draw } from '../gateway/render.ts'
import { callSite } from '../gateway/site-client.ts'
import { etagOf, IfNoneMatch } from '../http/conditional.ts'
import { preferred } from '../http/negotiation.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { QR_CODES_TAG } from './qr-codes.ts'

const Conditions = z.object({ Accept: z.optional(z.string()), 'If-None-Match': IfNoneMatch })

/** The operation on pictures. */
export const images = () => [
  operation({
    operationId: 'getQrCodeImage',
    method: 'get',
    path: '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/image',
    parameters: QrCodePath,
    query: ImageQuery,
    headers: Conditions,
    tag: QR_CODES_TAG,
    summary: 'Get the picture of a QR code',
    description:
      'A PNG or an SVG file. `Accept` chooses the format; by default it is the format that the create requested. Without `width` and `height` the picture has the size that the create requested.',
    scopes: ['merchant', 'merchant:read', 'merchant:till'],
    answer: { description: 'The picture', headers: ['ETag'], mediaTypes: MEDIA_TYPES },
    errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
    handle: getImage,
  }),
]

interface Input {
  path: QrCodePath
  query: z.output<typeof ImageQuery>
  headers: z.output<typeof Conditions>
}

async function getImage(site: SiteContext, { path, query, headers }: Input): Promise<ResponseContent<never>> {
  const qrCode = await callSite(site, (object) => object.read(site.caller, path))
  const payload = shownPayload(qrCode)
  if (payload === '') {
    throw new ApiError(
      'payin.incorrect-method-invocation',
      qrCode.status === 'INIT_PAYMENT_BY_TOKEN'
        ? 'a token is charged for the QR code, which has no picture meanwhile'
        : 'the link of the QR code was cancelled for a charge of a token, so it has no picture',
    )
  }
  const { image } = qrCode
  const mediaType = preferred(headers.Accept, [image?.mediaType ?? 'image/png', ...MEDIA_TYPES])
  if (!mediaType) {
    const description = `Accept admits no picture, must admit ${MEDIA_TYPES.join(' or ')}`
    throw new ApiError('http.media.type.not.acceptable', description)
  }
  const size = query.width || query.height ? sizeOf(query) : sizeOf(image ?? {})
  const drawn = draw({ mediaType, ...size }, payload)
  return {
    file: drawn,
    headers: {
      'Content-Type': mediaType,
      ETag: etagOf(0, drawn),
      Vary: 'Accept',
      'Cache-Control': 'private, max-age=86400',
    },
  }
}
