// What the component imports.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { answerScript, element } from '../../../lib/scripts.js'

export const GET = (_: MedusaRequest, response: MedusaResponse): void => answerScript(response, element)
