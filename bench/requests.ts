// The requests that every contender gets, as a merchant's server sends them: to create a QR code, and to read one.
import { randomUUID } from 'node:crypto'
import { mintToken } from '../bin/mint-token.ts'
import { QrCodeAnswer } from '../src/contract/qr-code-answer.ts'
import { SECRET } from '../test/support/secret.ts'

export interface Site {
  id: string
  /** Its merchant's access token. */
  token: string
}

const HOST = 'qr.example'
export const siteOf = async (id: string): Promise<Site> => ({
  id,
  token: await mintToken(SECRET, { siteId: id, scope: 'merchant', days: 1 }),
})
const DEMO = await siteOf('demo')
export const ONE_SITE: readonly Site[] = [DEMO]
export const MANY_SITES: readonly Site[] = await Promise.all(
  Array.from({ length: 100 }, (_, number) => siteOf(`shop-${number}`)),
)

const pathOf = ({ id }: Site) => `/payin/v1/sites/${id}/sbp/qrCodes`

/** The picture in the answer, 300 × 300 pixels where there is one. */
export type Picture = 'none' | 'svg' | 'png'

const MEDIA_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const

/** The body of a create; bodies differ in the identifier alone. @param more fields, such as `receipt` */
const bodyOf = (qrCodeUid: string, picture: Picture, more: object) =>
  JSON.stringify({
    qrCodeUid,
    qrCode: {
      type: 'DYNAMIC',
      ttl: 60,
      ...(picture !== 'none' && { image: { mediaType: MEDIA_TYPES[picture], width: 300, height: 300 } }),
    },
    amount: { value: 1234.56, currency: 'RUB' },
    paymentPurpose: 'Order 1001, two items',
    redirectUrl: 'https://shop.example/orders/1001/thanks',
    ...more,
  })

/** What all requests of a site's merchant begin with, as the bytes that go over the connection. */
const headOf = (site: Site, method: string, path: string, headers: readonly string[] = []) =>
  [
    `${method} ${path} HTTP/1.1`,
    `Host: ${HOST}`,
    `Authorization: Bearer ${site.token}`,
    'Accept: application/json',
    ...headers,
    '\r\n',
  ].join('\r\n')

/** Makes requests to create, each for a QR code of its own; the sites take turns. @param more fields of the body */
export function creates(picture: Picture, sites = ONE_SITE, more: object = {}): () => string {
  // The bytes of UTF-8 as the connection writes them.
  const body = Buffer.from(bodyOf('\n', picture, more)).toString('latin1')
  const [before = '', after = ''] = body.split('\\n')
  const length = before.length + randomUUID().length + after.length
  const headers = ['Content-Type: application/json', `Content-Length: ${length}`]
  const starts = sites.map((site) => headOf(site, 'POST', pathOf(site), headers) + before)
  let sent = 0
  return () => starts[sent++ % starts.length] + randomUUID() + after
}

/** Makes requests of which each nth is the other's; the rest ask for the cheapest answer of the service. */
export function sometimes(nth: number, other: () => string): () => string {
  const health = `GET /healthz HTTP/1.1\r\nHost: ${HOST}\r\nAccept: application/json\r\n\r\n`
  let sent = 0
  return () => (sent++ % nth === 0 ? other() : health)
}

/** Makes requests to read the same QR code. */
export function reads(qrCodeUid: string): () => string {
  const request = headOf(DEMO, 'GET', `${pathOf(DEMO)}/${qrCodeUid}`)
  return () => request
}

const ask = (port: number, path: string, init: RequestInit = {}, site = DEMO): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${pathOf(site)}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${site.token}`, 'Content-Type': 'application/json' },
    signal: AbortSignal.timeout(10_000),
  })

/** Asks to create a QR code. */
export const create = (
  port: number,
  qrCodeUid: string,
  picture: Picture = 'none',
  site = DEMO,
  more: object = {},
): Promise<Response> => ask(port, '', { method: 'POST', body: bodyOf(qrCodeUid, picture, more) }, site)

/** Asks for a QR code. */
export const read = (port: number, qrCodeUid: string): Promise<Response> => ask(port, `/${qrCodeUid}`)

/** Creates a QR code. @throws Error unless that succeeds */
export async function created(port: number, qrCodeUid: string): Promise<Response> {
  const response = await create(port, qrCodeUid)
  const text = await response.text()
  if (!response.ok) throw new Error(`the service answered ${response.status}: ${text}`)
  return response
}

/** Creates a STATIC QR code of 100.00, and reports a payment of it. */
export async function paidStatic(port: number, qrCodeUid: string): Promise<void> {
  const amount = { value: 100 }
  const body = JSON.stringify({ qrCodeUid, qrCode: { type: 'STATIC' }, amount })
  const { qrCode } = QrCodeAnswer.parse(await (await ask(port, '', { method: 'POST', body })).json())
  const network = await mintToken(SECRET, { siteId: DEMO.id, scope: 'network', days: 1 })
  const link = new URL(qrCode.payload).pathname.split('/').at(-1)
  const reported = await fetch(
    `http://127.0.0.1:${port}/network/v1/sites/${DEMO.id}/qrCodes/${link}/payments/p-1`,
    {
      method: 'PUT',
      headers: { Authorization: `Bearer ${network}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ status: 'COMPLETED', amount }),
    },
  )
  if (!reported.ok) throw new Error(`the report is answered ${reported.status}: ${await reported.text()}`)
}

/** A page of 100 payments of a QR code. @param after such as `&cursor=…` */
export async function payments(port: number, qrCodeUid: string, after: string): Promise<unknown> {
  const response = await ask(port, `/${qrCodeUid}/payments?limit=100${after}`)
  if (!response.ok) throw new Error(`the list is answered ${response.status}`)
  return response.json()
}

/** A page of QR codes. @param query such as `?status=CANCELLED` */
export async function list(port: number, query: string): Promise<unknown> {
  const response = await ask(port, query)
  if (!response.ok) throw new Error(`the list is answered ${response.status}`)
  return response.json()
}

/** Asks for anything of the service. @param token of the operation's scope @throws Error where the answer is none of success */
export async function answerOf(
  { port, token }: { port: number; token: string },
  path: string,
  method = 'GET',
  body?: object,
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  if (!response.ok) throw new Error(`${path} is answered ${response.status}: ${await response.text()}`)
  return response.json()
}
