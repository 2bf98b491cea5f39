// The component of the storefront: <script src="…/fps-qr/payment.js">.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'

const script = readFileSync(join(__dirname, '../../../storefront/fps-qr-payment.js'), 'utf8')

export function GET(_: MedusaRequest, response: MedusaResponse): void {
  response.type('text/javascript').set('Cache-Control', 'max-age=300').send(script)
}
