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
 * The blocks of ports: above 10080, on which no browser calls, and below the ports that Linux gives by default to connections and
 * to servers that take any port.
 */
const FIRST_PORT = 10_200
const BLOCK = 200
const BLOCKS = 109

let block: Promise<number> | undefined
let count = 0

/**
 * A port on which nothing listens now. This process gets it again after all others of its block.
 * @throws Error where none is free, or the system lets nobody listen
 */
export async function freePort(): Promise<number> {
  block ??= claimedBlock()
  const first = await block
  for (let tries = 1; tries < BLOCK; tries++) {
    const port = first + 1 + (count++ % (BLOCK - 1))
    const server = await listening(port)
    if (!server) continue
    await once(server.close(), 'close')
    return port
  }
  throw new Error(`no port of ${first} to ${first + BLOCK - 1} is free`)
}

/**
 * Takes a block for this process alone, which listens on its first port as long as it lives. Otherwise two processes can find the
 * same port free before either listens on it, or while a service restarts.
 * @returns the first port
 * @throws Error where all blocks are taken
 */
async function claimedBlock(): Promise<number> {
  const start = randomInt(BLOCKS)
  for (let i = 0; i < BLOCKS; i++) {
    const first = FIRST_PORT + BLOCK * ((start + i) % BLOCKS)
    const server = await listening(first)
    if (!server) continue
    server.unref()
    return first
  }
  throw new Error('other processes have taken all blocks of ports')
}

/** @returns a server that listens on the port and ends each connection; undefined where another one listens there */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy())
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return server
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return
    throw error
  }
}
