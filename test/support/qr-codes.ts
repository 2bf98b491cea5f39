// What a QR code goes through in the tests of its life.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { EventsAnswer, FeedAnswer } from '../../src/contract/event.ts'
import { PaymentAnswer, PaymentsAnswer } from '../../src/contract/payment.ts'
import { type Call, siteClient } from './client.ts'
import { COLLECTION, call, inProcess, tokenOf } from './service.ts'
import { strict } from './strict.ts'

const demo = siteClient('demo', inProcess('demo'))

/** A new QR code for 5.00 RUB, unless said otherwise. */
export async function fresh(
  more: Record<string, unknown> = {},
  qrCode: Record<string, unknown> = {},
  options: Call = {},
) {
  const { qrCodeUid: uid, linkId } = await demo.make(more, qrCode, { token: await tokenOf(), ...options })
  return { uid, linkId, path: `${COLLECTION}/${encodeURIComponent(uid)}` }
}
export type Fresh = Awaited<ReturnType<typeof fresh>>

/** The network's report of a payment of 5.00 RUB, unless said otherwise. */
export async function report(
  { linkId }: Pick<Fresh, 'linkId'>,
  body: Record<string, unknown> = {},
  paymentUid: string = crypto.randomUUID(),
  exp = {},
) {
  return demo.report(linkId, paymentUid, body, { token: await tokenOf({ scope: 'network', ...exp }) })
}

/** Moves the creation of a QR code, and so its expiry, far into the past. */
export const expire = (uid: string, siteId = 'demo') =>
  runInDurableObject(env.SITES.getByName(siteId), (_, { storage }) => {
    storage.sql.exec('UPDATE qr_codes SET created_at = 1 WHERE qr_code_uid = ?', uid)
  })

export const cancel = ({ path }: Fresh, options: Call = {}) => call(path, { method: 'DELETE', ...options })

export async function statusOf({ path }: Fresh, options: Call = {}): Promise<string> {
  const answer = await (await call(path, options)).json<{ qrCode: { status: string } }>()
  return answer.qrCode.status
}

/** All events of a QR code, if there are at most 100. */
export async function eventsOf({ path }: Pick<Fresh, 'path'>, options: Call = {}) {
  const response = await call(`${path}/events`, options)
  return strict(EventsAnswer).parse(await response.json()).events
}

/** A page of a site's feed. @param after `nextCursor` of the page before; by default the first page */
export async function feedPage(after = '', query: Record<string, string> = {}, options: Call = {}) {
  const parameters = new URLSearchParams({ ...(after && { after }), ...query })
  const response = await call(`/payin/v1/sites/demo/events?${parameters}`, options)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return strict(FeedAnswer).parse(await response.json())
}

/** The payment attempts of a QR code, if there are at most 100. */
export async function paymentsOf({ path }: Pick<Fresh, 'path'>, options: Call = {}) {
  const response = await call(`${path}/payments`, options)
  return strict(PaymentsAnswer).parse(await response.json()).payments
}

/** A payment attempt of site demo; undefined if there is none. */
export async function paymentOf(paymentUid: string, options: Call = {}) {
  const response = await call(`/payin/v1/sites/demo/payments/${paymentUid}`, options)
  return response.status === 404 ? undefined : strict(PaymentAnswer).parse(await response.json())
}
