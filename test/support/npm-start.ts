// `npm start` in a process of its own, with a state directory of the test's.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const SECRET = 'a secret for these tests alone, of 32 characters and more'

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

/** Runs what `npm start -- …options` runs, on a free port. */
export async function npmStart(directory: string, ...options: string[]): Promise<NpmStart> {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [
      ...['--disable-warning=ExperimentalWarning', 'bin/start.ts'],
      ...['--port', `${port}`, '--persist-to', directory, '--var', `TOKEN_SECRET:${SECRET}`, ...options],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
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
        await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), end])
      }
      return output
    },
  }
}

/** The processes that a start of this state directory began: the launcher, then each workerd. */
export const pids = (directory: string): number[] =>
  readFileSync(join(directory, 'lock', 'pids'), 'utf8')
    .trim()
    .split('\n')
    .map(Number)

export const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
