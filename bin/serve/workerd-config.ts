// The configuration of workerd, in Cap'n Proto's text form: for the distribution, the bench and the tests.
import { NON_PUBLIC_NETWORKS } from '../../src/gateway/ip-address.ts'
import { SETTING_NAMES } from './setting-names.ts'

interface WorkerdOptions {
  /** The Worker's modules, with their files, relative to the configuration; the first one is the entry. */
  modules: readonly { name: string; file: string }[]
  compatibilityDate: string
  compatibilityFlags: readonly string[]
  /** The paths of the static files, which are below `public/`, beside the configuration. */
  files: readonly string[]
  /** Whether the Worker is the service itself, with its static files, its documentation and its admin socket. */
  isService: boolean
}

/** The folder of the sites' objects, from which their ids derive. A change would hide the data. */
export const OBJECTS = 'fps-qr-Site'
/** The folder of the registry's object; see OBJECTS. */
export const REGISTRY_OBJECTS = 'fps-qr-Registry'
/** The folder of the audit's object; see OBJECTS. */
export const AUDIT_OBJECTS = 'fps-qr-Audit'

/** The addresses of notifications: workerd's built-in list of private networks is incomplete. */
const PUBLIC_NETWORK = `allow = ["public"], deny = ${list(NON_PUBLIC_NETWORKS.map(text))}`

/** The configuration; settings come from the environment, and `--directory-path data=DIR` says where the data is. */
export function workerdConfig(options: WorkerdOptions): string {
  const { modules, compatibilityDate, compatibilityFlags, files, isService } = options
  const admin =
    '(name = "admin", address = "127.0.0.1:9190", http = (), service = (name = "service", entrypoint = "Admin"))'
  const http = '(name = "http", address = "127.0.0.1:8080", http = (), service = "service")'
  const runtime = `compatibilityDate = ${text(compatibilityDate)}`
  return `# How workerd runs the service: docs/self-hosting.md. The build writes this file.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (services = .services, sockets = .sockets);

# An instance of a cluster has the same ones: docs/cluster.md.
const services :List(Workerd.Service) = [
  (name = "service", worker = .service),
  (name = "data", disk = (writable = true)),
  # Notifications go to no other addresses, whatever a name leads to.
  (name = "internet", network = (${PUBLIC_NETWORK}, tlsOptions = (trustBrowserCas = true))),
  # The payment network's connector and the list of banks are the operator's own: they can be at a private address.
  (name = "connector", network = .anywhere),${isService ? DOCS_SERVICES : ''}
];

const sockets :List(Workerd.Socket) = ${list(isService ? [admin, http] : [http])};

# Of npm start and of tests: notifications can go to this machine. There is no admin socket, whose port could be in use.
const local :Workerd.Config = (
  services = [
    (name = "service", worker = .service),
    (name = "data", disk = (writable = true)),
    (name = "internet", network = .anywhere),
    (name = "connector", network = .anywhere),${isService ? DOCS_SERVICES : ''}
  ],
  sockets = ${list([http])},
);

const anywhere :Workerd.Network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true));

const service :Workerd.Worker = (
  modules = ${list(modules.map(({ name, file }) => `(name = ${text(name)}, esModule = embed ${text(file)})`))},
  ${runtime},
  compatibilityFlags = ${list(compatibilityFlags.map(text))},
  durableObjectNamespaces = ${list([
    namespace('Site', OBJECTS),
    ...(isService ? [namespace('Registry', REGISTRY_OBJECTS), namespace('Audit', AUDIT_OBJECTS)] : []),
  ])},
  durableObjectStorage = (localDisk = "data"),
  bindings = ${list([
    '(name = "SITES", durableObjectNamespace = "Site")',
    '(name = "SELF_HOSTED", text = "true")',
    '(name = "CLUSTER_READY_URL", fromEnvironment = "CLUSTER_READY_URL")',
    '(name = "CONNECTOR", service = "connector")',
    ...SETTING_NAMES.map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`),
    ...(isService
      ? ['(name = "FILES", json = embed "files.json")', '(name = "DOCS", service = "docs")']
      : []),
    ...files.map((path) => `(name = ${text(path)}, data = embed ${text(`public${path}`)})`),
  ])},
);
${isService ? docsWorker(runtime) : ''}`
}

/** The documentation is read from the directory of the static files, so one that is built later needs no restart. */
const DOCS_SERVICES = `
    (name = "docs", worker = .docs),
    (name = "files", disk = (writable = false)),`

const docsWorker = (runtime: string) => `
const docs :Workerd.Worker = (
  modules = [(name = "docs.js", esModule = embed "docs.js")],
  ${runtime},
  bindings = [
    (name = "FILES", service = "files"),
    (name = "HEADERS", json = embed "docs-headers.json"),
  ],
);
`

const namespace = (className: string, uniqueKey: string) =>
  `(className = ${text(className)}, uniqueKey = ${text(uniqueKey)}, enableSql = true)`

function text(value: string): string {
  return JSON.stringify(value)
}

function list(items: readonly string[]): string {
  return items.length > 3 ? `[\n    ${items.join(',\n    ')},\n  ]` : `[${items.join(', ')}]`
}
