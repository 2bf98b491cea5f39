// A merchant's server on 127.0.0.1, in tests of the running service. It verifies with code that is not the project's.
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { portOf } from './ports.ts'
import { wholeBody } from './whole-body.ts'

const Notification = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('PAYMENT'),
    payment: z.object({ paymentId: z.string(), createdDateTime: z.string() }),
  }),
  z.object({
    type: z.literal('REFUND'),
    refund: z.object({ paymentId: z.string(), refundId: z.string(), createdDateTime: z.string() }),
  }),
])

/** A delivery that came with good signatures. */
export interface Delivery {
  id: string
  paymentId: string
  /** Of a REFUND. */
  refundId?: string
  body: string
  status: number
}

export interface MerchantReceiver {
  url: string
  /** The notification key; deliveries before it is set are refused. */
  key: string
  deliveries: Delivery[]
  /** What was wrong with a delivery. */
  faults: string[]
  /** Resolves when the deliveries are enough. */
  until(isEnough: () => boolean): Promise<void>
  close(): void
}

/** @param statusOf the status of the answer to a delivery */
export async function merchantReceiver(statusOf = (_id: string) => 204): Promise<MerchantReceiver> {
  let arrived = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const body = await wholeBody(request)
    if (body === undefined) return
    const status = receive(request, body)
    response.writeHead(status).end()
    arrived.resolve()
    arrived = Promise.withResolvers()
  })
  const receiver: MerchantReceiver = {
    url: `http://127.0.0.1:${await portOf(server)}/notifications`,
    key: '',
    deliveries: [],
    faults: [],
    async until(isEnough) {
      while (!isEnough()) await arrived.promise
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }

  function receive({ headers }: IncomingMessage, body: string): number {
    try {
      const id = z.string().parse(headers['webhook-id'])
      new Webhook(receiver.key).verify(body, z.record(z.string(), z.string()).parse(headers))
      const notification = Notification.parse(JSON.parse(body))
      const { createdDateTime, paymentId, refundId } =
        notification.type === 'REFUND'
          ? notification.refund
          : { ...notification.payment, refundId: undefined }
      // The digits of the body, as the contract's check value has them.
      const [, digits] = /"amount":\{"value":(\d+\.\d\d),/.exec(body) ?? []
      const signed = `${refundId ?? paymentId}|${createdDateTime}|${digits}`
      const signature = createHmac('sha256', receiver.key.slice('whsec_'.length)).update(signed).digest('hex')
      if (headers.signature !== signature) throw new Error(`Signature does not cover ${signed}`)
      const status = statusOf(id)
      receiver.deliveries.push({ id, paymentId, ...(refundId && { refundId }), body, status })
      return status
    } catch (error) {
      receiver.faults.push(String(error))
      return 401
    }
  }
  return receiver
}

/** A server that never answers. */
export async function silentServer(): Promise<Pick<MerchantReceiver, 'url' | 'close'>> {
  const server = createServer(() => {})
  return {
    url: `http://127.0.0.1:${await portOf(server)}/`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
