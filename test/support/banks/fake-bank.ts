// What the fake banks share: an HTTP server whose operations can be slow, fail, or lose their answers.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { portOf } from '../ports.ts'
import type { Misbehaviour, Trouble } from './misbehaviour.ts'

/** What goes wrong with a call. */
export type Fault =
  /** `body`: text, or an object as JSON. */
  | { status: number; retryAfter?: number; executed?: boolean; body?: unknown }
  /** The connection breaks before the bank executes it, or after it. */
  | { broken: 'before' | 'after' }
  | { delayMs: number }
  /** Never answered, and executed. */
  | { silent: true }
  /** Executed; what goes back are these bytes, made of the bank's own reply. */
  | { bytes: (reply: BankReply) => Buffer }
  /** Executed; fields of the answer, or of its `Data`, have other values. One that is undefined is left out. */
  | { changes: Record<string, unknown> }

/** What a call that refunds can meet: executed or not, with an answer or without. */
export const REFUND_FAULTS: readonly Fault[] = [
  { broken: 'after' },
  { broken: 'before' },
  { status: 500, executed: true },
  { status: 429 },
]

export interface BankCall {
  operation: string
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  body: unknown
  /** The body as it came. */
  text: string
}

export interface BankReply {
  status: number
  /** Sent as JSON. */
  body?: unknown
}

/** The state that a bank has stated within this time can be stated again, although it is over. */
const STALE_MS = 30 * 60_000

/** So much of the bytes of an answer is noted. */
const SHOWN = 2_000

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
  /** What goes wrong besides the faults. */
  misbehaviour: Misbehaviour | undefined
  /** The calls that it concerned, for a person who looks for the cause of a failure. */
  readonly troubles: string[] = []
  now: () => number
  /** Awaited before a call is executed. */
  beforeExecution: Hook = async () => {}
  /** Awaited before an answer goes out, after the execution: a test can end the connector there. */
  beforeAnswer: Hook = async () => {}
  readonly #faults = new Map<string, Fault[]>()
  readonly #faultsAt = new Map<string, Fault>()
  /** The states that were stated: their times and answers by what was asked. */
  readonly #stated = new Map<string, { time: number; reply: BankReply }>()
  readonly #server: Server

  constructor(now: () => number = Date.now) {
    this.now = now
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy())
    })
    // On a slow machine a request can meet the end of its idle connection: that is no fault of the bank that a test has asked for.
    this.#server.keepAliveTimeout = 0
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

  /** Each call whose path has the text has the fault. */
  failAt(text: string, fault: Fault): void {
    this.#faultsAt.set(text, fault)
  }

  heal(): void {
    this.#faults.clear()
    this.#faultsAt.clear()
  }

  callsOf(operation: string): BankCall[] {
    return this.calls.filter((call) => call.operation === operation)
  }

  /** The name of the operation, for faults and tests. */
  protected abstract operationOf(call: Omit<BankCall, 'operation'>): string
  protected abstract execute(call: BankCall): BankReply
  /** A failure in the shape of the bank's own, of which its document says nothing: the call can have been executed. */
  protected abstract failureOf(call: BankCall): BankReply

  /** Whether the call changes nothing. */
  protected isRead({ method }: BankCall): boolean {
    return method === 'GET'
  }

  /** Whether a state that it has stated can be stated again when it is over. */
  protected isLasting(_call: BankCall): boolean {
    return true
  }

  protected async post({ code, url, body, headers }: WebhookPost, { times = 1 }: Delivery): Promise<void> {
    for (let i = 0; i < times; i++) {
      const response = await fetch(url, { method: 'POST', body, headers })
      this.webhookAnswers.push({ status: response.status, text: await response.text() })
      if (response.status === 200) this.delivered.add(code)
    }
  }

  #faultAt(path: string): Fault | undefined {
    return Array.from(this.#faultsAt).find(([text]) => path.includes(text))?.[1]
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
      text: raw,
    }
    const call: BankCall = { ...bare, operation: this.operationOf(bare) }
    this.calls.push(call)
    const fault =
      this.#faults.get(call.operation)?.shift() ??
      this.#faults.get('*')?.shift() ??
      this.#faultAt(call.path) ??
      this.misbehaviour?.fault(this.isRead(call), call.operation)
    const note = (what: unknown) =>
      this.troubles.push(`${call.operation} ${typeof what === 'string' ? what : JSON.stringify(what)}`)
    if (fault && !('bytes' in fault)) note(fault)
    if (fault && 'delayMs' in fault) await sleep(fault.delayMs)
    if (fault && 'broken' in fault && fault.broken === 'before') return void response.destroy()
    if (fault && 'status' in fault) {
      if (fault.executed) {
        this.execute(call)
        await this.beforeAnswer(call.operation, call)
      }
      response.writeHead(fault.status, fault.retryAfter ? { 'retry-after': String(fault.retryAfter) } : {})
      const { body = { code: 'fault', message: 'the bank has a fault' } } = fault
      return void response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }
    await this.beforeExecution(call.operation, call)
    const trouble = this.misbehaviour?.next(this.isRead(call))
    if (trouble) return this.#misbehave(call, trouble, response)
    const { status, body } = this.#stateOf(call)
    if (fault && 'broken' in fault) return void response.destroy()
    if (fault && 'silent' in fault) return
    if (fault && 'bytes' in fault) {
      const bytes = fault.bytes({ status, body })
      note(bytes.toString('latin1').slice(0, SHOWN))
      return void request.socket.end(bytes)
    }
    await this.beforeAnswer(call.operation, call)
    send(response, status, fault && 'changes' in fault ? changed(body, fault.changes) : body)
  }

  #stateOf(call: BankCall): BankReply {
    const reply = this.execute(call)
    if (this.isRead(call) && reply.status === 200 && this.isLasting(call))
      this.#stated.set(keyOf(call), { time: this.now(), reply })
    return reply
  }

  #misbehave(call: BankCall, { isExecuted, answer }: Trouble, response: ServerResponse): void {
    this.troubles.push(
      `${call.operation} ${isExecuted ? 'executed' : 'not executed'} ${JSON.stringify(answer)}`,
    )
    const stated = this.#stated.get(keyOf(call))
    if (answer === 'stale' && stated && this.now() - stated.time < STALE_MS) {
      send(response, stated.reply.status, stated.reply.body)
      return
    }
    if (isExecuted) this.execute(call)
    if (answer === 'cut' || answer === 'stale') response.destroy()
    else if (answer === 'failure') {
      const { status, body } = this.failureOf(call)
      send(response, status, body)
    } else response.writeHead(answer.status, { 'content-type': 'text/html' }).end(answer.body)
  }
}

const keyOf = ({ operation, path, query, body }: BankCall): string =>
  JSON.stringify([operation, path, query, body])

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? '' : JSON.stringify(body))
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

function changed(body: unknown, changes: Record<string, unknown>): unknown {
  if (typeof body !== 'object' || body === null) throw new Error('the answer has no fields')
  const isWrapped = 'Data' in body && typeof body.Data === 'object'
  return isWrapped ? { ...body, Data: changed(body.Data, changes) } : { ...body, ...changes }
}
