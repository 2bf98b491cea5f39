// The connector as a process of its own, on the directory of the surroundings.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { openDatabase } from '../../connector/disk/database.ts'
import { bundled } from '../support/bundled-commands.ts'
import { afterwards, type Surroundings } from './harness.ts'

export interface Process {
  child: ChildProcess
  url: string
  lines: string[]
  kill: (signal?: NodeJS.Signals) => Promise<void>
}

/** Makes the disk of a connector that has run, and had nothing to do. */
export const makeDisk = (at: Surroundings): void =>
  openDatabase(join(at.directory, 'data'), at.clock.now).close()

/** The arguments that name configuration and disk. */
export function argumentsOf(at: Surroundings): string[] {
  const config = join(at.directory, 'connector.json')
  writeFileSync(config, JSON.stringify(at.config))
  return ['--config', config, '--data', join(at.directory, 'data')]
}

export const spawnConnector = (at: Surroundings, args: string[], stdin: 'ignore' | 'pipe' = 'ignore') =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', bundled('connector'), ...args], {
    env: { ...process.env, ...at.env },
    stdio: [stdin, 'pipe', 'pipe'],
  })

/** Starts the connector, and has the banks and the service use it. */
export async function startProcess(at: Surroundings, ...options: string[]): Promise<Process> {
  const child = spawnConnector(at, [...argumentsOf(at), '--port', '0', ...options])
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (data) => lines.push(String(data)))
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${lines.join('')}`)))
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
      lines.push(line)
      const entry: { message?: string; url?: string } = JSON.parse(line)
      if (entry.message === 'listening' && entry.url) resolve(entry.url)
    })
  })
  at.service.connectorUrl = `${url}/instructions`
  at.tochka.webhook = { url: `${url}/webhooks/tochka-main`, webhooksList: ['incomingSbpPayment'] }
  at.raiffeisen.callbackUrl = `${url}/webhooks/raif-farm`
  at.tochkaPay.webhooks.to = `${url}/webhooks/pay-club`
  at.tbank.terminalUrl = `${url}/webhooks/tbank-cafe`
  at.tbank.notificationsTo = `${url}/webhooks/tbank-cafe`
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    await ended
  }
  afterwards(kill)
  return { child, url, lines, kill }
}

/** Runs a command to its end. */
export const runCommand = (at: Surroundings, ...args: string[]) => runTyping(at, '', ...args)

/** Runs a command to its end, and types something. */
export async function runTyping(at: Surroundings, typed: string, ...args: string[]) {
  const child = spawnConnector(at, [...args.slice(0, 1), ...argumentsOf(at), ...args.slice(1)], 'pipe')
  child.stdin?.end(typed)
  const ended = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? -1)))
  const [output, errors, code] = await Promise.all([
    text(child.stdout ?? process.stdin),
    text(child.stderr ?? process.stdin),
    ended,
  ])
  const printed = output.trimEnd().split('\n')
  const isLimit = (line: string) => line.startsWith('note: ')
  return {
    code,
    lines: printed.filter((line) => !isLimit(line)),
    /** What a comparison cannot see. */
    limits: printed.filter(isLimit),
    errors: errors.trimEnd(),
  }
}

/** Resolves when the condition holds; a test has its own limit of time. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20))
}
