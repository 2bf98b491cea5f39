// Refunds a surplus payment of an order.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { incomeOf, refundIncome } from '../../../../../../../../lib/income.js'

export async function POST({ params, scope }: MedusaRequest, response: MedusaResponse): Promise<void> {
  const { id = '', payment_id = '' } = params
  await refundIncome(scope, id, payment_id)
  response.json({ payments: await incomeOf(scope, id) })
}
