// A merchant's server whose moods change: well, slow, failing, or gone. It verifies each notification with code of
// its own: standardwebhooks would compare the time of the signature with this machine's, and the service is days ahead.
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { portOf } from '../support/ports.ts'
import type { Notified } from '../support/site-records.ts'
import { wholeBody } from '../support/whole-body.ts'

export type ReceiverMood = 'well' | 'slow' | 'failing' | 'gone'

const SLOW_MS = 3_000
const Body = z.object({
  type: z.string(),
  payment: z.object({ paymentId: z.string() }).optional(),
  refund: z.object({ paymentId: z.string(), refundId: z.string() }).optional(),
})

export type Receiver = Awaited<ReturnType<typeof moodyReceiver>>

export async function moodyReceiver() {
  /** The body of each notification by its `webhook-id`. */
  const bodies = new Map<string, string>()
  const server = createServer(async (request, response) => {
    const body = await wholeBody(request)
    if (body === undefined) return
    if (receiver.mood === 'gone') return void request.socket.destroy()
    if (receiver.mood === 'slow') await sleep(SLOW_MS)
    const isTaken = receiver.mood !== 'failing' && take(request.headers, body)
    response.writeHead(isTaken ? 204 : 500).end()
  })
  const receiver = {
    url: `http://127.0.0.1:${await portOf(server)}/notifications`,
    mood: 'well' as ReceiverMood,
    /** The notification key, once the site has one. */
    key: '',
    /** What it has taken. */
    taken: [] as Notified[],
    faults: [] as string[],
    close() {
      server.closeAllConnections()
      server.close()
    },
  }

  function take(headers: IncomingHttpHeaders, body: string): boolean {
    const id = String(headers['webhook-id'])
    const secret = Buffer.from(receiver.key.replace('whsec_', ''), 'base64')
    const signed = `${id}.${headers['webhook-timestamp']}.${body}`
    const signature = `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`
    if (!String(headers['webhook-signature']).split(' ').includes(signature)) {
      receiver.faults.push(`notification ${id} is not signed with the key`)
      return false
    }
    if ((bodies.get(id) ?? body) !== body) receiver.faults.push(`notification ${id} has two bodies`)
    bodies.set(id, body)
    const { payment, refund } = Body.parse(JSON.parse(body))
    const told = refund ?? payment
    if (told) receiver.taken.push({ id, ...told })
    return true
  }
  return receiver
}
