// Installs and builds the module, and makes a database with the tables of Medusa, once for all tests of a run.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { linkModule } from '../../../shops/medusa/demo/link-module.ts'
import { temporaryPostgres } from '../postgres.ts'
import { MODULE, migrate, TEMPLATE } from './program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the PostgreSQL whose database TEMPLATE has the tables of Medusa. */
    postgresPort: number
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = join(MODULE, '../..')
  if (!existsSync(join(MODULE, 'node_modules')))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefix', MODULE], {
      cwd: root,
      stdio: 'inherit',
    })
  execFileSync('npm', ['run', '-s', 'build'], { cwd: MODULE, stdio: 'inherit' })
  linkModule()
  const { port, database, stop } = await temporaryPostgres()
  await migrate(database(TEMPLATE))
  project.provide('postgresPort', port)
  return stop
}
