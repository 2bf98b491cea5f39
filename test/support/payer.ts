// A payer who opens the page of a QR code and sends its forms.
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { type Call, qrCodeBody } from './client.ts'
import { expire } from './qr-codes.ts'
import { COLLECTION, call, create, FORM, ORIGIN, sandbox, serviceWith } from './service.ts'

export const external = serviceWith({})

export const amount = { value: 1500.5 }

export const paymentPurpose = 'Две кружки'

export const made = (more: Record<string, unknown> = {}, qrCode: Record<string, unknown> = {}) =>
  create(qrCodeBody({ amount, paymentPurpose, ...more }, qrCode), {}, sandbox)

/** Sends a request to a link, as a browser does: without a token. */
export const open = (link: string, { headers, ...more }: Call = {}, service = sandbox) =>
  call(link.slice(ORIGIN.length), { token: null, headers: { ...headers }, ...more }, service)

export const read = async (link: string, language = 'ru', service = sandbox) =>
  (await open(link, { headers: { 'Accept-Language': language } }, service)).text()

/** Sends the form of the page. */
export const submit = (link: string, fields: Record<string, string>, service = sandbox) =>
  open(
    link,
    {
      body: new URLSearchParams(fields).toString(),
      headers: FORM,
    },
    service,
  )

export const item = ({ qrCodeUid }: QrCodeAnswer) => `${COLLECTION}/${qrCodeUid}`

export const statusOf = async (qrCode: QrCodeAnswer) =>
  ((await (await call(item(qrCode))).json()) as QrCodeAnswer).qrCode.status

export const INTO: Record<string, (qrCode: QrCodeAnswer) => Promise<unknown>> = {
  CREATED: async () => {},
  DECLINED: ({ qrCode }) => submit(qrCode.payload, { action: 'decline' }),
  PAYED: ({ qrCode }) => submit(qrCode.payload, { action: 'pay' }),
  EXPIRED: ({ qrCodeUid }) => expire(qrCodeUid),
  CANCELLED: (qrCode) => call(item(qrCode), { method: 'DELETE' }),
}
