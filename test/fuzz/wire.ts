// Bytes on a socket, and the HTTP answers that come back: a client that sends what no client of HTTP would.
import { connect, type Socket } from 'node:net'

export interface Answer {
  status: number
  /** By lower-case name; the values of a repeated one are joined by a comma. */
  headers: Record<string, string>
  body: string
}

/** What a test sends without an ordinary client. */
export interface Bytes {
  pieces: readonly Buffer[]
  /** The methods of the requests in it, as far as they can be answered. */
  methods: readonly string[]
  /** Whether the client then says that nothing more comes. */
  ends: boolean
}

/** Where an answer does not come by then, the server waits for more than was sent. */
const SILENCE_MS = 15_000
const ANSWER_MS = 60_000

/** A connection that is kept for requests, one after another. */
export class Client {
  readonly #port: number
  #socket: Socket | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** @returns undefined where the connection ended without an answer. @throws Error where no answer comes */
  async send(request: Buffer, method: string): Promise<Answer | undefined> {
    const isKept = this.#socket !== undefined && !this.#socket.destroyed
    const answered = await this.#try(request, method)
    // The server can have ended an idle connection.
    return answered === undefined && isKept ? this.#try(request, method) : answered
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #try(request: Buffer, method: string): Promise<Answer | undefined> {
    const kept = this.#socket?.destroyed ? undefined : this.#socket
    const socket = kept ?? (await open(this.#port))
    this.#socket = socket
    const { answers, isLate } = await exchange(socket, { pieces: [request], methods: [method], ends: false })
    const [answer] = answers
    if (!answer || answer.headers.connection?.toLowerCase() === 'close' || socket.destroyed) this.close()
    if (isLate) throw new Error('no answer within a minute')
    return answer
  }
}

/** Sends the bytes on a connection of their own. */
export async function sendBytes(
  port: number,
  bytes: Bytes,
): Promise<{ answers: Answer[]; isSilent: boolean }> {
  const socket = await open(port)
  const { answers, isLate } = await exchange(socket, bytes, SILENCE_MS)
  socket.destroy()
  return { answers, isSilent: isLate }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      // A connection that breaks is closed: that is what is waited for.
      socket.on('error', () => {})
      // The server can end it between two requests.
      socket.on('end', () => socket.destroy())
      resolve(socket)
    })
  })
}

function exchange(
  socket: Socket,
  { pieces, methods, ends }: Bytes,
  milliseconds = ANSWER_MS,
): Promise<{ answers: Answer[]; isLate: boolean }> {
  return new Promise((resolve) => {
    const answers: Answer[] = []
    let received: Buffer = Buffer.alloc(0)
    const finish = (isLate: boolean) => {
      clearTimeout(timer)
      socket.off('data', take).off('end', end).off('close', end)
      resolve({ answers, isLate })
    }
    const read = (isComplete: boolean) => {
      for (;;) {
        const found = answerIn(received, methods[answers.length] ?? 'GET', isComplete)
        if (!found) return
        received = received.subarray(found.length)
        // An interim answer, such as 100 Continue, comes before another one.
        if (found.answer.status >= 200) answers.push(found.answer)
      }
    }
    const take = (data: Buffer) => {
      received = received.length === 0 ? data : Buffer.concat([received, data])
      read(false)
      if (answers.length >= methods.length) finish(false)
    }
    const end = () => {
      read(true)
      finish(false)
    }
    const timer = setTimeout(() => {
      socket.destroy()
      finish(true)
    }, milliseconds)
    if (socket.destroyed) return finish(false)
    socket.on('data', take).once('end', end).once('close', end)
    for (const piece of pieces) socket.write(piece)
    if (ends) socket.end()
  })
}

/** The first answer of the bytes, as far as it is there. @param isComplete whether no more bytes come */
function answerIn(
  received: Buffer,
  method: string,
  isComplete: boolean,
): { answer: Answer; length: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1])
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const start = headEnd + 4
  const isEmpty = method === 'HEAD' || status < 200 || status === 204 || status === 304
  if (isEmpty) return { answer: { status, headers, body: '' }, length: start }
  if (headers['transfer-encoding'] === 'chunked') {
    const chunks = chunksIn(received, start)
    return chunks && { answer: { status, headers, body: chunks.body }, length: chunks.end }
  }
  const length = Number(headers['content-length'] ?? Number.NaN)
  const end = Number.isNaN(length)
    ? isComplete
      ? received.length
      : Number.POSITIVE_INFINITY
    : start + length
  if (received.length < end) return undefined
  return { answer: { status, headers, body: received.toString('utf8', start, end) }, length: end }
}

function chunksIn(received: Buffer, start: number): { body: string; end: number } | undefined {
  const chunks: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = received.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + size
    if (received.length < end + 2) return undefined
    if (size === 0) return { body: Buffer.concat(chunks).toString('utf8'), end: end + 2 }
    chunks.push(received.subarray(lineEnd + 2, end))
    at = end + 2
  }
}
