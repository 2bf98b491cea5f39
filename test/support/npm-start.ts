// `npm start` in processes of its own, with a state directory for each test.
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'
import { freePort } from './ports.ts'
import { SECRET } from './secret.ts'

export interface NpmStart {
  port: number
  process: ChildProcess
  /** What it wrote so far, to standard output and to standard error. */
  output(): string
  /** Resolves as soon as the output has the text; the whole output. Rejects if the process ends before. */
  writes(text: string): Promise<string>
  /** The exit status, null after a signal. */
  ended: Promise<number | null>
}

/** In the last line that it writes before it only logs: the link of its QR code. */
export const READY = '&crc='

/**
 * Starts for the tests of a file, or of the describe that calls it: each test has a state directory, and its processes
 * end with it. @param lifetime `describe`: all of its tests share the directory and the processes
 */
export function npmStarts(lifetime: 'test' | 'describe' = 'test') {
  const [before, after] = lifetime === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll]
  let directory: string
  let starts: NpmStart[]
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'fps-qr-start-'))
    starts = []
  })
  after(async () => {
    for (const { process, ended } of starts) {
      process.kill('SIGTERM')
      await ended
    }
    rmSync(directory, { recursive: true, force: true })
  })

  async function run(command: string[], options: string[]): Promise<NpmStart> {
    const port = await freePort()
    const own = ['--port', `${port}`, '--persist-to', directory, '--var', `TOKEN_SECRET:${SECRET}`]
    const started = observed(port, [...command, ...own, ...options])
    starts.push(started)
    return started
  }
  return {
    /** The state directory of the test. */
    directory: () => directory,
    /** `npm start -- …options` on a free port, as npm runs it; but the Worker is built already. */
    start: (...options: string[]) =>
      run(
        [process.execPath, '--disable-warning=ExperimentalWarning', 'bin/start/start.ts'],
        ['--build', inject('build'), ...options],
      ),
    /** `npm start -- …options` on a free port. */
    npmStart: (...options: string[]) => run(['npm', 'start', '--'], options),
  }
}

function observed(port: number, [command = '', ...options]: string[]): NpmStart {
  const child = spawn(command, options, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const written = new EventEmitter()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      written.emit('data')
    })
  }
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  return {
    port,
    process: child,
    ended,
    output: () => output,
    async writes(text) {
      let over = false
      const end = ended.then(() => {
        over = true
      })
      while (!output.includes(text)) {
        if (over) throw new Error(`npm start ended:\n${output}`)
        await Promise.race([once(written, 'data'), end])
      }
      return output
    },
  }
}

/** Where a state directory has its data. */
export const dataOf = (directory: string): string => join(directory, 'data')

/** The process that has the lock of a state directory: workerd. */
export const workerdOf = (directory: string): number =>
  Number(readFileSync(join(dataOf(directory), 'lock'), 'utf8'))
