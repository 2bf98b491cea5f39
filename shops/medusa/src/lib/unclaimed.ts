// Money that came for a cart of which there is no order: no page of an order shows it.
import { fromKopecks } from '@fps-qr/client'
import type { MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, Modules } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'
import { clientOf, completedPayments, reading } from './clients.js'
import { storedCodes } from './codes.js'
import { refundSurplus } from './refunds.js'
import { refused } from './refused.js'

/** In the metadata of the payment collection: a notification told of money that could not be recorded. */
const KEY = 'fps_qr_told'

/** Has the money of a code listed, unless its order is there or comes. */
export async function markTold(container: MedusaContainer, qrCodeUid: string): Promise<void> {
  const knex = container.resolve(ContainerRegistrationKeys.PG_CONNECTION)
  await knex.raw(
    `update payment_collection set metadata = metadata || '{"${KEY}": true}'
     where metadata->'fps_qr_codes' @> to_jsonb(?::text)`,
    [qrCodeUid],
  )
}

export interface Unclaimed {
  collectionId: string
  qrCodeUid: string
  paymentId: string
  dateTime: string
  amount: string
  left: string
}

const Rows = z.object({ rows: z.array(z.object({ id: z.string(), metadata: z.unknown() })) })

/** The money of carts without an order, of which something is left. */
export const unclaimedOf = (container: MedusaContainer): Promise<Unclaimed[]> =>
  reading(() => readUnclaimed(container))

async function readUnclaimed(container: MedusaContainer): Promise<Unclaimed[]> {
  const knex = container.resolve(ContainerRegistrationKeys.PG_CONNECTION)
  const { rows } = Rows.parse(
    await knex.raw(
      `select id, metadata from payment_collection where metadata->>'${KEY}' = 'true' and not exists (
         select 1 from order_payment_collection
         where payment_collection_id = payment_collection.id and order_payment_collection.deleted_at is null)`,
    ),
  )
  const all: Unclaimed[] = []
  for (const { id: collectionId, metadata } of rows)
    for (const qrCodeUid of storedCodes(metadata)) {
      const fps = await clientOf(container, undefined, qrCodeUid)
      if (!fps) continue
      for await (const { payment, left } of completedPayments(fps, qrCodeUid)) {
        if (left === 0) continue
        const { paymentId, createdDateTime: dateTime, amount } = payment
        const what = { collectionId, qrCodeUid, paymentId, dateTime }
        all.push({ ...what, amount: amount.value, left: fromKopecks(left) })
      }
    }
  return all
}

/** Seconds: another refund of it waits for the bank. */
const LOCK_TIMEOUT = 30

/** Returns it. @throws MedusaError if there is no such money */
export async function refundUnclaimed(container: MedusaContainer, paymentId: string): Promise<void> {
  const find = async () => {
    const found = (await unclaimedOf(container)).find((each) => each.paymentId === paymentId)
    if (found) return found
    throw refused(`Payment ${paymentId} has an order, or is returned`)
  }
  const { qrCodeUid } = await find()
  const job = async () => {
    // Its order could be made meanwhile, or another one returned it.
    const { left: value } = await find()
    const fps = await clientOf(container, undefined, qrCodeUid)
    if (fps) await refundSurplus(fps, { paymentId, value })
  }
  // The lock of `settle`: no order is made of it while its money goes back.
  const options = { timeout: LOCK_TIMEOUT }
  await container.resolve(Modules.LOCKING).execute(`fps-qr:${qrCodeUid}`, job, options)
}
