// The sessions that wait for a payment: those of cancelled orders can be paid no more, those that are paid are recorded.
import { ConnectionError, UnavailableError } from '@fps-qr/client'
import type { Logger, MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'
import { codeIn } from './codes.js'
import { cancelCode } from './orders.js'
import { isOfCancelledOrder } from './owner.js'
import { shopsOf } from './settings.js'
import { settle } from './settle.js'

/** How long a session is looked at after its code ended: the bank can tell of a payment late. */
const AFTER_END_MS = 24 * 60 * 60 * 1000

const Session = z.object({
  ...{ id: z.string(), provider_id: z.string(), data: z.unknown() },
  payment: z.object({ captured_at: z.unknown() }).nullish(),
})
type Session = z.infer<typeof Session>

/** Looks at each waiting session; one that fails keeps no other back, and is looked at again the next time. */
export async function catchUp(container: MedusaContainer): Promise<void> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER)
  for (const { providerId, settings } of shopsOf(container)) {
    const since = new Date(Date.now() - settings.ttl * 60_000 - AFTER_END_MS)
    const { data } = await query.graph({
      entity: 'payment_session',
      fields: ['id', 'provider_id', 'data', 'payment.captured_at'],
      filters: { provider_id: providerId, created_at: { $gt: since } },
    })
    await lookAt(container, logger, z.array(Session).parse(data))
  }
}

async function lookAt(container: MedusaContainer, logger: Logger, sessions: Session[]): Promise<void> {
  for (const session of sessions) {
    if (session.payment?.captured_at || !codeIn(session.data)) continue
    try {
      if (await isOfCancelledOrder(container, session.id)) await cancelCode(container, session)
      else await settle(container, session.id)
    } catch (error) {
      logger.warn(`fps-qr: ${session.id}: ${error instanceof Error ? error.message : error}`)
      // The service is down for the others too.
      if (error instanceof ConnectionError || error instanceof UnavailableError) return
    }
  }
}
