// Ports of this machine that the system gives.
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Starts a server on a free port of 127.0.0.1. @returns the port */
export async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('the server has no port')
  return address.port
}

/** A port on which nothing listens now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await portOf(server)
  await once(server.close(), 'close')
  return port
}
