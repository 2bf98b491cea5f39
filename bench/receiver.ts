// A merchant's server on 127.0.0.1 that takes notifications.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import { portOf } from '../test/support/ports.ts'

const PaymentNotification = z.object({ payment: z.object({ paymentId: z.string() }) })

export interface Receiver {
  url: string
  /** When the notification of each payment came first, by performance.now(). */
  received: ReadonlyMap<string, number>
  /** Resolves when so many payments are notified. */
  until(payments: number): Promise<void>
  close(): void
}

/** @param delay milliseconds until it answers */
export async function openReceiver(delay: number): Promise<Receiver> {
  const received = new Map<string, number>()
  let arrived = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const at = performance.now()
    const { payment } = PaymentNotification.parse(JSON.parse(await text(request)))
    if (!received.has(payment.paymentId)) received.set(payment.paymentId, at)
    arrived.resolve()
    arrived = Promise.withResolvers()
    setTimeout(() => response.writeHead(204).end(), delay)
  })
  return {
    url: `http://127.0.0.1:${await portOf(server)}/`,
    received,
    async until(payments) {
      while (received.size < payments) await arrived.promise
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The URL of an endpoint that refuses connections. */
export async function deadUrl(): Promise<string> {
  const server = createServer()
  const port = await portOf(server)
  server.close()
  return `http://127.0.0.1:${port}/`
}
