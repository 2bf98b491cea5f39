// A part of the bench in a process of its own: where it fails or hangs, nothing that it started disturbs the next one.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod'
import { type Part, Setting } from './figures.ts'

const Reported = z.object({
  tables: z.array(z.string()),
  figures: z.record(z.string(), z.unknown()),
  faults: z.array(z.string()),
})
type Reported = z.infer<typeof Reported>
const Answer = z.union([Reported, z.object({ error: z.string() })])

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) endGroup(child)
})

/**
 * Runs a part to its end.
 * @param program a file that calls `answerAsPart`
 * @throws Error that the part threw, or that says how its process ended
 */
export async function runPart(
  program: string,
  name: string,
  setting: Setting,
  minutes: number,
): Promise<Reported> {
  // In a group of its own it gets no Ctrl-C: it ends with this process.
  const child = fork(program, [name, JSON.stringify(setting)], { detached: true })
  running.add(child)
  let answer: unknown
  child.once('message', (message) => {
    answer = message
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endGroup(child)
  }, minutes * 60_000)
  // Not `exit`: its message can come after that.
  const [status, signal] = await once(child, 'close')
  clearTimeout(timer)
  endGroup(child)
  running.delete(child)
  if (isLate) throw new Error(`it did not end within ${minutes} minutes`)
  if (answer === undefined) throw new Error(`its process ended with ${signal ?? `status ${status}`}`)
  const report = Answer.parse(answer)
  if ('error' in report) throw new Error(report.error)
  return report
}

/** What the program of `runPart` does: it runs the part that its arguments name, and ends. */
export async function answerAsPart(parts: Record<string, { load(): Promise<Part> }>): Promise<void> {
  const [name = '', setting = ''] = process.argv.slice(2)
  const run = async () => {
    const part = await parts[name]?.load()
    return part?.(Setting.parse(JSON.parse(setting)))
  }
  const answer = await run().catch((error: unknown) => ({
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }))
  process.send?.(answer, () => process.exit())
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of the group have ended.
  }
}
