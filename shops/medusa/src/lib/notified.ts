// Which code a notification is about. Nothing else of it is believed: the code is read.
import { type FpsQr, NotificationError, notificationKeys, orderOf, verifyNotification } from '@fps-qr/client'
import { MedusaError } from '@medusajs/framework/utils'
import type { Settings } from './settings.js'

/**
 * The code of a notification; undefined if it is about none.
 * @param body as it came
 * @throws MedusaError UNAUTHORIZED unless a notification key of the site signed it
 */
export async function notifiedCode(
  fps: FpsQr,
  { notificationKey, testSite }: Settings,
  body: unknown,
  headers: Record<string, unknown>,
): Promise<string | undefined> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) throw unauthorized('the body is missing')
  const texts = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  try {
    const keys = notificationKeys(notificationKey)
    const notification = await verifyNotification({ body, headers: Object.fromEntries(texts), keys })
    return await orderOf(fps, notification, { testSite })
  } catch (error) {
    throw error instanceof NotificationError ? unauthorized(error.message) : error
  }
}

const unauthorized = (reason: string) =>
  new MedusaError(MedusaError.Types.UNAUTHORIZED, `fps-qr: notification refused: ${reason}`)
