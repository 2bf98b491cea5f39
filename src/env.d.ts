// Bindings that a deployment may leave out, so that the generated types do not know them; see docs/operations.md.
declare namespace Cloudflare {
  interface Env {
    LIMITER?: RateLimit
  }
}
