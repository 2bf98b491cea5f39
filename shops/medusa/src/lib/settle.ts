// Records in Medusa what the read of a code says: the one way in which an order becomes paid.
import { fromKopecks, readOrder, toKopecks } from '@fps-qr/client'
import type { MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, MedusaError, Modules, PaymentActions } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'
import { processPaymentWorkflow } from '@medusajs/medusa/core-flows'
import { codeIn } from './codes.js'
import { ownerOf } from './owner.js'
import { type Shop, shopOf } from './settings.js'

const Session = z.object({
  id: z.string(),
  provider_id: z.string(),
  payment_collection_id: z.string(),
  data: z.unknown(),
  payment: z
    .object({
      id: z.string(),
      captured_at: z.unknown(),
      captures: z.array(z.object({ id: z.string() })).default([]),
      refunds: z.array(z.object({ id: z.string() })).default([]),
    })
    .nullish(),
})
type Session = z.infer<typeof Session>

/** A session of this package; undefined if there is none: it was deleted, or never was. */
export async function readSession(
  container: MedusaContainer,
  sessionId: string,
): Promise<(Session & { shop: Shop }) | undefined> {
  const query = container.resolve(ContainerRegistrationKeys.QUERY)
  const { data } = await query.graph({
    entity: 'payment_session',
    fields: [
      ...['id', 'provider_id', 'payment_collection_id', 'data'],
      ...['payment.id', 'payment.captured_at', 'payment.captures.id', 'payment.refunds.id'],
    ],
    filters: { id: sessionId },
  })
  const session = z.array(Session).parse(data)[0]
  const shop = session && shopOf(container, session.provider_id)
  return session && shop && { ...session, shop }
}

/** Seconds. A notification is answered within 10, and comes again. */
const LOCK_TIMEOUT = 8

/** How a session stands; `unknown` if it is none of this package. */
export type SessionState = 'open' | 'paid' | 'ended' | 'unknown'

/**
 * Reads the code of a session, and where it is paid, records the payment once, with the order that it pays.
 * @throws Error if it is paid and could not be recorded: the caller says so, and it is tried again
 */
export async function settle(container: MedusaContainer, sessionId: string): Promise<SessionState> {
  const locking = container.resolve(Modules.LOCKING)
  return locking.execute(`fps-qr:${sessionId}`, () => settleLocked(container, sessionId), {
    timeout: LOCK_TIMEOUT,
  })
}

async function settleLocked(container: MedusaContainer, sessionId: string): Promise<SessionState> {
  const session = await readSession(container, sessionId)
  const code = session && codeIn(session.data)
  if (!session || !code) return 'unknown'
  const { state, returned } = await readOrder(session.shop.fps, code)
  if (state !== 'paid') return state
  // The steps of Medusa can be repeated, but each run tells the shop's subscribers of a captured payment.
  if (await isSettled(container, session)) return 'paid'
  // Its money went back before it was recorded: it pays nothing.
  if (returned) return 'ended'
  const amount = fromKopecks(toKopecks(code.amount.value))
  await processPaymentWorkflow(container).run({
    input: { action: PaymentActions.SUCCESSFUL, data: { session_id: sessionId, amount } },
  })
  const after = await readSession(container, sessionId)
  if (after && (await isSettled(container, after))) return 'paid'
  throw new MedusaError(
    MedusaError.Types.UNEXPECTED_STATE,
    `fps-qr: the payment of ${sessionId} is not recorded yet`,
  )
}

/** Whether nothing of a payment is left to record: it is captured, the order is there, and has the capture among its transactions. */
async function isSettled(
  container: MedusaContainer,
  { payment, payment_collection_id }: Session,
): Promise<boolean> {
  if (!payment?.captured_at) return false
  const { orderId: order_id, cartId } = await ownerOf(container, payment_collection_id)
  // A cart that could not be completed has its money back, and no order follows.
  if (order_id === undefined) return payment.refunds.length > 0 || cartId === undefined
  const ids = payment.captures.map(({ id }) => id)
  const transactions = await container
    .resolve(Modules.ORDER)
    .listOrderTransactions({ order_id, reference: 'capture', reference_id: ids })
  return ids.every((id) => transactions.some(({ reference_id }) => reference_id === id))
}
