// Long polls: reads of a QR code that wait for a change, where the caller asks for it.
import type { Context } from 'hono'
import type { QrCode } from '../contract/qr-code.ts'
import type { QrCodeKey } from '../site/qr-codes.ts'
import type { AnswerHeaders } from './answer.ts'
import { waitOf } from './conditional.ts'
import type { Service } from './service.ts'
import { callSite } from './sites.ts'

/**
 * A call waits no longer, and the Worker calls again: the listener of a Worker that is lost outlives it by no more.
 * Shorter calls would burden the object: 9,000 listeners make 450 calls a second.
 */
const MAX_CALL_MS = 20_000

/**
 * The QR code as it stands: at once, or, where Prefer: wait asks for it, when it has another version than If-None-Match
 * names. The wait is a number of calls, so a clock that steps back does not prolong it.
 * @returns the QR code, and Preference-Applied where the request waited
 * @throws ApiError payin.resource.not.found
 */
export async function readWhenChanged(
  c: Context,
  service: Service,
  siteId: string,
  key: QrCodeKey,
): Promise<{ qrCode: QrCode; headers: AnswerHeaders }> {
  const wait = waitOf(c)
  if (!wait) return { qrCode: await callSite(service, siteId, (site) => site.read(key)), headers: {} }

  const { version } = wait
  const end = service.now() + wait.milliseconds
  const id = service.random(8).toHex()
  const { signal } = c.req.raw
  // Should this call fail, the listener ends with the time of its own call.
  const stop = () =>
    service.keepAlive(
      service
        .site(siteId)
        .stopListening(id)
        .catch(() => {}),
    )
  signal.addEventListener('abort', stop, { once: true })

  let hasWaited = false
  for (let left = wait.milliseconds; ; ) {
    const atMost = Math.min(left, MAX_CALL_MS)
    left -= atMost
    const { qrCode, waited } = await callSite(
      service,
      siteId,
      // Sent again, it waits for what is left of the time.
      (site) => site.longPoll(key, { id, version, milliseconds: Math.min(atMost, end - service.now()) }),
      // A caller that waits gets its answer, however the object was lost.
      () => true,
    )
    hasWaited ||= waited
    if (left === 0 || !waited || qrCode.version !== version || signal.aborted) {
      const applied = hasWaited ? `wait=${wait.milliseconds / 1000}` : undefined
      return { qrCode, headers: { 'Preference-Applied': applied } }
    }
  }
}
