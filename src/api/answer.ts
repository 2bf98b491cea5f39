// A QR code as the API answers it: with the addresses and the offset of this deployment.
import { grants } from '../contract/access-token.ts'
import type { Caller } from '../contract/caller.ts'
import type { QrCode } from '../contract/qr-code.ts'
import { type DrawnImage, type QrCodeAnswer, qrCodeAnswer } from '../contract/qr-code-answer.ts'
import type { SiteContext } from '../gateway/context.ts'
import { pageUrl } from '../gateway/links.ts'

/** @param image the drawn picture, where the answer has one */
export const answerOf = (
  { service: { config }, siteId, origin, caller }: SiteContext,
  qrCode: QrCode,
  image?: DrawnImage,
): QrCodeAnswer =>
  qrCodeAnswer(qrCode, {
    utcOffset: config.utcOffset,
    showsTokens: showsTokens(caller),
    pageUrl: pageUrl(config, siteId, origin, qrCode),
    image,
  })

/** Whether a caller may see the values of tokens. */
export const showsTokens = ({ scopes }: Caller): boolean => grants({ scope: scopes }, ['merchant'])

/** The header of a request that can be repeated: whether an earlier one had the effect. */
export const replayed = (isReplayed: boolean) => ({ 'Idempotent-Replayed': isReplayed ? 'true' : undefined })
