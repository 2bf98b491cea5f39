// A site of a service in another process, whose answers are read at once; QR code `a` is paid by payment `pay-a`.
import { z } from 'zod'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { type Call, linkIdOf, siteClient } from './client.ts'
import { overHttp } from './over-http.ts'

export interface Answered {
  status: number
  headers: Headers
  text: string
}

export async function answerTo(request: Promise<Response>): Promise<Answered> {
  const response = await request
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export type Site = ReturnType<typeof siteAt>

/** @param address of the service; a function where that changes */
export function siteAt(address: () => string, secret: string, siteId: string) {
  const send = overHttp(address, secret, siteId)
  const client = siteClient(siteId, send)
  /** Creates a QR code of 5.00, unless said otherwise. */
  const create = (qrCodeUid: string, more: Record<string, unknown> = {}, qrCode = {}) =>
    answerTo(client.create({ qrCodeUid, ...more }, qrCode))
  /** Calls an endpoint below the site, or at a path of the network or the sandbox. */
  const ask = (path: string, call: Call = {}): Promise<Answered> => {
    if (path.startsWith('/network/')) return answerTo(send('network', path, call))
    return answerTo(path.startsWith('/sandbox/') ? send('merchant', path, call) : client.ask(path, call))
  }
  return {
    siteId,
    create,
    ask,
    /** The value of an answer, which must be a success. */
    async value(path: string, call?: Call): Promise<unknown> {
      const answered = await ask(path, call)
      if (answered.status !== 200) throw new Error(`${answered.status} ${answered.text}`)
      return valueIn(answered)
    },
    /** Creates a QR code, and reports its payment; the status of the report. */
    async pay(qrCodeUid: string): Promise<number> {
      const created = await create(qrCodeUid)
      if (created.status !== 200) return created.status
      return (await answerTo(client.report(linkIdIn(created), `pay-${qrCodeUid}`))).status
    },
    /** The network's report of a payment of 5.00, unless said otherwise. */
    report: (linkId: string, paymentUid: string, body?: Record<string, unknown>) =>
      answerTo(client.report(linkId, paymentUid, body)),
    /** The network's report of a binding: the customer's consent. */
    bind: (linkId: string, bindingUid: string) => answerTo(client.bind(linkId, {}, bindingUid)),
    refund: (paymentUid: string, refundUid: string, value: number) =>
      answerTo(client.refund(paymentUid, value, refundUid)),
    /** The network's report of a refund. */
    reportRefund: (paymentUid: string, refundUid: string, body: unknown) =>
      answerTo(client.reportRefund(paymentUid, refundUid, body)),
  }
}

/** The JSON of an answer. */
export const valueIn = ({ text }: Answered): unknown => JSON.parse(text)

/** The QR code of an answer. */
export const qrCodeOf = (answered: Answered): QrCodeAnswer => QrCodeAnswer.parse(valueIn(answered))

/** The id in the link of the QR code of an answer. */
export const linkIdIn = (answered: Answered): string => linkIdOf(qrCodeOf(answered).qrCode.payload)

/** The errorCode of an answer. */
export const errorCodeOf = (answered: Answered): string =>
  z.object({ errorCode: z.string() }).parse(valueIn(answered)).errorCode
