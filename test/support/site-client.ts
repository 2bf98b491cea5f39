// A site of a service that runs in another process, as its merchant and as the payment network see it.
import { z } from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { parseLink } from '../../src/fps/link.ts'

export interface Answered {
  status: number
  headers: Headers
  text: string
}

export interface Site {
  siteId: string
  /** Calls an endpoint below the site, with a token that may do everything, or what `scope` allows. */
  ask(
    path: string,
    options?: { method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answered>
  /** Creates a QR code of 5.00. */
  create(qrCodeUid: string): Promise<Answered>
  /** Creates a QR code, and reports its payment `pay-{uid}`; the status of the report. */
  pay(qrCodeUid: string): Promise<number>
  refund(paymentUid: string, refundUid: string, value: number): Promise<Answered>
}

/** @param address of the service; a function where that changes */
export async function siteClient(address: () => string, secret: string, siteId: string): Promise<Site> {
  const [merchant, network] = await Promise.all(
    ['merchant:admin', 'network'].map((scope) => mintToken(secret, { siteId, scope, days: 1 })),
  )
  const call = async (
    token: string | undefined,
    path: string,
    method: string,
    body?: unknown,
    headers = {},
  ) => {
    const response = await fetch(address() + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const site: Site = {
    siteId,
    ask: (path, { method = 'GET', body, headers } = {}) =>
      path.startsWith('/network/')
        ? call(network, path, method, body, headers)
        : call(
            merchant,
            path.startsWith('/sandbox/') ? path : `/payin/v1/sites/${siteId}${path}`,
            method,
            body,
            headers,
          ),
    create: (qrCodeUid) =>
      site.ask('/sbp/qrCodes', {
        method: 'POST',
        body: { qrCodeUid, qrCode: { type: 'DYNAMIC' }, amount: { value: 5 } },
      }),
    async pay(qrCodeUid) {
      const created = await site.create(qrCodeUid)
      if (created.status !== 200) return created.status
      const { payload } = QrCodeAnswer.parse(JSON.parse(created.text)).qrCode
      const path = `/network/v1/sites/${siteId}/qrCodes/${parseLink(payload)?.id}/payments/pay-${qrCodeUid}`
      const body = { status: 'COMPLETED', amount: { value: 5 } }
      return (await site.ask(path, { method: 'PUT', body })).status
    },
    refund: (paymentUid, refundUid, value) =>
      site.ask(`/payments/${paymentUid}/refunds/${refundUid}`, {
        method: 'PUT',
        body: { amount: { value } },
      }),
  }
  return site
}

/** The errorCode of an answer. */
export const errorCodeOf = ({ text }: Answered): string =>
  z.object({ errorCode: z.string() }).parse(JSON.parse(text)).errorCode
