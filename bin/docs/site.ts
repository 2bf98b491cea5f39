// Builds the documentation site into public/docs with Starlight, unless its sources have not changed.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { OpenApiDocument } from '../../src/openapi/objects.ts'
import { finish } from './finish.ts'
import { type Page, pagesOf } from './pages.ts'

const root = join(import.meta.dirname, '../..')
const target = join(root, 'public/docs')
const generator = join(import.meta.dirname, 'site')
const packages = join(generator, 'node_modules')
const cache = join(root, 'node_modules/.cache')
/** All that a failed build has said, from the root. */
const LOG = 'node_modules/.cache/docs.log'
/** In the site: the hash of what it was made of. */
const STAMP = 'sources.txt'
/** Instead of the site: its build has failed (bin/serve/docs-worker.js). */
const FAILED = 'failed.txt'

/** @throws Error of one line: the file that it names has the rest */
export async function buildSite(document: OpenApiDocument): Promise<void> {
  const pages = pagesOf(document)
  const hash = hashOf(pages)
  const stamp = join(target, STAMP)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  console.log('building the documentation (about a minute, once)')
  rmSync(join(target, FAILED), { force: true })
  const work = mkdtempSync(join(mkdirs(cache), 'docs-'))
  try {
    const output = join(work, 'docs')
    for (const { path, text } of pages) write(join(work, 'content', path), text)
    await generate(work, output)
    finish(output)
    writeFileSync(join(output, STAMP), hash)
    replace(output)
  } catch (error) {
    writeFileSync(join(root, LOG), `${error instanceof Error ? error.stack : error}\n`)
    write(join(target, FAILED), '')
    throw new Error(`the documentation could not be built: ${LOG} says why`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Everything that decides what the site is: its pages, and the files here, which have the versions of the packages too. */
function hashOf(pages: readonly Page[]): string {
  const hash = createHash('sha256').update(JSON.stringify(pages))
  const files = readdirSync(import.meta.dirname, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !/\/(node_modules|\.astro)\//.test(file) && statSync(file).isFile())
  for (const file of files.toSorted()) hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex')
}

/** A process of its own: the generator's packages are as many as the service's, so they are installed only here. */
async function generate(work: string, output: string): Promise<void> {
  const run = (command: string, ...options: string[]) =>
    promisify(execFile)(command, options, { cwd: generator })
  // npm writes this file last.
  const installed = join(packages, '.package-lock.json')
  // Two installations at the same time would remove each other's packages. npm has the lock itself, even when its build is killed.
  if (!existsSync(installed)) {
    const install = 'test -e "$0" || exec npm ci --no-audit --no-fund'
    await run(
      join(root, 'deploy/lock'),
      '--wait',
      join(cache, 'docs-packages'),
      'sh',
      '-c',
      install,
      installed,
    )
  }
  // Nothing else of the environment: Astro and Vite read variables such as NODE_ENV, MODE and VITEST, and make another site.
  const env = [`PATH=${process.env.PATH}`, 'NODE_ENV=production', 'ASTRO_TELEMETRY_DISABLED=1']
  const content = `DOCS_CONTENT=${join(work, 'content')}`
  await run('env', '-i', ...env, content, process.execPath, 'generate.ts', output, work)
}

/** Two builds at the same time never serve half a site. */
function replace(output: string): void {
  const old = mkdtempSync(join(cache, 'docs-'))
  try {
    if (existsSync(target)) renameSync(target, join(old, 'docs'))
    renameSync(output, target)
  } catch (error) {
    // Another build was faster: its site is the same.
    if (!existsSync(join(target, STAMP))) throw error
  } finally {
    rmSync(old, { recursive: true, force: true })
  }
}

function write(file: string, text: string): void {
  mkdirs(dirname(file))
  writeFileSync(file, text)
}

function mkdirs(directory: string): string {
  mkdirSync(directory, { recursive: true })
  return directory
}
