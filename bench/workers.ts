// Built Workers, served by a bare workerd that keeps its objects on disk.
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Build } from './build.ts'
import { type Server, startServer } from './processes.ts'
import { SECRET } from './requests.ts'

const workerd = join(import.meta.dirname, '../node_modules/workerd/bin/workerd')

export interface ServeOptions {
  /** Vars beside those of wrangler.toml, or instead of them. */
  vars?: Record<string, string>
  /** Takes what workerd writes. */
  log?: (text: string) => void
}

/** Serves a Worker whose class Site is the SITES of its environment, with the settings of wrangler.toml. */
export function serve(built: Build, disk: string, { vars, log }: ServeOptions = {}): Promise<Server> {
  mkdirSync(disk, { recursive: true })
  const bindings = Object.entries({ ...built.vars, TOKEN_SECRET: SECRET, ...vars }).map(
    ([name, value]) => `(name = ${quote(name)}, text = ${quote(value)})`,
  )
  const embedded = built.modules.map((name) => `(name = ${quote(name)}, esModule = embed ${quote(name)})`)
  // `embed` is relative to the configuration, and one build may be served many times at once.
  const config = join(built.directory, `${randomUUID()}.capnp`)
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
  compatibilityDate = ${quote(built.compatibilityDate)},
  compatibilityFlags = [${built.compatibilityFlags.map(quote).join(', ')}],
  bindings = [${bindings.join(', ')}, (name = "SITES", durableObjectNamespace = "Site")],
  durableObjectNamespaces = [(className = "Site", uniqueKey = "Site", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);
`,
  )
  return startServer(workerd, ['serve', '--control-fd=3', config], {}, log)
}

const quote = (text: string) => JSON.stringify(text)
