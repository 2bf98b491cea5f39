// Builds the service as it is deployed, once for all tests of a run that serve it.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildService, CONFIG } from '../../bin/build-service.ts'

/** The directories of builds, by the addresses that their notifications may go to. */
interface Builds {
  public: string
  any: string
}
declare module 'vitest' {
  interface ProvidedContext {
    builds: Builds
  }
}

/** Vitest's global setup; tests get the builds by `inject('builds')`. */
export default async function setup(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-build-'))
  const builds = { public: join(directory, 'public'), any: join(directory, 'any') }
  await buildService(builds.public)
  // Receivers of tests are on this machine, which the service itself refuses.
  cpSync(builds.public, builds.any, { recursive: true })
  const config = readFileSync(join(builds.any, CONFIG), 'utf8')
  writeFileSync(
    join(builds.any, CONFIG),
    config.replace('allow = ["public"]', 'allow = ["public", "private"]'),
  )
  project.provide('builds', builds)
  return () => rmSync(directory, { recursive: true, force: true })
}
