// A clock of the test's own for a process that it starts: test/support/clock.c, compiled.
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requires } from './requires.ts'

const CC = ['/usr/bin/cc', '/usr/bin/gcc', '/usr/bin/clang'].find((path) => existsSync(path))

/** Without a compiler, no clock but the machine's own could be changed. */
export const hasClock = requires('cc', CC !== undefined)

/** @param directory where its files go */
export function shiftedClock(directory: string): {
  settings: { LD_PRELOAD: string; CLOCK_OFFSET: string }
  /** Sets the hours by which the process is ahead of the machine. @returns the step that its clock makes */
  set(hours: number): number
} {
  const [library, file] = [join(directory, 'clock.so'), join(directory, 'offset')]
  spawnSync(CC ?? '', ['-shared', '-fPIC', '-O2', '-o', library, 'test/support/clock.c'])
  let ahead = 0
  const set = (hours: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(Math.round(hours * 3600)))
    // In place: the process has the file mapped.
    writeFileSync(file, bytes, { flag: existsSync(file) ? 'r+' : 'w' })
    const step = hours - ahead
    ahead = hours
    return step
  }
  set(0)
  return { settings: { LD_PRELOAD: library, CLOCK_OFFSET: file }, set }
}
