// The configuration of workerd, in Cap'n Proto's text form: for the distribution, the bench and the tests.
import { SETTING_NAMES } from './setting-names.ts'

export interface WorkerdOptions {
  /** The Worker's module, beside the configuration. */
  worker: string
  compatibilityDate: string
  compatibilityFlags: readonly string[]
  /** The paths of the static files, which are below `public/`, beside the configuration. */
  files: readonly string[]
  /** Whether the Worker is the service itself, with its static files and its admin socket. */
  isWhole: boolean
}

/** Changing it would hide the data: it is the folder of the objects, and the ids of objects derive from it. */
export const OBJECTS = 'fps-qr-Site'

/** The configuration; settings come from the environment, and `--directory-path data=DIR` says where the data is. */
export function workerdConfig(options: WorkerdOptions): string {
  const { worker, compatibilityDate, compatibilityFlags, files, isWhole } = options
  const runtime = `compatibilityDate = ${text(compatibilityDate)}`
  return `# How workerd runs the service: docs/self-hosting.md. The build writes this file.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "service", worker = .service),
    (name = "data", disk = (writable = true)),
    # Notifications go to no other addresses, whatever a name leads to.
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
    # The payment network's connector is the operator's own: it can be at a private address.
    (name = "connector", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [
    ${
      isWhole
        ? '(name = "admin", address = "127.0.0.1:9090", http = (), service = (name = "service", entrypoint = "Admin")),\n    '
        : ''
    }(name = "http", address = "127.0.0.1:8080", http = (), service = "service"),
  ],
);

const service :Workerd.Worker = (
  modules = [(name = ${text(worker)}, esModule = embed ${text(worker)})],
  ${runtime},
  compatibilityFlags = ${list(compatibilityFlags.map(text))},
  durableObjectNamespaces = [(className = "Site", uniqueKey = ${text(OBJECTS)}, enableSql = true)],
  durableObjectStorage = (localDisk = "data"),
  bindings = ${list([
    '(name = "SITES", durableObjectNamespace = "Site")',
    '(name = "SELF_HOSTED", text = "true")',
    '(name = "CONNECTOR", service = "connector")',
    ...SETTING_NAMES.map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`),
    ...(isWhole ? ['(name = "FILES", json = embed "files.json")'] : []),
    ...files.map((path) => `(name = ${text(path)}, data = embed ${text(`public${path}`)})`),
  ])},
);
`
}

const text = (value: string) => JSON.stringify(value)
const list = (items: readonly string[]) =>
  items.length > 3 ? `[\n    ${items.join(',\n    ')},\n  ]` : `[${items.join(', ')}]`
