// The example of a connector in a process of its own, and what stands between it and the service in tests.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import { portOf } from './ports.ts'
import { wholeBody } from './whole-body.ts'

const Instruction = z.object({
  type: z.string(),
  timestamp: z.string(),
  data: z.record(z.string(), z.unknown()),
})

/** An instruction as the service sent it; `status` is the connector's answer, 0 where there was none. */
export interface SentInstruction extends z.infer<typeof Instruction> {
  id: string
  body: string
  status: number
}

export interface Relay {
  url: string
  /** The connector's port; undefined: nobody listens. */
  target: number | undefined
  /** The instructions with good signatures, in the order of their answers. */
  sent: SentInstruction[]
  /** What was wrong with an instruction. */
  faults: string[]
  close(): void
}

/** Takes the service's instructions, verifies their signatures, and hands them on to the connector. */
export async function instructionRelay(secret: string): Promise<Relay> {
  const server = createServer(async (request, response) => {
    const body = await wholeBody(request)
    if (body === undefined) return
    const headers = z.record(z.string(), z.string()).parse(request.headers)
    try {
      new Webhook(secret).verify(body, headers)
    } catch (error) {
      relay.faults.push(String(error))
    }
    const signature = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))
    const answer =
      relay.target === undefined
        ? undefined
        : await fetch(`http://127.0.0.1:${relay.target}/`, {
            method: 'POST',
            headers: signature,
            body,
          }).catch(() => {})
    const status = answer?.status ?? 0
    const id = headers['webhook-id'] ?? ''
    relay.sent.push({ ...Instruction.parse(JSON.parse(body)), id, body, status })
    if (status === 0) request.socket.destroy()
    else response.writeHead(status).end()
  })
  const relay: Relay = {
    url: `http://127.0.0.1:${await portOf(server)}/instructions`,
    target: undefined,
    sent: [],
    faults: [],
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return relay
}

export interface Forwarder {
  port: number
  /** The port that connections go to; undefined: they are closed, those that are open too. */
  target: number | undefined
  /** From now on, until there is a target again, new connections wait for it. */
  holdConnections(): void
  close(): void
}

/** A port that stays, of a service whose own port is another one after each start. */
export async function forwarder(): Promise<Forwarder> {
  const open = new Set<Socket>()
  let target: number | undefined
  let waiting: Socket[] | undefined
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    if (waiting) waiting.push(socket)
    else take(socket)
  })
  function take(socket: Socket): void {
    if (target === undefined) {
      socket.destroy()
      return
    }
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const upstream = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
    }
  }
  return {
    port: await portOf(server),
    get target() {
      return target
    },
    set target(port) {
      target = port
      if (port === undefined) {
        for (const socket of open) socket.destroy()
        return
      }
      const held = waiting ?? []
      waiting = undefined
      for (const socket of held) if (!socket.destroyed) take(socket)
    },
    holdConnections() {
      waiting ??= []
    },
    close: () => server.close(),
  }
}

export interface ExampleConnector {
  /** Starts it on its data; the port that it listens on. @param more settings besides its own */
  start(more?: Record<string, string>): Promise<number>
  /** SIGKILL: it ends in the midst of whatever it does. */
  kill(): Promise<void>
  /** The keys of what the network executed, in their order. */
  executions(): string[]
  /** How many instructions it had not reported yet, each time that it said so since its last start. */
  readonly unreported: readonly number[]
  /** The lines of its standard error. */
  faults: readonly string[]
  /** Kills it and removes its data. */
  dispose(): Promise<void>
}

/** The example, not started yet, with a directory of its own. */
export function exampleConnector(settings: {
  serviceUrl: string
  secret: string
  token: string
}): ExampleConnector {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-connector-'))
  const file = join(directory, 'executions.jsonl')
  const faults: string[] = []
  let unreported: number[] = []
  let running: ChildProcess | undefined

  async function kill(): Promise<void> {
    if (running?.exitCode === null && running.signalCode === null) {
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      await ended
    }
    running = undefined
  }

  return {
    kill,
    get unreported() {
      return unreported
    },
    faults,
    async start(more = {}) {
      const env = {
        ...process.env,
        PORT: '0',
        DATA: directory,
        SERVICE_URL: settings.serviceUrl,
        NETWORK_SECRET: settings.secret,
        NETWORK_TOKENS: settings.token,
        ...more,
      }
      const args = ['--disable-warning=ExperimentalWarning', 'examples/connector/connector.mjs']
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
      running = child
      createInterface(child.stderr).on('line', (line) => faults.push(line))
      const counts: number[] = []
      unreported = counts
      const lines = createInterface(child.stdout)
      return await new Promise((resolve, reject) => {
        lines.on('line', (line) => {
          const [, port] = /^listening on \S+:(\d+)$/.exec(line) ?? []
          if (port !== undefined) resolve(Number(port))
          const [, count] = /^not reported yet: (\d+)$/.exec(line) ?? []
          if (count !== undefined) counts.push(Number(count))
        })
        lines.on('close', () => reject(new Error('the connector did not start')))
      })
    },
    executions: () =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .split('\n')
            .filter(Boolean)
            .map((line) => z.object({ key: z.string() }).parse(JSON.parse(line)).key)
        : [],
    async dispose() {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
