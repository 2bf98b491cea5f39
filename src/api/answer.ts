// A QR code as the API answers it: with the addresses and the offset of this deployment.
import type { QrCode } from '../contract/qr-code.ts'
import { type DrawnImage, type QrCodeAnswer, qrCodeAnswer } from '../contract/qr-code-answer.ts'
import type { SiteContext } from '../gateway/context.ts'
import { pageUrl } from '../gateway/links.ts'

/** @param image the drawn picture, where the answer has one */
export const answerOf = (
  { service: { config }, siteId, origin }: SiteContext,
  qrCode: QrCode,
  image?: DrawnImage,
): QrCodeAnswer =>
  qrCodeAnswer(qrCode, {
    utcOffset: config.utcOffset,
    pageUrl: pageUrl(config, siteId, origin, qrCode),
    image,
  })
