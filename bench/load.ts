// Load on a server: a closed loop, in which each connection waits for its response, and an open loop, which does not wait.
import { connect, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { median, percentile } from './statistics.ts'

export interface Load {
  port: number
  /** The bytes of the next request. */
  request(): string
  /** Seconds that are measured, and those before them that are not. */
  seconds: number
  warmUp: number
  /** Besides 200, a status that is no fault. */
  accepts?: string
  /** The CPU time in seconds that the server has used until now. */
  cpuSeconds?(): number | undefined
}

export interface ClosedLoop extends Load {
  connections: number
}

export interface OpenLoop extends Load {
  /** Requests a second. */
  rate: number
  /** Sends to the millisecond only: load that is not measured leaves the processor to what is. */
  isCoarse?: boolean
}

export interface Measured {
  perSecond: number
  /** Milliseconds. */
  median: number
  p99: number
  /** Of all requests that were measured, in the order of their responses. */
  latencies: readonly number[]
  /** CPU time of the server per request, in microseconds; NaN where the system does not tell it. */
  cpuMicros: number
  /** Responses that are not 200, and lost connections. */
  faults: string[]
}

const TIMEOUT_MS = 10_000

/** Keeps a request in flight on each connection; a fault ends the connection. */
export async function drive({ connections, ...load }: ClosedLoop): Promise<Measured> {
  const measurement = new Measurement(load)
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = new Connection(load.port)
      try {
        do await measurement.measure(connection, performance.now())
        while (performance.now() < measurement.until)
      } catch (error) {
        measurement.faults.push(String(error))
      }
      connection.close()
    }),
  )
  return measurement.result()
}

/**
 * Sends requests at random times: a Poisson process. Each takes an idle connection or a new one, and its latency counts
 * from the time at which it was due, so that a server that falls behind does not slow down its own load.
 */
export async function driveOpenLoop({ rate, isCoarse = false, ...load }: OpenLoop): Promise<Measured> {
  const measurement = new Measurement(load)
  const idle: Connection[] = []
  const inFlight = new Set<Promise<void>>()
  const send = async (due: number) => {
    const connection = idle.pop() ?? new Connection(load.port)
    try {
      await measurement.measure(connection, due)
      idle.push(connection)
    } catch (error) {
      measurement.faults.push(String(error))
      connection.close()
    }
  }
  for (
    let due = performance.now();
    due < measurement.until;
    due += (-Math.log(1 - Math.random()) / rate) * 1000
  ) {
    while (performance.now() < due)
      await (isCoarse || due - performance.now() > 2 ? setTimeout(1) : setImmediate())
    const exchange = send(due)
    inFlight.add(exchange)
    exchange.then(() => inFlight.delete(exchange))
  }
  await Promise.all(inFlight)
  for (const connection of idle) connection.close()
  return measurement.result()
}

/** What the server had used after so many responses. */
interface CpuSample {
  seconds: number
  responses: number
}

class Measurement {
  readonly faults: string[] = []
  /** When the last request is sent. */
  readonly until: number
  readonly #load: Load
  readonly #from: number
  readonly #latencies: number[] = []
  #responses = 0
  #atFirst: CpuSample | undefined
  #atEnd: CpuSample | undefined

  constructor(load: Load) {
    this.#load = load
    this.#from = performance.now() + load.warmUp * 1000
    this.until = this.#from + load.seconds * 1000
  }

  /** @param due the time from which the latency counts */
  async measure(connection: Connection, due: number): Promise<void> {
    const status = await connection.exchange(this.#load.request())
    if (status !== '200' && status !== this.#load.accepts) throw new Error(`a response ${status}`)
    const now = performance.now()
    if (due >= this.#from && due < this.until) this.#latencies.push(now - due)
    // Both samples at a response, so that about as many requests are half done at the one as at the other.
    if (now >= this.#from) this.#atFirst ??= this.#sample()
    if (now >= this.until) this.#atEnd ??= this.#sample()
    this.#responses++
  }

  result(): Measured {
    return {
      perSecond: this.#latencies.length / this.#load.seconds,
      median: median(this.#latencies),
      p99: percentile(this.#latencies, 0.99),
      latencies: this.#latencies,
      cpuMicros: this.#cpuMicros(),
      faults: this.faults,
    }
  }

  #sample(): CpuSample {
    return { seconds: this.#load.cpuSeconds?.() ?? Number.NaN, responses: this.#responses }
  }

  #cpuMicros(): number {
    const { seconds: from, responses: first } = this.#atFirst ?? this.#sample()
    const { seconds: to, responses: last } = this.#atEnd ?? this.#sample()
    return ((to - from) * 1e6) / (last - first)
  }
}

/**
 * A keep-alive connection with at most one request in flight. Node's own clients would cost as much as a fast response
 * does, so only as much of HTTP is read here as it takes to find the status and the end.
 */
class Connection {
  readonly #socket: Socket
  #received = ''
  #settle: { resolve(status: string): void; reject(error: Error): void } | undefined

  constructor(port: number) {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)))
    socket.on('data', (chunk) => {
      this.#received += chunk
      if (isWhole(this.#received)) this.#settle?.resolve(this.#received.slice(9, 12))
    })
    socket.on('error', (error) => this.#settle?.reject(error))
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')))
  }

  /** Sends a request. @returns the status of the response, when all of it is received */
  exchange(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#received = ''
      this.#settle = { resolve, reject }
      this.#socket.write(request, 'latin1')
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Whether the text is a whole response: its length is declared, or it comes in chunks of which the last is empty. */
function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n') + 4
  if (head < 4) return false
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(text.slice(0, head))?.[1]
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length === head + Number(length)
}
