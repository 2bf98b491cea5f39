// How a payment session stands, for the storefront: what can be paid, and nothing to pay with once it cannot.
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { codeIn, pictureIn } from '../../../../../lib/codes.js'
import { readSession, settle } from '../../../../../lib/settle.js'

export async function GET({ params, scope }: MedusaRequest, response: MedusaResponse): Promise<void> {
  const { id = '' } = params
  // A read that finds it paid records that: a notification can be late.
  const state = await settle(scope, id)
  const session = await readSession(scope, id)
  const code = codeIn(session?.data)
  if (state === 'unknown' || !session || !code) {
    response.status(404).json({ type: 'not_found', message: `Payment session ${id} was not found` })
    return
  }
  if (state !== 'open') {
    response.json({ state, amount: code.amount })
    return
  }
  const { qrCode, pageUrl, expiresOn } = await session.shop.fps.getQrCode(code.qrCodeUid)
  const picture = pictureIn(session.data)
  response.json({ state, amount: code.amount, link: qrCode.payload, pageUrl, expiresOn, picture })
}
