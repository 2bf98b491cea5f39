// The connector of connector/ in a process of its own, and its commands.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import { bundled } from './bundled-commands.ts'

export interface ConnectorSetting {
  /** The configuration's file, which is written before each start. */
  file: string
  config: object
  data: string
  /** What the configuration's secrets refer to. */
  env: Record<string, string>
  /** The port of a socket's unit, which stays while the connector is restarted; by default it has none. */
  socketUnit?: number | undefined
  /** The checkout whose connector it is; by default this one. */
  checkout?: string
}

export interface ConnectorProcess {
  port: number
  pid: number | undefined
  readonly hasEnded: boolean
  /** Has its socket's unit restart it. Resolves when it listens again. */
  restart(): Promise<void>
  /** Ends it, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const NODE_OPTIONS = '--disable-warning=ExperimentalWarning'

function spawnConnector(
  { file, config, data, env, socketUnit, checkout = '' }: ConnectorSetting,
  command: string,
  options: string[],
) {
  writeFileSync(file, JSON.stringify(config))
  const main = checkout === '' ? bundled('connector') : join(checkout, 'connector/main.ts')
  const args = [main, command, '--config', file, '--data', data, ...options]
  const own = [process.execPath, NODE_OPTIONS, ...args]
  const unit = ['python3', 'test/support/socket-unit.py', 'deploy/fps-connector.socket', `${socketUnit}`]
  const isOfUnit = command === 'run' && socketUnit !== undefined
  const [program = '', ...rest] = [...(isOfUnit ? unit : []), ...own]
  const child = spawn(program, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Starts it on a free port. @throws Error with its output where it ends at once */
export async function startConnector(
  setting: ConnectorSetting,
  options: string[] = [],
): Promise<ConnectorProcess> {
  const child = spawnConnector(setting, 'run', [
    ...(setting.socketUnit === undefined ? ['--port', '0'] : []),
    ...options,
  ])
  let output = ''
  let waiting: PromiseWithResolvers<number> | undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (data: string) => {
      if (!waiting) return
      output += data
      const [, found] = /"message":"listening","url":"http:[^"]*:(\d+)"/.exec(output) ?? []
      if (found === undefined) return
      waiting.resolve(Number(found))
      waiting = undefined
    })
  }
  child.once('exit', (code) => waiting?.reject(new Error(`the connector ended with ${code}:\n${output}`)))
  /** Resolves with the port when it listens. */
  const listening = () => {
    output = ''
    waiting = Promise.withResolvers<number>()
    return waiting.promise
  }
  const port = await listening()
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    port,
    pid: child.pid,
    get hasEnded() {
      return hasEnded()
    },
    async restart() {
      const again = listening()
      child.kill('SIGHUP')
      await again
    },
    async stop(signal = 'SIGTERM') {
      if (hasEnded()) return
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}

/** What a command prints. */
export interface Printed {
  status: number
  output: string
}
const Printed = z.object({ status: z.int(), output: z.string() })

export interface ConnectorCommands {
  run(command: 'reconcile' | 'settle', ...options: string[]): Promise<Printed>
  end(): void
}

/** A process that runs many commands, one after another. */
export function connectorCommands({ file, data, env }: ConnectorSetting): ConnectorCommands {
  const child = spawn(process.execPath, [NODE_OPTIONS, 'test/support/bank-commands.ts'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let before: Promise<unknown> = Promise.resolve()
  return {
    run(command, ...options) {
      const printed = before.then(async () => {
        child.stdin.write(`${JSON.stringify([command, '--config', file, '--data', data, ...options])}\n`)
        return Printed.parse(JSON.parse((await answers.next()).value ?? ''))
      })
      before = printed.catch(() => {})
      return printed
    },
    end: () => child.stdin.end(),
  }
}

/** Runs a command to its end. */
export async function runConnector(
  setting: ConnectorSetting,
  command: string,
  options: string[],
): Promise<Printed> {
  const child = spawnConnector(setting, command, options)
  const ended = once(child, 'exit')
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  return { status: Number(status), output: `${output}${errors}` }
}
