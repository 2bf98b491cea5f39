// Installs and builds the modules for shops, once for all tests of a run that start the shops.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const shops = join(import.meta.dirname, '../../shops')

/** Vitest's global setup. */
export default function setup(): void {
  for (const shop of readdirSync(shops)) {
    const directory = join(shops, shop)
    if (!existsSync(join(directory, 'package.json'))) continue
    const npm = (...args: string[]) => execFileSync('npm', args, { cwd: directory, stdio: 'inherit' })
    if (!existsSync(join(directory, 'node_modules'))) npm('ci', '--no-audit', '--no-fund')
    npm('run', '-s', 'build')
  }
}
