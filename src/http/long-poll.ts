// Reads of a QR code that wait for a change, where the caller asks for that.
import type { Context } from 'hono'
import type { QrCode } from '../contract/qr-code.ts'
import type { Service } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import type { QrCodeKey } from '../site/qr-codes.ts'
import { holdOf } from './conditional.ts'
import type { AnswerHeaders } from './response.ts'

/**
 * The QR code as it stands: at once, or when it is no more what If-None-Match knows, within the time of Prefer: wait.
 * @returns the QR code, and the header that says whether the preference was applied
 * @throws ApiError payin.resource.not.found
 */
export async function readHeld(
  c: Context,
  service: Service,
  siteId: string,
  key: QrCodeKey,
): Promise<{ qrCode: QrCode; headers: AnswerHeaders }> {
  const hold = holdOf(c)
  const end = service.now() + (hold?.milliseconds ?? 0)
  const qrCode = await callSite(
    service,
    siteId,
    // Sent again, it waits for what is left of the time.
    (site) => site.read(key, hold && { ...hold, milliseconds: end - service.now() }),
    // Whoever waits is not to be stranded, however the object was lost.
    hold && (() => true),
  )
  return { qrCode, headers: { 'Preference-Applied': hold && `wait=${hold.milliseconds / 1000}` } }
}
