// Returns the money of a cart without an order.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { refundUnclaimed, unclaimedOf } from '../../../../../../lib/unclaimed.js'

export async function POST({ params, scope }: MedusaRequest, response: MedusaResponse): Promise<void> {
  await refundUnclaimed(scope, params.payment_id ?? '')
  response.json({ payments: await unclaimedOf(scope) })
}
