// A payer's long poll on a connection of its own: thousands of them fit into one process.
import { once } from 'node:events'
import { connect } from 'node:net'

export interface LongPollRequest {
  port: number
  /** Where the payer's page asks for its state: `/pay/{siteId}/{id}/state?…`. */
  path: string
  /** The state that the payer knows. */
  etag: string
  /** Seconds that it prefers to wait. */
  wait: number
}

export interface LongPoll {
  /** The status line and the headers of the answer, once they are here. */
  readonly head: string | undefined
  /** The same, as soon as they are here; undefined if the connection ends first. */
  readonly answered: Promise<string | undefined>
  /** By FIN, as a browser that closes the page, or by RST, as a system whose process has crashed. */
  disconnect(by: 'FIN' | 'RST'): void
}

/** Connects and sends the request; the connection stays open after the answer. */
export async function openLongPoll({ port, path, etag, wait }: LongPollRequest): Promise<LongPoll> {
  const { promise: answered, resolve } = Promise.withResolvers<string | undefined>()
  let received = ''
  let head: string | undefined
  const socket = connect({ host: '127.0.0.1', port })
  await once(socket, 'connect')
  socket.setEncoding('latin1')
  socket.on('data', (text) => {
    received += text
    const end = received.indexOf('\r\n\r\n')
    if (head !== undefined || end < 0) return
    head = received.slice(0, end)
    resolve(head)
  })
  // What is lost, `close` tells.
  socket.on('error', () => {})
  socket.on('close', () => resolve(undefined))
  const headers = [`Host: 127.0.0.1:${port}`, `If-None-Match: ${etag}`, `Prefer: wait=${wait}`]
  socket.write([`GET ${path} HTTP/1.1`, ...headers, '', ''].join('\r\n'))
  return {
    get head() {
      return head
    },
    answered,
    disconnect: (by) => (by === 'FIN' ? socket.destroy() : socket.resetAndDestroy()),
  }
}
