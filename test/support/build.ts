// Builds the Worker as it is deployed, once for all tests of a run that serve it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type Build, build } from '../../bench/build.ts'

declare module 'vitest' {
  interface ProvidedContext {
    build: Build
  }
}

/** Vitest's global setup; tests get the build by `inject('build')`. */
export default async function setup(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-build-'))
  project.provide('build', await build(directory))
  return () => rmSync(directory, { recursive: true, force: true })
}
