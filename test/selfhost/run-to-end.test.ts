// How the runner of mutants ends what hangs.
import { readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { runToEnd } from '../../bin/mutants/run-to-end.ts'

/** A process that has ended and is not reaped yet has no command line. */
function lives(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid.trim()}/cmdline`, 'utf8') !== ''
  } catch {
    return false
  }
}

it('a program that hangs is ended with all that it has started', async () => {
  // It holds the pipe: while it lives, the run does not end.
  const { status, output } = await runToEnd('sh', ['-c', 'sleep 3600 & echo $!; wait'], 0.01)
  expect(status).toBeUndefined()
  await vi.waitFor(() => expect(lives(output)).toBe(false))
})

it('what a program leaves behind ends with it', async () => {
  const { status, output } = await runToEnd('sh', ['-c', 'sleep 3600 & echo $!; exit 3'], 1)
  expect(status).toBe(3)
  await vi.waitFor(() => expect(lives(output)).toBe(false))
})
