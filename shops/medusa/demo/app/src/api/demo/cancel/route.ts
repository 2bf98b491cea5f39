// What a shop's own timer does with an order that nobody pays: it cancels it by Medusa's workflow. For the tests.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { cancelOrderWorkflow } from '@medusajs/medusa/core-flows'

export async function POST(
  { body, scope }: MedusaRequest<{ order: string }>,
  response: MedusaResponse,
): Promise<void> {
  await cancelOrderWorkflow(scope).run({ input: { order_id: body.order } })
  response.sendStatus(200)
}
