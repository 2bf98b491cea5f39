// Serves /console: loads its pages when one is first asked for, and runs operations for them (contract, section 17).
import type { Context } from 'hono'
import type { ConsoleHost } from '../console/host.ts'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from '../http/app-env.ts'
import { tokenCheck } from '../http/auth.ts'
import type { ErrorHandlers } from '../http/error-handler.ts'
import type { Operation } from '../http/operation.ts'
import { streamed } from '../http/operation-response.ts'
import { operationRunner } from '../http/operation-runner.ts'
import { lazily } from '../lazily.ts'
import { consoleOperations } from './operations.ts'

/** The handler of all requests below /console. */
export function consoleOf(
  service: Service,
  operations: readonly Operation[],
  errors: Pick<ErrorHandlers, 'errorResponse'>,
): (c: Context<AppEnv>) => Promise<Response> {
  const host: ConsoleHost = {
    service,
    authenticate: tokenCheck(service),
    run: operationRunner(service, [...operations, ...consoleOperations(service.config)]),
    stream: (c, parts, headers) => streamed(c, service, parts, headers),
    errorResponse: errors.errorResponse,
  }
  const pages = lazily(async () => (await import('../console/console.ts')).createConsole(host))
  return async (c) => (await pages())(c)
}
