// `npm run serve` in a process of its own, with a data directory of the test's.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { ALARMS } from '../../bin/data/alarms.ts'
import { objectsOf, siteFile } from '../../bin/data/data-directory.ts'
import { mintToken } from '../../bin/mint-token.ts'
import { bundled } from './bundled-commands.ts'
import { type Call, requestOf } from './client.ts'
import { freePort } from './ports.ts'
import { SECRET } from './secret.ts'
import { type Site, siteAt } from './site-at.ts'

export const PUBLIC_URL = 'https://qr.acquirer.example'
/** The settings of every test, unless said otherwise. */
export const SETTINGS = {
  TOKEN_SECRET: SECRET,
  PUBLIC_URL,
  PAYMENT_NETWORK: 'sandbox',
  SITE_RATE: '1000000',
  // A deletion cannot be undone.
  DELETION_DAYS: '0',
}
/** The settings of an external network, whose connector nobody reaches. */
export const EXTERNAL = {
  PAYMENT_NETWORK: 'external',
  NETWORK_URL: 'http://127.0.0.1:9/',
  NETWORK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
}

export interface Served {
  process: ChildProcess
  /** `http://127.0.0.1:…` of the service, and of the admin socket. */
  address: string
  admin: string
  /** Everything that it wrote. */
  output(): string
  /** Resolves when it answers; rejects if it ends before. */
  ready(): Promise<void>
  /** Resolves when so many long polls wait. */
  longPolls(count: number): Promise<void>
  /** The exit status, null after a signal. */
  ended: Promise<number | null>
  /** SIGTERM. @throws Error unless it ends with status 0 */
  stop(): Promise<void>
  /** SIGKILL: it and its workerd end in the midst of whatever they do. */
  kill(): Promise<void>
}

export interface ServeOptions {
  /** Settings; undefined unsets one. */
  settings?: Record<string, string | undefined>
  options?: string[]
  /** The ports of the service and of its admin socket; by default free ones. */
  ports?: readonly [number, number]
  /** A command that runs the command after it. */
  wrapper?: string[]
  /** The checkout whose build is served; by default this one. */
  checkout?: string
}

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-selfhost-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Runs what `npm run serve -- --data …` runs, on free ports; it ends with the test. */
export async function serve(
  data: string,
  { settings = {}, options = [], wrapper = [], checkout, ports }: ServeOptions = {},
): Promise<Served> {
  const [http, admin] = ports ?? [await freePort(), await freePort()]
  const [command = '', ...args] = [
    ...wrapper,
    // Without the first --, Node itself would read the file of --env-file.
    ...[
      process.execPath,
      '--disable-warning=ExperimentalWarning',
      '--',
      checkout === undefined ? bundled('serve') : join(checkout, 'bin/serve/serve.ts'),
      '--data',
      data,
    ],
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
  let isStopped = false
  const served: Served = {
    process: child,
    address,
    admin: `http://127.0.0.1:${admin}`,
    ended,
    output: () => output,
    async stop() {
      child.kill('SIGTERM')
      const status = await ended
      if (status !== 0) throw new Error(`it ended with status ${status}:\n${output}`)
      isStopped = true
    },
    async kill() {
      // Another program may have the process ids by now.
      if (isStopped) return
      child.kill('SIGKILL')
      // The lock tells of a workerd that does not listen yet, the log of one whose file system is its own.
      if (existsSync(join(data, 'lock'))) killIfAlive(workerdOf(data))
      const [, last] = [...output.matchAll(/"listening",.*?"pid":(\d+)/g)].at(-1) ?? []
      killIfAlive(Number(last ?? 0))
      await ended
    },
    async longPolls(count) {
      const line = `\nfps_qr_long_polls ${count}\n`
      while (!(await (await fetch(`${served.admin}/metrics`)).text()).includes(line)) await sleep(20)
    },
    async ready() {
      // While its own workerd does not listen, the service of another test can have the port, and answer.
      const answers = async () =>
        output.lastIndexOf('"listening"') > output.lastIndexOf('workerd ended') &&
        (await fetch(`${address}/healthz`).catch(() => undefined))?.ok
      while (!(await answers())) {
        if (child.exitCode !== null || child.signalCode !== null) {
          // Then the output is complete.
          const status = (await ended) ?? child.signalCode
          throw new Error(`it ended, ${status}:\n${output}`)
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
  onTestFinished(() => served.kill())
  return served
}

/** Runs the same, and waits until it answers. */
export async function started(data: string, options?: ServeOptions): Promise<Served> {
  for (;;) {
    const served = await serve(data, options)
    try {
      await served.ready()
      return served
    } catch (error) {
      // A connection of this machine can have taken the free port meanwhile.
      if (options?.ports || !/Address already in use|listens there/.test(String(error))) throw error
    }
  }
}

function killIfAlive(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL')
  } catch {}
}

/** The process that has the lock of a data directory: workerd. */
export const workerdOf = (data: string): number => Number(readFileSync(join(data, 'lock'), 'utf8'))

/** The file of a site in a data directory. */
export const fileOf = (data: string, siteId = 'demo'): string => join(objectsOf(data), siteFile(siteId))

/** Removes workerd's file of alarms, of a service that is stopped. */
export function removeAlarms(data: string): void {
  for (const name of readdirSync(objectsOf(data))) {
    if (name.startsWith(ALARMS)) rmSync(join(objectsOf(data), name))
  }
}

/** A site of the service. */
export const siteOf = ({ address }: Served, siteId = 'demo'): Site => siteAt(() => address, SECRET, siteId)

/** Sends a request of the operator below `/operator/v1`, by default with a new token. */
export async function asOperator(
  { address }: Pick<Served, 'address'>,
  below: string,
  call: Call = {},
): Promise<Response> {
  const token = call.token ?? (await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 1 }))
  return fetch(requestOf(`${address}/operator/v1${below}`, { ...call, token }))
}
