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

/**
 * Ports are given by blocks: below those that Linux gives by default to connections and to servers that take any port, and above
 * 10080, on which no browser calls.
 */
const BLOCK = 200
const [FIRST_BLOCK, END_BLOCK] = [51, 160]

let block: Promise<number> | undefined
let count = 0

/**
 * A block that is this process's alone. The process listens on its first port as long as it lives. Otherwise two processes could
 * find the same port free before one of them takes it, or while a service on it restarts.
 * @returns the first port
 */
async function claimedBlock(): Promise<number> {
  for (;;) {
    const first = BLOCK * randomInt(FIRST_BLOCK, END_BLOCK)
    const server = createServer()
    if (!(await listens(server, first))) continue
    server.unref()
    return first
  }
}

/**
 * A port on which nothing listens now. This process gets it again after all others of its block.
 * @throws Error where the system lets nobody listen
 */
export async function freePort(): Promise<number> {
  block ??= claimedBlock()
  const first = await block
  for (;;) {
    const port = first + 1 + (count++ % (BLOCK - 1))
    const server = createServer()
    if (!(await listens(server, port))) continue
    await once(server.close(), 'close')
    return port
  }
}

/** @returns whether the server listens on the port now; false where another one does */
async function listens(server: Server, port: number): Promise<boolean> {
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false
    throw error
  }
}
