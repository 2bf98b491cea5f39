// `npm run serve` in a process of its own, with a data directory of the test's.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './npm-start.ts'

export const SECRET = 'a secret for these tests alone, of 32 characters and more'
export const PUBLIC_URL = 'https://qr.acquirer.example'
/** The settings of every test, unless said otherwise. */
export const SETTINGS = { TOKEN_SECRET: SECRET, PUBLIC_URL, PAYMENT_NETWORK: 'sandbox' }

export interface Served {
  process: ChildProcess
  /** `http://127.0.0.1:…` of the service, and of the admin socket. */
  address: string
  admin: string
  /** Everything that it wrote. */
  output(): string
  /** Resolves when it answers; rejects if it ends before. */
  ready(): Promise<void>
  /** The exit status, null after a signal. */
  ended: Promise<number | null>
  /** SIGKILL: it and its workerd end in the midst of whatever they do. */
  kill(): Promise<void>
}

export interface ServeOptions {
  /** Settings; undefined unsets one. */
  settings?: Record<string, string | undefined>
  options?: string[]
  /** A command that runs the command after it. */
  wrapper?: string[]
  port?: number
}

/** Runs what `npm run serve -- --data …` runs, on free ports. */
export async function serve(
  data: string,
  { settings = {}, options = [], wrapper = [], port }: ServeOptions = {},
): Promise<Served> {
  const [http, admin] = [port ?? (await freePort()), await freePort()]
  const [command = '', ...args] = [
    ...wrapper,
    ...[process.execPath, '--disable-warning=ExperimentalWarning', 'bin/serve.ts', '--data', data],
    ...['--port', `${http}`, '--admin-port', `${admin}`, ...options],
  ]
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...SETTINGS, ...settings },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  const address = `http://127.0.0.1:${http}`
  return {
    process: child,
    address,
    admin: `http://127.0.0.1:${admin}`,
    ended,
    output: () => output,
    async kill() {
      child.kill('SIGKILL')
      // The lock tells of a workerd that does not listen yet, the log of one whose file system is its own.
      if (existsSync(join(data, 'lock'))) killIfAlive(workerdOf(data))
      const [, last] = [...output.matchAll(/"listening","pid":(\d+)/g)].at(-1) ?? []
      killIfAlive(Number(last ?? 0))
      await ended
    },
    async ready() {
      while (!(await fetch(`${address}/healthz`).catch(() => undefined))?.ok) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended:\n${output}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}

function killIfAlive(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL')
  } catch {}
}

/** The process that has the lock of a data directory: workerd. */
export const workerdOf = (data: string): number => Number(readFileSync(join(data, 'lock'), 'utf8'))
