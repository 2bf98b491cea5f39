// The deployed bundle under plain workerd, for tests that kill it, load it or send it broken requests.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Server, startServer } from '../../bench/processes.ts'
import { SECRET } from '../../bench/requests.ts'

const WORKERD = join(import.meta.dirname, '../../node_modules/workerd/bin/workerd')

export interface BareWorkerd {
  /** The secret that signs its access tokens. */
  secret: string
  /** Starts it on its disk and waits until it listens; its port on 127.0.0.1. */
  start(): Promise<number>
  /** SIGKILL: it ends in the midst of whatever it does. */
  kill(): Promise<void>
  /** Kills it and removes its disk. */
  dispose(): Promise<void>
  /** Everything that it wrote until now, its own messages included. */
  log(): string
}

/** Addresses that the service may call: workerd's own default is `public`. */
type Network = 'public' | 'private'

/**
 * The service, not started yet, with a disk of its own.
 * @param vars beside those of wrangler.toml, or instead of them
 */
export function bareWorkerd(
  vars: Record<string, string> = {},
  network: readonly Network[] = ['public'],
): BareWorkerd {
  const disk = mkdtempSync(join(tmpdir(), 'fps-qr-disk-'))
  // `embed` is relative to the configuration, and one build may be served many times at once.
  const config = join(inject('build').directory, `${randomUUID()}.capnp`)
  writeFileSync(config, configuration(disk, vars, network))
  let running: Server | undefined
  let written = ''

  const kill = async () => running?.kill()
  return {
    secret: SECRET,
    kill,
    log: () => written,
    async start() {
      const log = (text: string) => {
        written += text
      }
      running = await startServer(WORKERD, ['serve', '--control-fd=3', config], {}, log)
      return running.port
    },
    async dispose() {
      await kill()
      rmSync(disk, { recursive: true, force: true })
    },
  }
}

function configuration(disk: string, vars: Record<string, string>, network: readonly Network[]): string {
  const { modules, compatibilityDate, compatibilityFlags, ...built } = inject('build')
  const bindings = Object.entries({ ...built.vars, TOKEN_SECRET: SECRET, ...vars }).map(
    ([name, value]) => `(name = ${quote(name)}, text = ${quote(value)})`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "disk", disk = (path = ${quote(disk)}, writable = true)),
    (name = "internet", network = (allow = ${JSON.stringify(network)}, tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [${modules.map((name) => `(name = ${quote(name)}, esModule = embed ${quote(name)})`).join(', ')}],
  compatibilityDate = ${quote(compatibilityDate)},
  compatibilityFlags = [${compatibilityFlags.map(quote).join(', ')}],
  bindings = [${bindings.join(', ')}, (name = "SITES", durableObjectNamespace = "Site")],
  durableObjectNamespaces = [(className = "Site", uniqueKey = "Site", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);
`
}

const quote = (text: string) => JSON.stringify(text)
