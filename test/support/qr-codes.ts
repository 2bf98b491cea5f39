// What a QR code goes through in the tests of its life.
import { parseLink } from '../../src/fps/link.ts'
import { type Call, COLLECTION, call, create, qrCodeBody, serviceWith, tokenOf } from './service.ts'

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

export async function eventsOf({ path }: Fresh, options: Call = {}) {
  const response = await call(`${path}/events`, options)
  return (
    await response.json<{ events: { status: string; by: string; dateTime: string; payment?: unknown }[] }>()
  ).events
}
