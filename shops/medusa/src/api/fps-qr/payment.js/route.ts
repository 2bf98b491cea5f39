// The component of the storefront: `<script type="module" src="…/fps-qr/payment.js">`.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { answerScript, component } from '../../../lib/scripts.js'

export const GET = (_: MedusaRequest, response: MedusaResponse): void => answerScript(response, component)
