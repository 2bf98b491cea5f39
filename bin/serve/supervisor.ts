// Keeps a program running: starts it again when it ends, later each time, until a signal stops it.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 10_000
/** After a run of this length, the next delay is the first one again. */
const STABLE_MS = 60_000
/** The interval at which the clock is compared with a monotonic one. */
const CLOCK_CHECK_MS = 1000
/** A step back by more milliseconds ends workerd: its timers count from the latest time that it saw. */
const MAX_STEP_BACK_MS = 2000
/** The program has this time to end: a create waits up to 10 seconds for a bank. Acknowledged writes are already on disk. */
const STOP_MS = 15_000
/** Long polls have this time to be answered, before connections are refused. */
const DRAIN_MS = 2000

interface Program {
  /** Runs before each start. Where it throws, the program does not start. */
  prepare(): Promise<void>
  command: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  /** Descriptors of this process that it gets, as 4, 5, … */
  descriptors?: readonly number[]
  /** Where it listens, for the log. */
  address?: string
  /** Called when it listens for the first time. */
  onReady?: () => void
  /** Goes on while it serves, from each time that it listens; the signal ends it. */
  tend?(signal: AbortSignal): Promise<void>
  /** Whether it starts again though it was never ready: what it lacks is not of this machine. */
  isPatient?: boolean
  /** Requests in flight have this time to end at a stop. */
  stopMs?: number
  /** Announces the stop to the program, while it still accepts connections. */
  drain?(signal: AbortSignal): Promise<unknown>
}

/** A line of the log: what happened, and whatever else is known. */
type Log = (level: 'info' | 'warning' | 'error', message: string, more?: object) => void

/**
 * Runs a program until a signal stops it; its standard output is this process's. It says that it is ready by a line
 * on the descriptor 3.
 * @returns true after a stop; false where it ended before it was ever ready, unless it is patient
 */
export async function supervise(program: Program, log: Log): Promise<boolean> {
  let child: ChildProcess | undefined
  let serving = new AbortController()
  let isStopping = false
  let wake = () => {}
  const stop = () => {
    if (isStopping) return
    isStopping = true
    log('info', 'stopping')
    serving.abort()
    // workerd refuses connections only when it ends, and it ends after its last request.
    Promise.resolve(program.drain?.(AbortSignal.timeout(DRAIN_MS)))
      .catch(() => {})
      .finally(() => child?.kill('SIGTERM'))
    setTimeout(() => child?.kill('SIGKILL'), program.stopMs ?? STOP_MS).unref()
    wake()
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  onStepBack((milliseconds) => {
    log(
      'error',
      `the clock went back by ${milliseconds} ms, for which the timers of workerd would stand still`,
    )
    child?.kill('SIGKILL')
  })

  let wasEverReady = false
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, MAX_DELAY_MS)) {
    const started = performance.now()
    await program.prepare()
    if (isStopping) return true
    child = spawn(program.command, program.args, {
      env: program.env,
      // A process group of its own: a signal of the terminal comes from here, once.
      detached: true,
      stdio: ['ignore', 'inherit', 'pipe', 'pipe', ...(program.descriptors ?? [])],
    })
    let isReady = false
    serving = new AbortController()
    const { signal } = serving
    lines(child.stdio[3], () => {
      if (!isReady) {
        log('info', 'listening', { address: program.address, pid: child?.pid })
        if (!isStopping) program.tend?.(signal).catch((error) => log('error', String(error)))
      }
      isReady = true
      if (!wasEverReady) program.onReady?.()
      wasEverReady = true
    })
    lines(
      child.stderr,
      withoutUnreachable((message) => {
        const level = message.includes(': warning: ') ? 'warning' : 'error'
        log(level, message, { source: 'workerd' })
      }),
    )
    const ended = await endOf(child)
    serving.abort()
    child = undefined
    if (isStopping) return true
    log('error', `workerd ended: ${ended}`)
    if (!wasEverReady && !program.isPatient) return false
    if (performance.now() - started > STABLE_MS) delay = FIRST_DELAY_MS
    log('info', `starting workerd again in ${delay} ms`)
    await new Promise<void>((resolve) => {
      wake = resolve
      setTimeout(resolve, delay)
    })
    if (isStopping) return true
  }
}

function onStepBack(act: (milliseconds: number) => void): void {
  let latest = Date.now() - performance.now()
  setInterval(() => {
    const offset = Date.now() - performance.now()
    if (latest - offset > MAX_STEP_BACK_MS) act(Math.round(latest - offset))
    latest = offset
  }, CLOCK_CHECK_MS).unref()
}

/**
 * What workerd writes of a request to a name that does not resolve, or that leads to an address that is not public. The
 * service's own line has the site.
 */
const UNREACHABLE = /failed to lookup address information|connecting to \S+ is not allowed/

/** Leaves these lines out, each with the stack that follows it. */
function withoutUnreachable(take: (line: string) => void): (line: string) => void {
  let isUnreachable = false
  return (line) => {
    const isStack = isUnreachable && line.startsWith('stack: ')
    isUnreachable = UNREACHABLE.test(line)
    if (!isUnreachable && !isStack) take(line)
  }
}

function lines(stream: unknown, take: (line: string) => void): void {
  if (stream instanceof Readable) createInterface(stream).on('line', take)
}

const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `status ${code}`))
  })
