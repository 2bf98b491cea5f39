// The settings without their secrets, and whether the service accepts them.
import { checkSettings } from '@fps-qr/client'
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { shopsOf } from '../../../../lib/settings.js'

export function GET({ scope }: MedusaRequest, response: MedusaResponse): void {
  const providers = shopsOf(scope).map(({ providerId, settings }) => {
    const { baseUrl, siteId, testSite, ttl } = settings
    return { providerId, baseUrl, siteId, testSite, ttl }
  })
  response.json({ providers })
}

/** Makes a code of 1 rouble at each site, cancels it, and has a test notification sent. */
export async function POST({ scope }: MedusaRequest, response: MedusaResponse): Promise<void> {
  const checks = shopsOf(scope).map(async ({ providerId, settings }) => {
    const fault = await checkSettings(settings)
    return { providerId, ok: fault === undefined, ...fault }
  })
  response.json({ providers: await Promise.all(checks) })
}
