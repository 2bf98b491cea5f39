// Workers: built as they are deployed, and served by a bare workerd that keeps its objects on disk.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { unstable_readConfig as readConfig } from 'wrangler'
import { SECRET } from './order.ts'
import { type Server, startServer } from './processes.ts'

const root = join(import.meta.dirname, '..')
const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
const workerd = join(root, 'node_modules/workerd/bin/workerd')

/** A built Worker: its modules, the first of which is its entry. */
export interface Build {
  directory: string
  modules: readonly string[]
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
  return { directory, modules: [name] }
}

/** Serves a Worker whose class Site is the SITES of its environment, with the settings of wrangler.toml. */
export function serve({ directory, modules }: Build, disk: string): Promise<Server> {
  mkdirSync(disk, { recursive: true })
  const { compatibility_date, compatibility_flags, vars } = readConfig({
    config: join(root, 'wrangler.toml'),
  })
  const bindings = Object.entries({ ...vars, TOKEN_SECRET: SECRET }).map(
    ([name, value]) => `(name = ${quote(name)}, text = ${quote(String(value))})`,
  )
  const embedded = modules.map((name) => `(name = ${quote(name)}, esModule = embed ${quote(name)})`)
  const config = join(directory, 'workerd.capnp')
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "disk", disk = (path = ${quote(disk)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [${embedded.join(', ')}],
  compatibilityDate = ${quote(compatibility_date ?? '')},
  compatibilityFlags = [${compatibility_flags.map(quote).join(', ')}],
  bindings = [${bindings.join(', ')}, (name = "SITES", durableObjectNamespace = "Site")],
  durableObjectNamespaces = [(className = "Site", uniqueKey = "Site", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);
`,
  )
  return startServer(workerd, ['serve', '--control-fd=3', config])
}

const quote = (text: string) => JSON.stringify(text)
