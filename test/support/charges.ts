// Charges of tokens.
import { qrCodeIn } from './client.ts'
import type { TokenSite } from './tokens.ts'

/** A QR code for 5.00 RUB that a token is charged for, and the paymentUid; the network is not asked unless said otherwise. */
export async function charged(site: TokenSite, request: Record<string, unknown> = {}, asked = false) {
  if (!asked) await site.rest()
  const token = await site.bound()
  const order = await site.make(request)
  const { payment } = await qrCodeIn(await site.charge(order.qrCodeUid, token.value))
  return { token, ...order, paymentUid: payment?.paymentUid ?? '' }
}
