// Bundles the Worker: its entry, and the modules that it loads when they are needed (docs/decisions/0093-the-console-is-a-module.md).
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { commitOf } from './build-identity.ts'

const root = join(import.meta.dirname, '../..')

/** The entry of a bundle. */
const WORKER = 'index.js'

interface Bundle {
  /** The modules that the entry imports, itself included: a new instance loads them. */
  loaded: readonly string[]
  /** All modules, the entry first. */
  modules: readonly string[]
  /** The files that they are made of, relative to the checkout. */
  inputs: readonly string[]
}

/**
 * Writes the modules into a directory, which has nothing else. Their names have no folders: workerd and wrangler resolve them
 * beside the entry.
 * @param entry the Worker's source
 * @throws Error of the bundler
 */
export async function bundle(directory: string, entry = join(root, 'src/index.ts')): Promise<Bundle> {
  rmSync(directory, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { index: entry },
    outdir: directory,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2024',
    minify: true,
    // An escaped Russian letter has six bytes.
    charset: 'utf8',
    legalComments: 'none',
    chunkNames: '[name]-[hash]',
    define: { FPS_QR_COMMIT: JSON.stringify(commitOf(root)) },
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'browser'],
    metafile: true,
    logLevel: 'silent',
  })
  const outputs = new Map(Object.entries(metafile.outputs))
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const entryPath = [...outputs.keys()].find((path) => nameOf(path) === WORKER)
  const loaded = new Set<string>()
  const load = (path: string | undefined) => {
    const output = path === undefined ? undefined : outputs.get(path)
    if (path === undefined || !output || loaded.has(path)) return
    loaded.add(path)
    for (const { kind, path: imported } of output.imports) if (kind === 'import-statement') load(imported)
  }
  load(entryPath)
  const others = [...outputs.keys()].filter((path) => path !== entryPath)
  return {
    loaded: [...loaded].map(nameOf),
    modules: [WORKER, ...others.map(nameOf)],
    inputs: Object.keys(metafile.inputs),
  }
}
