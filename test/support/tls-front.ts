// TLS in front of a fake bank, with a certificate of the test's.
import { connect, type Socket } from 'node:net'
import { createServer } from 'node:tls'
import { portOf } from './ports.ts'
import type { Certified } from './private-ca.ts'

export interface TlsFront {
  port: number
  /** The bytes of requests that came, decrypted. */
  received: () => number
  /** Handshakes that succeeded at this side. */
  connections: () => number
  /** Shows other certificates to whom connects from now on. @param chain the server's own first */
  show: (...chain: Certified[]) => void
  close: () => Promise<void>
}

/** Starts it on a free port of 127.0.0.1. @param origin of what is behind it @param chain the server's own certificate first */
export async function tlsFront(origin: string, ...chain: Certified[]): Promise<TlsFront> {
  let [received, connections] = [0, 0]
  const open = new Set<Socket>()
  const server = createServer(contextOf(chain), (socket) => {
    connections++
    const behind = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.on('data', (data) => {
      received += data.length
    })
    for (const each of [socket, behind]) {
      open.add(each)
      each.on('error', () => {})
      each.on('close', () => [socket, behind].forEach((one) => void one.destroy()))
    }
    socket.pipe(behind).pipe(socket)
  })
  // Who refuses the certificate ends the connection.
  server.on('tlsClientError', () => {})
  return {
    port: await portOf(server),
    received: () => received,
    connections: () => connections,
    show: (...next) => server.setSecureContext(contextOf(next)),
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const contextOf = (chain: Certified[]) => ({
  key: chain[0]?.key,
  cert: chain.map(({ certificate }) => certificate).join(''),
})
