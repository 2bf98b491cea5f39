// Installs and builds the module and its shop, once for all tests of a run.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const directory = join(import.meta.dirname, '../../../shops/vendure')

/** Vitest's global setup. */
export default function setup(): void {
  const npm = (...args: string[]) => execFileSync('npm', args, { cwd: directory, stdio: 'inherit' })
  if (!existsSync(join(directory, 'node_modules'))) npm('ci', '--no-audit', '--no-fund')
  npm('run', '-s', 'build')
}
