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

export type Site = ReturnType<typeof siteAt>

/** @param address of the service; a function where that changes */
export function siteAt(address: () => string, secret: string, siteId: string) {
  const send = overHttp(address, secret, siteId)
  const client = siteClient(siteId, send)
  const read = async (answer: Promise<Response>): Promise<Answered> => {
    const response = await answer
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  /** Creates a QR code of 5.00. */
  const create = (qrCodeUid: string) => read(client.create({ qrCodeUid }))
  return {
    siteId,
    create,
    /** Calls an endpoint below the site, or at a path of the network or the sandbox. */
    ask(path: string, call: Call = {}): Promise<Answered> {
      if (path.startsWith('/network/')) return read(send('network', path, call))
      return read(path.startsWith('/sandbox/') ? send('merchant', path, call) : client.ask(path, call))
    },
    /** Creates a QR code, and reports its payment; the status of the report. */
    async pay(qrCodeUid: string): Promise<number> {
      const created = await create(qrCodeUid)
      if (created.status !== 200) return created.status
      const { payload } = QrCodeAnswer.parse(JSON.parse(created.text)).qrCode
      return (await read(client.report(linkIdOf(payload), `pay-${qrCodeUid}`))).status
    },
    refund: (paymentUid: string, refundUid: string, value: number) =>
      read(client.refund(paymentUid, value, refundUid)),
  }
}

/** The errorCode of an answer. */
export const errorCodeOf = ({ text }: Answered): string =>
  z.object({ errorCode: z.string() }).parse(JSON.parse(text)).errorCode
