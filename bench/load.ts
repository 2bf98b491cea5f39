// The load: keep-alive connections, each with one request under way, and what came of them.
import { connect } from 'node:net'
import { median, percentile } from './statistics.ts'

export interface Load {
  port: number
  connections: number
  /** The bytes of the next request. */
  request(): string
  /** Seconds that are measured, and those before them that are not. */
  seconds: number
  warmUp: number
}

export interface Measured {
  perSecond: number
  /** Milliseconds. */
  median: number
  p99: number
  /** Answers that are not 200 and connections that broke; either ends the connection. */
  faults: string[]
}

const PATIENCE_MS = 10_000

/** Puts a load on a server. */
export async function drive({ port, connections, request, seconds, warmUp }: Load): Promise<Measured> {
  const from = performance.now() + warmUp * 1000
  const until = from + seconds * 1000
  const latencies: number[] = []
  const faults: string[] = []
  const onAnswer = (sent: number, now: number) => {
    if (now >= from && now < until) latencies.push(now - sent)
  }
  await Promise.all(
    Array.from({ length: connections }, () =>
      converse(port, request, until, onAnswer).catch((error) => faults.push(String(error))),
    ),
  )
  return {
    perSecond: latencies.length / seconds,
    median: median(latencies),
    p99: percentile(latencies, 0.99),
    faults,
  }
}

/**
 * One connection: a request, its answer, the next request. Node's own clients would cost as much as a fast answer
 * does, so only as much of HTTP is read here as it takes to find the status and the end.
 */
function converse(
  port: number,
  request: () => string,
  until: number,
  onAnswer: (sent: number, now: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0
    let received = ''
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const send = () => {
      received = ''
      sent = performance.now()
      socket.write(request(), 'latin1')
    }
    socket.setEncoding('latin1')
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)))
    socket.on('connect', send)
    socket.on('data', (chunk) => {
      received += chunk
      if (!isWhole(received)) return
      const now = performance.now()
      const status = received.slice(9, 12)
      if (status !== '200') return socket.destroy(new Error(`an answer ${status}`))
      onAnswer(sent, now)
      if (now < until) return send()
      resolve()
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
  })
}

/** Whether the text is a whole answer: its length is declared, or it comes in chunks of which the last is empty. */
function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n') + 4
  if (head < 4) return false
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(text.slice(0, head))?.[1]
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length === head + Number(length)
}
