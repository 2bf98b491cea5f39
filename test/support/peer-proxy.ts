// A network between instances of a cluster: what the others send to one goes through it, until it is cut.
import { connect, createServer, type Socket } from 'node:net'
import { portOf } from './ports.ts'

export interface PeerProxy {
  /** Where the others reach the instance, as HOST:PORT. */
  address: string
  /** From now on no byte passes, and nobody is told. */
  cut(): void
  /** From now on all connections break, as where the interface of the address is gone. */
  takeAway(): void
  /** The connections that are cut break, and new ones pass. */
  heal(): void
  close(): void
}

/** @param target where the instance listens for the others, as HOST:PORT */
export async function peerProxy(target: string): Promise<PeerProxy> {
  const [host = '', port = ''] = target.split(':')
  const sockets = new Set<Socket>()
  let isCut = false
  let isAway = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((incoming) => {
    keep(incoming)
    if (isAway) return void incoming.destroy()
    if (isCut) return
    const outgoing = connect(Number(port), host)
    keep(outgoing)
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      from.on('data', (bytes) => {
        if (!isCut) to.write(bytes)
      })
      from.on('close', () => to.destroy())
    }
  })
  return {
    address: `127.0.0.1:${await portOf(server)}`,
    cut() {
      isCut = true
    },
    takeAway() {
      isAway = true
      breakAll()
    },
    heal() {
      isCut = false
      isAway = false
      breakAll()
    },
    close() {
      breakAll()
      server.close()
    },
  }
}
