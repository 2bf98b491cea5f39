// A site as its merchant and the payment network call it, however the requests are sent.
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { parseLink } from '../../src/fps/link.ts'
import { strict } from './strict.ts'

export interface Call {
  method?: string
  /** A value is sent as JSON, a string or bytes as they are. */
  body?: unknown
  /** An empty value removes a header. */
  headers?: Record<string, string>
  /** The token; null sends none. */
  token?: string | null
}

export type Fetch = (request: Request) => Response | Promise<Response>

/** Makes the request; JSON unless its headers say otherwise. */
export function requestOf(url: string, { method, body, headers, token }: Call): Request {
  const all = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' })
  if (token) all.set('Authorization', `Bearer ${token}`)
  for (const [name, value] of Object.entries(headers ?? {}))
    value === '' ? all.delete(name) : all.set(name, value)
  const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
  return new Request(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: all,
    ...(body !== undefined && { body: raw ? body : JSON.stringify(body) }),
  })
}

/** The smallest request, and whatever else is given. */
export const qrCodeBody = (more: Record<string, unknown> = {}, qrCode: Record<string, unknown> = {}) => ({
  qrCodeUid: crypto.randomUUID(),
  qrCode: { type: 'DYNAMIC', ...qrCode },
  ...more,
})

/** The id in a link; empty where it is not a link. */
export const linkIdOf = (payload: string): string => parseLink(payload)?.id ?? ''

const StrictQrCodeAnswer = strict(QrCodeAnswer)

/** Reads the answer to a create, which must succeed and have the contract's shape. */
export async function qrCodeIn(response: Response): Promise<QrCodeAnswer> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return StrictQrCodeAnswer.parse(await response.json())
}

/** The text of an answer that is not of a media type for text, as NDJSON: `text()` of workerd prints a warning for it. */
export const textIn = async (response: Response): Promise<string> =>
  new TextDecoder().decode(await response.arrayBuffer())

/** A QR code that was made. */
export interface Made {
  qrCodeUid: string
  /** The id of its link. */
  linkId: string
  answer: QrCodeAnswer
}

/** How requests reach the service, by default with a token of the one who sends them. */
export type Send = (actor: 'merchant' | 'network', path: string, call: Call) => Promise<Response>

export type SiteClient = ReturnType<typeof siteClient>

/** A site. Amounts are numbers, as in a request. */
export function siteClient(siteId: string, send: Send) {
  const path = `/payin/v1/sites/${siteId}`
  const ask = (below: string, call: Call = {}) => send('merchant', path + below, call)
  /** A report of the network. */
  const tell = (below: string, body: unknown, call: Call = {}) =>
    send('network', `/network/v1/sites/${siteId}${below}`, { method: 'PUT', body, ...call })
  const refundPath = (paymentUid: string, refundUid: string) => `/payments/${paymentUid}/refunds/${refundUid}`
  /** Creates a QR code for 5.00 RUB, unless said otherwise. */
  const create = (
    more: Record<string, unknown> = {},
    qrCode: Record<string, unknown> = {},
    call: Call = {},
  ) => ask('/sbp/qrCodes', { body: qrCodeBody({ amount: { value: 5 }, ...more }, qrCode), ...call })
  /** The network's report of a payment of 5.00 RUB, unless said otherwise. */
  const report = (linkId: string, paymentUid: string, body: Record<string, unknown> = {}, call: Call = {}) =>
    tell(
      `/qrCodes/${linkId}/payments/${encodeURIComponent(paymentUid)}`,
      { status: 'COMPLETED', amount: { value: 5 }, ...body },
      call,
    )
  return {
    siteId,
    /** The path of the site. */
    path,
    ask,
    tell,
    create,
    /** The same, which must succeed. */
    async make(...request: Parameters<typeof create>): Promise<Made> {
      const answer = await qrCodeIn(await create(...request))
      return { qrCodeUid: answer.qrCodeUid, linkId: linkIdOf(answer.qrCode.payload), answer }
    },
    report,
    /** The same, of a payment that is new unless it is named. */
    async pay(
      linkId: string,
      body: Record<string, unknown> = {},
      paymentUid: string = crypto.randomUUID(),
    ): Promise<{ status: number; paymentUid: string }> {
      const { status } = await report(linkId, paymentUid, body)
      return { status, paymentUid }
    },
    /** The network's report of a binding: the customer's consent, unless said otherwise. */
    bind: (linkId: string, body: Record<string, unknown> = {}, bindingUid: string = crypto.randomUUID()) =>
      tell(`/qrCodes/${linkId}/bindings/${bindingUid}`, { status: 'CREATED', ...body }),
    /** Requests a refund. */
    refund: (
      paymentUid: string,
      value: unknown,
      refundUid: string = crypto.randomUUID(),
      more: Record<string, unknown> = {},
    ) => ask(refundPath(paymentUid, refundUid), { method: 'PUT', body: { amount: { value }, ...more } }),
    readRefund: (paymentUid: string, refundUid: string) => ask(refundPath(paymentUid, refundUid)),
    /** The network's report of a refund. */
    reportRefund: (paymentUid: string, refundUid: string, body: unknown) =>
      tell(refundPath(paymentUid, refundUid), body),
  }
}
