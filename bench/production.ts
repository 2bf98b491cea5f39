// `npm run serve`, and the commands of bin/, as an operator runs them.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../test/support/ports.ts'
import { cpuSeconds, residentBytes } from '../test/support/processes.ts'
import { SETTINGS } from '../test/support/workers.ts'

/** The arguments with which Node runs a program of bin/. */
export const bin = (name: string): string[] => [
  '--disable-warning=ExperimentalWarning',
  join(import.meta.dirname, `../bin/${name}.ts`),
]

/** What npm run serve runs, on a free port. */
export class Production {
  readonly port: number
  readonly #process: ChildProcess
  readonly #data: string

  constructor(port: number, child: ChildProcess, data: string) {
    this.port = port
    this.#process = child
    this.#data = data
  }

  /** @param settings besides those of the bench @returns when it answers */
  static async start(data: string, settings: Record<string, string> = {}): Promise<Production> {
    mkdirSync(data, { recursive: true })
    const [port, adminPort] = [await freePort(), await freePort()]
    const options = ['--data', data, '--port', `${port}`, '--admin-port', `${adminPort}`]
    const child = spawn(process.execPath, [...bin('serve/serve'), ...options], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...SETTINGS, ...settings },
    })
    const stop = () => child.kill('SIGTERM')
    process.once('exit', stop)
    child.once('exit', () => process.off('exit', stop))
    while (!(await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok) {
      if (child.exitCode !== null) throw new Error('npm run serve ended')
    }
    return new Production(port, child, data)
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Of workerd, which has the lock. */
  get #pid(): number {
    return Number(readFileSync(join(this.#data, 'lock'), 'utf8'))
  }

  /** The resident memory of workerd in bytes: at present, and at most since `forgetPeak`. */
  memory(): { present: number | undefined; peak: number | undefined } {
    return { present: residentBytes(this.#pid), peak: residentBytes(this.#pid, 'VmHWM') }
  }

  forgetPeak(): void {
    writeFileSync(`/proc/${this.#pid}/clear_refs`, '5')
  }

  /** The CPU time in seconds that workerd has used until now. */
  cpuSeconds(): number | undefined {
    return cpuSeconds(this.#pid)
  }

  killWorkerd(): void {
    process.kill(this.#pid, 'SIGKILL')
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGTERM')
    await once(this.#process, 'exit')
  }
}
