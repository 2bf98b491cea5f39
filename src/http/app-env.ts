// The type of the values that a request carries from one Hono handler to the next.
import type { Context } from 'hono'
import type { ErrorCode } from '../errors.ts'

export interface AppEnv {
  Bindings: {
    /** The context of the API's application, which passes a request on to the console's. */
    outer?: Context<AppEnv>
  }
  Variables: {
    /** 16 hex digits: the same in the response header, in an error's body and in the log. */
    traceId: string
    /** The pattern of the matched route, for the log. */
    route?: string
    siteId?: string
    /** The path names a test site, whether or not the request reaches it. */
    namesTestSite?: true
    /** `jti` of an access token that this deployment signed. */
    keyId?: string
    personId?: string
    errorCode?: ErrorCode
    /** The stack of an internal error: for the log alone. */
    fault?: string
    /** The connection was lost while the body was read. */
    disconnected?: true
  }
}
