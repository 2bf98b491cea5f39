// Runs the service in workerd on this machine, by Miniflare's API. wrangler dev would open the databases to anybody who
// reaches the port (its Local Explorer), a debugger, and handlers for e-mail and schedules, and would log every path.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Json } from 'miniflare'
import { workerdBinary } from './workerd-binary.ts'
import { loadMiniflare, loadWrangler } from './wrangler.ts'

const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = loadMiniflare()
const { unstable_getMiniflareWorkerOptions, unstable_readConfig } = loadWrangler()

const CONFIG = join(import.meta.dirname, '../wrangler.toml')
const WRANGLER = join(import.meta.dirname, '../node_modules/wrangler/bin/wrangler.js')
const WRAPPER = join(import.meta.dirname, 'workerd.sh')
const WRANGLER_ENV = { WRANGLER_HIDE_BANNER: 'true', WRANGLER_LOG: 'warn', WRANGLER_SEND_METRICS: 'false' }
Object.assign(process.env, WRANGLER_ENV)

/** The vars of wrangler.toml. */
export const configuredVars = () => unstable_readConfig({ config: CONFIG }).vars

export interface LocalService {
  host: string
  port: number
  /** The state directory, locked. */
  directory: string
  /** The directory of the Worker's build; by default the Worker is built. */
  build?: string | undefined
  /** The lock's environment for workerd. */
  lock: { STATE_LOCK: string }
  /** Vars and secrets by name. */
  settings: Record<string, Json>
}

/** Builds the Worker. @returns the directory */
export async function buildWorker(directory: string): Promise<string> {
  const options = ['--dry-run', '--config', CONFIG, '--outdir', directory]
  await promisify(execFile)(process.execPath, [WRANGLER, 'deploy', ...options])
  return directory
}

/**
 * Builds the Worker if need be, and starts workerd, which ends with this process. The service's log goes to standard output.
 * @throws Error of the build or of the runtime
 */
export async function startLocalService(service: LocalService): Promise<void> {
  const build = service.build ?? (await buildWorker(join(service.directory, 'build')))
  const { workerOptions } = unstable_getMiniflareWorkerOptions(CONFIG)
  // Miniflare reads the runtime's path from this process's environment, which workerd inherits.
  process.env.WORKERD = workerdBinary()
  process.env.MINIFLARE_WORKERD_PATH = WRAPPER
  Object.assign(process.env, service.lock)
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: service.host,
      port: service.port,
      // The request's `cf` object would be fetched from the network.
      cf: false,
      log: new Log(LogLevel.WARN),
      logRequests: false,
      handleStructuredLogs: ({ level, message }) =>
        level === 'error' || level === 'warn' ? console.error(message) : console.log(message),
      // The directory that wrangler dev uses.
      resourcePersistencePath: join(service.directory, 'v3'),
      workers: [
        {
          ...workerOptions,
          name: 'fps-qr',
          bindings: service.settings,
          modulesRoot: build,
          modules: [{ type: 'ESModule', path: join(build, 'index.js') }],
        },
      ],
    }),
  )
  await runtime.ready
}
