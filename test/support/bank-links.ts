// A deployment whose links come from a connector, which is the test itself.
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { freshSite } from './admin.ts'
import type { Call } from './client.ts'
import { CONNECTOR, call, serviceWith, tokenOf } from './service.ts'

const Message = z.object({
  type: z.string(),
  timestamp: z.iso.datetime({ offset: true }),
  data: z.looseObject({ siteId: z.string() }),
})

/** What the service asked the connector, whose signature was good. */
export interface Asked extends z.infer<typeof Message> {
  id: string
}

/** Answers a message; an Error breaks the connection. */
export type Answer = (asked: Asked) => Response | Error | Promise<Response | Error>

/** A link like that of a bank; the same key has the same link. */
export const linkOf = (key: unknown): string => `https://qr.nspk.ru/${key}?type=02&bank=100000000001&crc=0000`

/** Gives each key a link, and takes what else is asked. */
export const willing: Answer = ({ type, data }) =>
  type === 'qrCode.register'
    ? Response.json({ payload: linkOf(data.key), reference: `bank ${data.key}` })
    : new Response(null, { status: 204 })

/** A site of its own, and what its connector was asked. */
export function bankSite(answer: Answer = willing, settings: Record<string, unknown> = {}) {
  const asked: Asked[] = []
  const logged: string[] = []
  const service = serviceWith({
    settings: { LINKS: 'connector', ...CONNECTOR, ...settings },
    log: (line) => logged.push(line),
    fetchConnector: async (request) => {
      const body = await request.text()
      const headers = Object.fromEntries(request.headers)
      new Webhook(CONNECTOR.NETWORK_SECRET).verify(body, headers)
      if (request.url !== CONNECTOR.NETWORK_URL || request.method !== 'POST')
        throw new Error(`asked ${request.url}`)
      const message = { id: headers['webhook-id'] ?? '', ...Message.parse(JSON.parse(body)) }
      asked.push(message)
      const answered = await answer(message)
      if (answered instanceof Error) throw answered
      return answered
    },
  })
  return {
    ...freshSite(service),
    service,
    asked,
    logged,
    /** The messages of a type. */
    askedFor: (type: string) => asked.filter((each) => each.type === type),
  }
}

/** A site whose links are named by the qrCodeUid, and what its connector asks of it. */
export function namedBankSite(settings?: Record<string, unknown>) {
  let next = ''
  const site = bankSite(
    ({ type }) =>
      type === 'qrCode.register'
        ? Response.json({ payload: linkOf(next), qrcId: next, reference: `bank ${next}` })
        : new Response(null, { status: 204 }),
    settings,
  )
  return {
    ...site,
    make(qrCodeUid: string, more: Record<string, unknown> = {}, qrCode: Record<string, unknown> = {}) {
      next = qrCodeUid
      return site.make({ qrCodeUid, ...more }, qrCode)
    },
    /** A request of the connector. */
    network: async (below: string, more: Call = {}) =>
      call(`/network/v1/sites/${site.siteId}${below}`, {
        token: await tokenOf({ sub: site.siteId, scope: 'network' }),
        ...more,
      }),
  }
}
