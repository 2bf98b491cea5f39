// Ports of this machine.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Starts a server on a free port of 127.0.0.1. @returns the port */
export async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('the server has no port')
  return address.port
}

/** What this process has been given, and may not have taken yet. */
const given = new Set<number>()
const TAKEN_MS = 60_000

/**
 * A port on which nothing listens now. By default it is below those that Linux gives to connections and to servers that take any
 * port: one of these could be taken before it is used.
 * @throws Error where the system lets nobody listen
 */
export async function freePort(): Promise<number> {
  for (;;) {
    // Above 10080, on which no browser calls.
    const port = randomInt(10_100, 32_000)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue
      throw error
    }
    await once(server.close(), 'close')
    if (given.has(port)) continue
    given.add(port)
    setTimeout(() => given.delete(port), TAKEN_MS).unref()
    return port
  }
}
