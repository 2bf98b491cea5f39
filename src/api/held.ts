// Reads of a QR code that wait for a change, where the caller asks for that.
import type { Context } from 'hono'
import type { QrCode } from '../contract/qr-code.ts'
import type { QrCodeKey } from '../site/qr-codes.ts'
import { holdOf } from './conditional.ts'
import type { Service } from './service.ts'
import { callSite } from './sites.ts'

/**
 * The QR code as it stands: at once, or when it is no more what If-None-Match knows, within the time of Prefer: wait.
 * @throws ApiError payin.resource.not.found
 */
export function readHeld(c: Context, service: Service, siteId: string, key: QrCodeKey): Promise<QrCode> {
  const hold = holdOf(c)
  const end = service.now() + (hold?.milliseconds ?? 0)
  return callSite(service, siteId, (site) =>
    // Sent again, it waits for what is left of the time.
    site.read(key, hold && { ...hold, milliseconds: end - service.now() }),
  )
}
