// What the fake banks share: an HTTP server whose operations can be slow, fail, or lose their answers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { portOf } from '../ports.ts'

/** What goes wrong with a call. */
export type Fault =
  | { status: number; retryAfter?: number; executed?: boolean }
  /** The connection breaks before the bank executes it, or after it. */
  | { broken: 'before' | 'after' }
  | { delayMs: number }
  /** Never answered, and executed. */
  | { silent: true }

export interface BankCall {
  operation: string
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  body: unknown
}

export interface BankReply {
  status: number
  body?: unknown
}

type Hook = (operation: string, call: BankCall) => Promise<void>

/** Where a webhook goes wrong: lost, or sent more than once. */
export interface Delivery {
  times?: number
}

export interface WebhookPost {
  /** The code that it is about. */
  code: string
  url: string
  body: string
  headers: Record<string, string>
}

/** A server on a free port of this machine; each operation can be given faults, which the next calls use up. */
export abstract class FakeBank {
  readonly calls: BankCall[] = []
  /** The codes whose webhook got a success. */
  readonly delivered = new Set<string>()
  /** The statuses with which webhooks were answered. */
  readonly webhookAnswers: { status: number; text: string }[] = []
  now: () => number
  /** Awaited before a call is executed. */
  beforeExecution: Hook = async () => {}
  /** Awaited before an answer goes out, after the execution: a test can end the connector there. */
  beforeAnswer: Hook = async () => {}
  readonly #faults = new Map<string, Fault[]>()
  readonly #server: Server

  constructor(now: () => number = Date.now) {
    this.now = now
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
  }

  /** @returns the origin */
  async listen(): Promise<string> {
    return `http://127.0.0.1:${await portOf(this.#server)}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** The next `times` calls of the operation have the fault; `*`: of any. */
  fail(operation: string, fault: Fault, times = 1): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), ...Array<Fault>(times).fill(fault)])
  }

  heal(): void {
    this.#faults.clear()
  }

  callsOf(operation: string): BankCall[] {
    return this.calls.filter((call) => call.operation === operation)
  }

  /** The name of the operation, for faults and tests. */
  protected abstract operationOf(call: Omit<BankCall, 'operation'>): string
  protected abstract execute(call: BankCall): BankReply

  protected async post({ code, url, body, headers }: WebhookPost, { times = 1 }: Delivery): Promise<void> {
    for (let i = 0; i < times; i++) {
      const response = await fetch(url, { method: 'POST', body, headers })
      this.webhookAnswers.push({ status: response.status, text: await response.text() })
      if (response.status === 200) this.delivered.add(code)
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://bank')
    const raw = await text(request)
    const bare = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: raw === '' ? undefined : JSON.parse(raw),
    }
    const call: BankCall = { ...bare, operation: this.operationOf(bare) }
    this.calls.push(call)
    const fault = this.#faults.get(call.operation)?.shift() ?? this.#faults.get('*')?.shift()
    if (fault && 'delayMs' in fault) await sleep(fault.delayMs)
    if (fault && 'broken' in fault && fault.broken === 'before') return void response.destroy()
    if (fault && 'status' in fault) {
      if (fault.executed) this.execute(call)
      response.writeHead(fault.status, fault.retryAfter ? { 'retry-after': String(fault.retryAfter) } : {})
      return void response.end('{"code":"fault","message":"the bank has a fault"}')
    }
    await this.beforeExecution(call.operation, call)
    const { status, body } = this.execute(call)
    if (fault && 'broken' in fault) return void response.destroy()
    if (fault && 'silent' in fault) return
    await this.beforeAnswer(call.operation, call)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body === undefined ? '' : JSON.stringify(body))
  }
}

/** The id of a functional link, as good as those of the network. */
let links = 0
export const linkId = (prefix: string): string => {
  links++
  return (
    prefix +
    Math.floor(Math.random() * 1e9)
      .toString(32)
      .toUpperCase()
      .padStart(13, '0') +
    String(links).padStart(13, '0')
  )
}

/** A link with the constant checksum that the banks' test systems send. */
export const payloadOf = (id: string, type: string, kopecks?: number): string =>
  `https://qr.nspk.ru/${id}?type=${type}&bank=100000000007${kopecks === undefined ? '' : `&sum=${kopecks}&cur=RUB`}&crc=C08B`
