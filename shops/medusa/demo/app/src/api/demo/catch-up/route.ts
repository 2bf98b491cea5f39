// Runs the job of the module at once. For the tests.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { Modules } from '@medusajs/framework/utils'

export async function POST({ scope }: MedusaRequest, response: MedusaResponse): Promise<void> {
  await scope.resolve(Modules.WORKFLOW_ENGINE).run('job-fps-qr-catch-up', {})
  response.sendStatus(200)
}
