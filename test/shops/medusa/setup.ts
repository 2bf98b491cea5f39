// Installs and builds the module, and makes a database with the tables of Medusa, once for all tests of a run.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../../shops/medusa/demo/postgres.ts'
import { freePort } from '../../support/ports.ts'
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
  // The pages of the admin import the module by its name.
  const link = join(MODULE, 'node_modules/@fps-qr/medusa')
  if (!existsSync(link)) symlinkSync(MODULE, link)
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-medusa-'))
  const port = await freePort()
  const { database, stop } = await startPostgres(directory, port)
  await migrate(database(TEMPLATE))
  project.provide('postgresPort', port)
  return async () => {
    await stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
