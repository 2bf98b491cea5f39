// Builds the Worker once for all tests of a run that start `npm start`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildWorker } from '../../bin/local-service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    startBuild: string
  }
}

/** Vitest's global setup; tests get the directory by `inject('startBuild')`. */
export default async function setup(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-start-build-'))
  project.provide('startBuild', await buildWorker(directory))
  return () => rmSync(directory, { recursive: true, force: true })
}
