// Builds the service as workerd runs it without wrangler: the Worker, the static files and the configuration.
import { execFile, type PromiseWithChild } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { objectsConfig } from '../data/objects-config.ts'
import { bundle } from './bundle.ts'
import { copyStaticFiles } from './static-files.ts'
import { workerdConfig } from './workerd-config.ts'
import { configuration } from './wrangler.ts'

const root = join(import.meta.dirname, '../..')

/** The names of what a build has, in its directory: the folder of the Worker's modules, and the configuration of workerd. */
export const MODULES = 'worker'
export const CONFIG = 'config.capnp'

/**
 * Builds into a directory, in which workerd finds everything that it needs but the settings and the data.
 * @param entry another source of a Worker with a class Site; it gets neither static files nor an admin socket
 * @throws Error of the build
 */
export async function buildService(directory: string, entry?: string): Promise<void> {
  mkdirSync(directory, { recursive: true })
  const bundling = bundle(join(directory, MODULES), entry)
  // The OpenAPI document is one of the static files.
  const documenting = entry === undefined ? runBuild({ WITHOUT_DOCS: '1' }) : undefined
  // To read the configuration takes a second, in which the bundler runs.
  const { compatibility_date: compatibilityDate = '', compatibility_flags: compatibilityFlags } =
    configuration()
  const [{ modules }] = await Promise.all([bundling, documenting])
  const { files, docsHeaders } =
    entry === undefined ? copyStaticFiles(join(root, 'public'), join(directory, 'public')) : NO_FILES
  writeFileSync(join(directory, 'files.json'), `${JSON.stringify(files, undefined, 2)}\n`)
  writeFileSync(join(directory, 'docs-headers.json'), JSON.stringify(docsHeaders))
  copyFileSync(join(import.meta.dirname, 'docs-worker.js'), join(directory, 'docs.js'))
  copyFileSync(join(root, 'bin/data/bucket-objects.js'), join(directory, 'objects.js'))
  writeFileSync(join(directory, 'objects.capnp'), objectsConfig(compatibilityDate))
  writeFileSync(
    join(directory, CONFIG),
    workerdConfig({
      modules: modules.map((name) => ({ name, file: `${MODULES}/${name}` })),
      compatibilityDate,
      compatibilityFlags,
      files: Object.keys(files),
      isService: entry === undefined,
    }),
  )
}

const NO_FILES = { files: {}, docsHeaders: {} }

/**
 * Builds the documentation site into public/docs, unless it is there.
 * @throws Error of one line, or of the signal that ended it
 */
export async function buildDocs({ isUrgent = true } = {}): Promise<void> {
  try {
    await runBuild({}, isUrgent)
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? `${error.stderr}`.trim() : ''
    throw said ? new Error(said) : error
  }
}

const WITHOUT_WARNINGS = '--disable-warning=ExperimentalWarning'

/** Runs bin/docs/build.ts; what it says of its progress is for somebody who waits for it. */
async function runBuild(settings: Record<string, string>, isUrgent = true): Promise<void> {
  const building = promisify(execFile)(
    process.execPath,
    [WITHOUT_WARNINGS, join(root, 'bin/docs/build.ts')],
    {
      cwd: root,
      env: { ...nodeFirst(), ...settings },
    },
  )
  if (isUrgent) building.child.stdout?.pipe(process.stdout)
  const { pid } = building.child
  if (!isUrgent && pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  await whileThisRuns(building)
}

/** The program ends with this process. */
async function whileThisRuns(running: PromiseWithChild<unknown>): Promise<void> {
  const stop = () => running.child.kill()
  process.once('exit', stop)
  await running.finally(() => process.off('exit', stop))
}

/** The environment in which `node` is this one. */
const nodeFirst = () => ({
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
})
