// The requests that every contender gets: to create a QR code, as a merchant's server sends them.
import { randomUUID } from 'node:crypto'
import { mintToken } from '../bin/mint-token.ts'

/** The secret that signs the access tokens of all contenders. */
export const SECRET = 'a secret for the bench alone, of 32 characters and more'

const SITE = 'demo'
const ORIGIN = 'http://qr.example'
const PATH = `/payin/v1/sites/${SITE}/sbp/qrCodes`
const token = await mintToken(SECRET, { siteId: SITE, scope: 'merchant', days: 1 })

/** The picture in the answer, 300 × 300 pixels where there is one. */
export type Picture = 'none' | 'svg' | 'png'

const MEDIA_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const

/** The body of a create; bodies differ in the identifier alone. */
const bodyOf = (qrCodeUid: string, picture: Picture) =>
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
  })

/** Makes HTTP requests, each for a QR code of its own, as the bytes that go over the connection. */
export function requests(picture: Picture): () => string {
  const [before = '', after = ''] = bodyOf('\n', picture).split('\\n')
  const head = [
    `POST ${PATH} HTTP/1.1`,
    `Host: ${new URL(ORIGIN).host}`,
    `Authorization: Bearer ${token}`,
    'Accept: application/json',
    'Content-Type: application/json',
    `Content-Length: ${before.length + randomUUID().length + after.length}`,
  ]
  const start = `${head.join('\r\n')}\r\n\r\n${before}`
  return () => start + randomUUID() + after
}

/** Asks to create a QR code. */
export const create = (port: number, qrCodeUid: string, picture: Picture = 'none') =>
  fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: bodyOf(qrCodeUid, picture),
    signal: AbortSignal.timeout(10_000),
  })

/** Creates a QR code. @throws Error unless that succeeds */
export async function created(port: number, qrCodeUid: string): Promise<Response> {
  const response = await create(port, qrCodeUid)
  const text = await response.text()
  if (!response.ok) throw new Error(`the service answered ${response.status}: ${text}`)
  return response
}

/** A page of QR codes. @param query such as `?status=CANCELLED` */
export async function list(port: number, query: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}${query}`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the list is answered ${response.status}`)
  return response.json()
}
