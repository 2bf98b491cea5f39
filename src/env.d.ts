// Bindings that a deployment may leave out, so that the generated types do not know them; see docs/operations.md.
declare namespace Cloudflare {
  interface Env {
    LIMITER?: RateLimit
    SELF_HOSTED?: 'true'
    /** Where the cluster port of this instance says whether it serves and holds its lease; empty or null where there is no cluster. */
    CLUSTER_READY_URL?: string | null
    /** The network of the connector; if unset, that of all other requests. */
    CONNECTOR?: Fetcher
    /** The headers of the static files by path, each of which is a binding itself; on bare workerd only. */
    FILES?: Record<string, Record<string, string>>
    /** The documentation site, where the platform does not serve it. */
    DOCS?: Fetcher
  }
}
