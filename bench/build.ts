// Workers, built as they are deployed.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { unstable_readConfig as readConfig } from 'wrangler'

const root = join(import.meta.dirname, '..')
const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')

/** A built Worker. */
export interface Build {
  directory: string
  /** Its modules, the first of which is its entry. */
  modules: readonly string[]
  /** What wrangler.toml says of the runtime, and its vars. */
  compatibilityDate: string
  compatibilityFlags: readonly string[]
  vars: Readonly<Record<string, string>>
}

/**
 * Builds a Worker with the settings of wrangler.toml.
 * @param entry its source, where that is not the product's
 */
export async function build(directory: string, entry?: string): Promise<Build> {
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
  const name = others.length === 1 ? others[0] : undefined
  if (!name) throw new Error(`the build is ${others.join(', ')}, must be one module`)
  const settings = readConfig({ config: join(root, 'wrangler.toml') })
  return {
    directory,
    modules: [name],
    compatibilityDate: settings.compatibility_date ?? '',
    compatibilityFlags: settings.compatibility_flags,
    vars: Object.fromEntries(Object.entries(settings.vars).map(([name, value]) => [name, String(value)])),
  }
}
