// What the console needs of the Worker that loads it.
import type { Context } from 'hono'
import type { Claims } from '../contract/access-token.ts'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { ErrorHandlers } from '../http/error-handler.ts'
import type { ResponseHeaders } from '../http/response.ts'

/** A call of an operation of the API. */
export interface OperationCall {
  operationId: string
  /** The parameters of the path, not encoded. */
  path?: Record<string, string>
  /** Parameters that are empty or undefined are left out. */
  query?: Record<string, string | undefined>
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: object
  /** Whether an earlier call for the same response is counted by the rate limit for this one too. */
  isContinued?: boolean
}

export interface ConsoleHost extends Pick<ErrorHandlers, 'errorResponse'> {
  service: Service
  /** The claims of an access token. @throws ApiError 401 */
  authenticate(c: Context<AppEnv>, token: string): Promise<Claims>
  /**
   * Calls an operation of the API for the holder of the claims: with all of its checks, but for the access token.
   * @throws ApiError the refusal that the API would answer
   */
  send(c: Context<AppEnv>, claims: Claims, call: OperationCall): Promise<Response>
  /** A file of any length. @throws what the first text fails with */
  stream(c: Context<AppEnv>, texts: AsyncGenerator<string, void>, headers: ResponseHeaders): Promise<Response>
  /** The name of a site's shop, as every payer sees it. */
  shopName(siteId: string): Promise<string>
}
