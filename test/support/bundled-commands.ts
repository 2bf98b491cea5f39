// Bundles the commands once for the tests that start them, as a release does: vitest's global setup. Node would translate
// a hundred files of TypeScript at each start.
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundleCommands } from '../../bin/release/commands.ts'

const DIRECTORY = 'dist/commands'

/** The file of a command of the checkout, such as `serve`, relative to it. */
export const bundled = (name: string): string => join(DIRECTORY, `${name}.js`)

export default async function setup(): Promise<void> {
  mkdirSync(DIRECTORY, { recursive: true })
  // Another run of tests of the same sources can start them meanwhile: it never reads half a file.
  // `rename` needs both directories on one disk.
  const made = mkdtempSync(`${DIRECTORY}-`)
  try {
    await bundleCommands(made)
    for (const name of readdirSync(made)) renameSync(join(made, name), join(DIRECTORY, name))
  } finally {
    rmSync(made, { recursive: true })
  }
}
