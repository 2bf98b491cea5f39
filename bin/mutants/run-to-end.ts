// Runs a program with all that it starts, and ends what is left of it: Vitest's workers and their workerd outlive it where it hangs.
import { type ChildProcess, spawn } from 'node:child_process'

const running = new Set<ChildProcess>()

/**
 * Runs a program in a process group of its own.
 * @param minutes after which the group is ended
 * @returns no status where it was ended, and the last part of what it wrote
 */
export function runToEnd(
  program: string,
  args: readonly string[],
  minutes: number,
): Promise<{ status: number | undefined; output: string }> {
  // In a group of its own it does not get the terminal's Ctrl-C: `endAll` ends it then.
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT)
    })
  }
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endGroup(child)
  }, minutes * 60_000)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => endGroup(child))
    // Not `exit`: the output is complete now, and no process of the group holds the pipe any more.
    child.once('close', (status) => {
      clearTimeout(timer)
      running.delete(child)
      resolve({ status: isLate ? undefined : (status ?? 1), output })
    })
  })
}

const MAX_OUTPUT = 2 ** 20

/** Ends everything that runs now. */
export function endAll(): void {
  for (const child of running) endGroup(child)
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of the group have ended.
  }
}
