// The configurations by which workerd gives access to the objects of a bucket: npm run cluster starts it.
import { AUDIT_OBJECTS, OBJECTS, REGISTRY_OBJECTS } from '../serve/workerd-config.ts'

/** The folders of the objects, by their classes. */
export const FOLDERS = { Site: OBJECTS, Registry: REGISTRY_OBJECTS, Audit: AUDIT_OBJECTS } as const

/** What the build writes beside objects.js: the same objects as the service's, without its Worker. */
export const objectsConfig = (compatibilityDate: string): string => {
  const classes = Object.entries(FOLDERS)
  const namespaces = classes.map(
    ([name, key]) => `(className = "${name}", uniqueKey = "${key}", enableSql = true)`,
  )
  const bindings = classes.map(([name, key]) => `(name = "${key}", durableObjectNamespace = "${name}")`)
  return `# How npm run cluster reads and writes a bucket: docs/cluster.md. The build writes this file.
using Workerd = import "/workerd/workerd.capnp";

const services :List(Workerd.Service) = [
  (name = "objects", worker = .objects),
  (name = "data", disk = (writable = true)),
];

const sockets :List(Workerd.Socket) = [(name = "http", http = (), service = "objects")];

const objects :Workerd.Worker = (
  modules = [(name = "objects.js", esModule = embed "objects.js")],
  compatibilityDate = "${compatibilityDate}",
  durableObjectNamespaces = [${namespaces.join(', ')}],
  durableObjectStorage = (localDisk = "data"),
  bindings = [${bindings.join(', ')}],
);
`
}

/** What joins the cluster of a bucket. @param key none of the instances has it: they do not reach this one */
export const joinConfig = (
  bucket: string,
  key: string,
): string => `using Workerd = import "/workerd/workerd.capnp";
using Objects = import "/objects.capnp";

const config :Workerd.Config = (
  services = Objects.services,
  sockets = Objects.sockets,
  cluster = (bucket = ${JSON.stringify(bucket)}, address = "127.0.0.1:0", key = "${key}"),
);
`
