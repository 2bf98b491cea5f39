// The interface that the console gets from the Worker: token check, operations of the API, streams and error pages.
import type { Context } from 'hono'
import type { Claims } from '../contract/access-token.ts'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from '../http/app-env.ts'
import type { ErrorHandlers } from '../http/error-handler.ts'
import type { operationRunner } from '../http/operation-runner.ts'
import type { ResponseHeaders } from '../http/response.ts'
import type { Chunk } from '../http/stream.ts'

export interface ConsoleHost extends Pick<ErrorHandlers, 'errorResponse'> {
  service: Service
  /** The claims of an access token. @throws ApiError 401 */
  authenticate(c: Context<AppEnv>, token: string): Promise<Claims>
  /** Runs an operation of the API for the holder of the claims. @throws ApiError the refusal that the API would answer */
  run: ReturnType<typeof operationRunner>
  /** A file of any length. @throws what the first part fails with */
  stream(c: Context<AppEnv>, parts: AsyncGenerator<Chunk, void>, headers: ResponseHeaders): Promise<Response>
}
