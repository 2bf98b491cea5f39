// The server processes that the bench and the tests start, and end.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'

/** A server that listens on 127.0.0.1. */
export interface Server {
  port: number
  /** The first port that it told: of the service, its admin socket's. */
  adminPort: number
  /** Undefined once it has ended. */
  pid(): number | undefined
  /** Its resident memory in bytes, where the system tells it. */
  memory(): number | undefined
  /** The CPU time in seconds that its threads have used until now, where the system tells it. */
  cpuSeconds(): number | undefined
  /** SIGTERM, and SIGKILL where that does not end it. */
  stop(): Promise<void>
  /** SIGKILL: it ends at once. */
  kill(): Promise<void>
}

const START_MS = 60_000
const STOP_MS = 60_000

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Starts a server and waits until it listens. It says so with a line of JSON that has its `port`, on the
 * descriptor 3; of the service, one for the admin socket comes first.
 * @param startMs for how long it may take to listen
 * @param log takes what the server writes; without it, the log goes to the null device: made and written, as in
 * production, but kept nowhere
 */
export async function startServer(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
  log?: (text: string) => void,
  startMs = START_MS,
): Promise<Server> {
  const child = spawn(command, args, {
    stdio: ['ignore', log ? 'pipe' : 'ignore', log ? 'pipe' : 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  if (log) {
    for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', log)
  }
  const end = async (signal: NodeJS.Signals) => {
    if (!running.has(child)) return
    const ended = once(child, 'exit')
    child.kill(signal)
    const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(timeout)
  }
  return {
    ...(await portsOf(child, startMs)),
    pid: () => (running.has(child) ? child.pid : undefined),
    memory: () => residentBytes(child.pid),
    cpuSeconds: () => cpuSeconds(child.pid),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

function portsOf(child: ChildProcess, startMs: number): Promise<Pick<Server, 'port' | 'adminPort'>> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      child.kill('SIGKILL')
      reject(new Error(`${child.spawnfile} ${reason}`))
    }
    const startTimeout = setTimeout(() => fail(`did not listen within ${startMs} ms`), startMs)
    child.once('error', (error) => fail(String(error)))
    child.once('exit', (code, signal) => fail(`ended before it listened: ${code ?? signal}`))
    let said = ''
    const control = child.stdio[3]
    if (!(control instanceof Readable)) return fail('has no descriptor 3')
    control.on('data', (chunk) => {
      said += chunk
      const [http] = said.match(/^\{(?!.*"socket":"admin").*\}$/m) ?? []
      if (!http) return
      clearTimeout(startTimeout)
      resolve({ port: portIn(http), adminPort: portIn(said) })
    })
  })
}

const portIn = (text: string) => Number(/"port":(\d+)/.exec(text)?.[1])

/** The resident memory of a process, where the system tells it; as `VmHWM` the most that it was. */
export function residentBytes(
  pid: number | undefined,
  which: 'VmRSS' | 'VmHWM' = 'VmRSS',
): number | undefined {
  const kibibytes = new RegExp(`${which}:\\s+(\\d+) kB`).exec(procFile(pid, 'status'))?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}

/** Linux tells times in this unit, whatever its timer's frequency is (proc_pid_stat(5), sysconf(3)). */
const TICKS_PER_SECOND = 100

/** The CPU time in seconds that a process has used, where the system tells it. */
export function cpuSeconds(pid: number | undefined): number | undefined {
  const stat = procFile(pid, 'stat')
  // The second field is the name, which can have spaces; the 14th and the 15th are user and system time.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return user === undefined ? undefined : (Number(user) + Number(system)) / TICKS_PER_SECOND
}

/** A file of the process in /proc; empty where the system has none. */
function procFile(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
