// The money of carts without an order.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { unclaimedOf } from '../../../../lib/unclaimed.js'

export async function GET({ scope }: MedusaRequest, response: MedusaResponse): Promise<void> {
  response.json({ payments: await unclaimedOf(scope) })
}
