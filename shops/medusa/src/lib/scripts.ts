// The scripts of the storefront, as the routes answer them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MedusaResponse } from '@medusajs/framework/http'

/** From `.medusa/server/src/lib`. */
export const component = readFileSync(join(__dirname, '../../../../storefront/payment.mjs'), 'utf8')
export const element = readFileSync(require.resolve('@fps-qr/client/payment-element'), 'utf8')

/** A storefront is a site of its own: its pages load the scripts from the shop. */
export const answerScript = (response: MedusaResponse, script: string): void =>
  void response
    .type('text/javascript')
    .set({ 'Cache-Control': 'max-age=300', 'Access-Control-Allow-Origin': '*' })
    .send(script)
