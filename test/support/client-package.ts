// Packs the client as it is published, and installs it in a directory, once for all tests of a run that use it.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import * as z from 'zod'

const root = join(import.meta.dirname, '../..')

interface ClientPackage {
  /** A directory in which `import '@fps-qr/client'` finds the package. */
  directory: string
  /** The files of the package. */
  files: string[]
}
declare module 'vitest' {
  interface ProvidedContext {
    clientPackage: ClientPackage
  }
}

const Packed = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })])

/** Vitest's global setup; tests get the package by `inject('clientPackage')`. */
export default async function setup(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-client-'))
  const target = join(directory, 'node_modules/@fps-qr/client')
  mkdirSync(target, { recursive: true })
  const pack = ['pack', '--silent', '--json', '--workspace', 'client', '--pack-destination', directory]
  const [{ filename, files }] = Packed.parse(
    JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' })),
  )
  execFileSync('tar', ['-xzf', join(directory, filename), '-C', target, '--strip-components=1'])
  // As `npm install` leaves it, for runtimes that trust only what a manifest names.
  const manifest = { private: true, dependencies: { '@fps-qr/client': `file:${filename}` } }
  writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest))
  project.provide('clientPackage', { directory, files: files.map(({ path }) => path) })
  return () => rmSync(directory, { recursive: true, force: true })
}
