// The commands of bin/data as a person runs them.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { bundled } from './bundled-commands.ts'

/** The arguments of Node that run what `npm run {name} -- …` runs. */
export const commandOf = (name: string): string[] => [
  '--disable-warning=ExperimentalWarning',
  '--',
  bundled(name),
]

/** Runs a command to its end. */
export function run(name: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...commandOf(name), ...args])
  return { status, output: `${stdout}${stderr}` }
}

/** Runs a command while servers of the test's own answer it. */
export async function runBeside(
  env: Record<string, string>,
  name: string,
  ...args: string[]
): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [...commandOf(name), ...args], { env: { ...process.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [status] = await once(child, 'close')
  return { status, output }
}

/** The same, which must succeed, beside what the test does; what it printed. */
export async function succeedsBeside(name: string, ...args: string[]): Promise<string> {
  const { status, output } = await runBeside({}, name, ...args)
  expect([status, output]).toEqual([0, output])
  return output
}

/** Runs a command that must succeed; what it printed. */
export const succeeds = (name: string, ...args: string[]): string => {
  const { status, output } = run(name, ...args)
  expect([status, output]).toEqual([0, output])
  return output
}
