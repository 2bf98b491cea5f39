// The money that came for an order.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { incomeOf } from '../../../../../lib/income.js'

export async function GET({ params, scope }: MedusaRequest, response: MedusaResponse): Promise<void> {
  response.json({ payments: await incomeOf(scope, params.id ?? '') })
}
