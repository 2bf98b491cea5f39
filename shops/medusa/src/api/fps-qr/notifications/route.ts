// Where the service sends its notifications. The answer comes after the work: what was answered 2xx is recorded.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import type { MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, MedusaError } from '@medusajs/framework/utils'
import { notifiedCode } from '../../../lib/notified.js'
import { shopsOf } from '../../../lib/settings.js'
import { type SessionState, settle } from '../../../lib/settle.js'
import { markTold } from '../../../lib/unclaimed.js'

export async function POST(
  { rawBody, headers, scope }: MedusaRequest,
  response: MedusaResponse,
): Promise<void> {
  const logger = scope.resolve(ContainerRegistrationKeys.LOGGER)
  let refusal: MedusaError | undefined
  for (const { fps, settings } of shopsOf(scope)) {
    try {
      const qrCodeUid = await notifiedCode(fps, settings, rawBody, headers)
      if (qrCodeUid !== undefined && (await settleTold(scope, qrCodeUid)) === 'unknown')
        logger.warn(
          `fps-qr: no payment session has the QR code ${qrCodeUid}: its order, or Settings → SBP, shows what was paid`,
        )
      response.sendStatus(204)
      return
    } catch (error) {
      // Of another site of this shop, perhaps.
      if (!(error instanceof MedusaError) || error.type !== MedusaError.Types.UNAUTHORIZED) throw error
      refusal = error
    }
  }
  logger.warn(refusal?.message ?? 'fps-qr: no payment provider of @fps-qr/medusa is configured')
  response.sendStatus(401)
}

/** Settles, and has the money listed where that cannot be done: perhaps no order is ever made of it. */
async function settleTold(container: MedusaContainer, qrCodeUid: string): Promise<SessionState> {
  try {
    const state = await settle(container, qrCodeUid)
    if (state === 'unknown') await markTold(container, qrCodeUid)
    return state
  } catch (error) {
    await markTold(container, qrCodeUid)
    throw error
  }
}
