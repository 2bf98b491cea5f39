// Builds the service as workerd runs it without wrangler: the Worker, the static files and the configuration.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { copyStaticFiles } from './static-files.ts'
import { workerdConfig } from './workerd-config.ts'
import { loadWrangler } from './wrangler.ts'

const root = join(import.meta.dirname, '..')
const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')

/** The names of what a build has, in its directory. */
export const WORKER = 'index.js'
export const CONFIG = 'config.capnp'

/**
 * Builds into a directory, in which workerd finds everything that it needs but the settings and the data.
 * @param entry another source of a Worker with a class Site; it gets neither static files nor an admin socket
 * @throws Error of the build
 */
export async function buildService(directory: string, entry?: string): Promise<void> {
  mkdirSync(directory, { recursive: true })
  await bundle(join(directory, WORKER), entry)
  const files = entry === undefined ? copyStaticFiles(join(root, 'public'), join(directory, 'public')) : {}
  writeFileSync(join(directory, 'files.json'), `${JSON.stringify(files, undefined, 2)}\n`)
  const { compatibility_date: compatibilityDate = '', compatibility_flags: compatibilityFlags } =
    loadWrangler().unstable_readConfig({ config: join(root, 'wrangler.toml') })
  writeFileSync(
    join(directory, CONFIG),
    workerdConfig({
      worker: WORKER,
      compatibilityDate,
      compatibilityFlags,
      files: Object.keys(files),
      isWhole: entry === undefined,
    }),
  )
}

/** Bundles the Worker as it is deployed. @param entry its source, where that is not the service's */
async function bundle(module: string, entry: string | undefined): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-bundle-'))
  const deploy = ['deploy', ...(entry ? [entry] : []), '--dry-run', '--outdir', directory]
  await promisify(execFile)(process.execPath, [wrangler, ...deploy], {
    cwd: root,
    env: {
      ...process.env,
      // The build's own command is `node …`, which has to be this one.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_SEND_ERROR_REPORTS: 'false',
    },
  })
  const others = readdirSync(directory).filter((name) => name !== 'README.md' && !name.endsWith('.map'))
  const [name] = others
  if (name === undefined || others.length > 1)
    throw new Error(`the bundle is ${others.join(', ')}, must be one module`)
  copyFileSync(join(directory, name), module)
  rmSync(directory, { recursive: true })
}
