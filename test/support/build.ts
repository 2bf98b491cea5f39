// Builds the service as it is deployed, once for all tests of a run that serve it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { allowPrivate } from '../../bench/workers.ts'
import { buildService } from '../../bin/build-service.ts'

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
  allowPrivate(builds.public, builds.any)
  project.provide('builds', builds)
  return () => rmSync(directory, { recursive: true, force: true })
}
