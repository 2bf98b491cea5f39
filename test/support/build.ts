// Builds the service as it is deployed, once for all tests of a run that serve it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildService } from '../../bin/serve/build-service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of the build. */
    build: string
  }
}

/** Vitest's global setup; tests get the builds by `inject('build')`. */
export default async function setup(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-build-'))
  await buildService(directory)
  project.provide('build', directory)
  return () => rmSync(directory, { recursive: true, force: true })
}
