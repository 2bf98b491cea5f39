// What a QR code goes through in the tests of its life.
import { EventsAnswer, FeedAnswer } from '../../src/contract/event.ts'
import { PaymentAnswer, PaymentsAnswer } from '../../src/contract/payment.ts'
import { parseLink } from '../../src/fps/link.ts'
import { type Call, COLLECTION, call, create, qrCodeBody, serviceWith, tokenOf } from './service.ts'
import { strict } from './strict.ts'

export const sandbox = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } })

export const linkIdOf = (payload: string): string => parseLink(payload)?.id ?? ''

/** A new QR code for 5.00 RUB, unless said otherwise. */
export async function fresh(
  more: Record<string, unknown> = {},
  qrCode: Record<string, unknown> = {},
  options: Call = {},
) {
  const answer = await create(qrCodeBody({ amount: { value: 5 }, ...more }, qrCode), options)
  return {
    uid: answer.qrCodeUid,
    linkId: linkIdOf(answer.qrCode.payload),
    path: `${COLLECTION}/${encodeURIComponent(answer.qrCodeUid)}`,
  }
}
export type Fresh = Awaited<ReturnType<typeof fresh>>

/** The network's report of a payment of 5.00 RUB, unless said otherwise. */
export async function report(
  { linkId }: Pick<Fresh, 'linkId'>,
  body: Record<string, unknown> = {},
  paymentUid: string = crypto.randomUUID(),
  exp = {},
) {
  return call(`/network/v1/sites/demo/qrCodes/${linkId}/payments/${encodeURIComponent(paymentUid)}`, {
    method: 'PUT',
    token: await tokenOf({ scope: 'network', ...exp }),
    body: { status: 'COMPLETED', amount: { value: 5 }, ...body },
  })
}

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

/** A payment attempt of site demo; undefined where there is none. */
export async function paymentOf(paymentUid: string, options: Call = {}) {
  const response = await call(`/payin/v1/sites/demo/payments/${paymentUid}`, options)
  return response.status === 404 ? undefined : strict(PaymentAnswer).parse(await response.json())
}
