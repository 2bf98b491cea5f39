// The console below /console: its pages are a module that is loaded when one is asked for. They reach a site by the operations
// of the API, which are called in this Worker, and by what every payer sees (contract, section 17).
import type { Context } from 'hono'
import type { ConsoleHost, OperationCall } from '../console/host.ts'
import { ApiError } from '../errors.ts'
import type { Service } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { App } from '../http/app.ts'
import type { AppEnv } from '../http/app-env.ts'
import { admission, tokenCheck, unauthorized } from '../http/auth.ts'
import type { ErrorHandlers } from '../http/error-handler.ts'
import { mount, type Operation } from '../http/operation.ts'
import { originOf } from '../http/path.ts'
import { streamed } from '../http/reply.ts'

/** The handler of all requests below /console. */
export function consoleOf(
  service: Service,
  operations: readonly Operation[],
  errors: Pick<ErrorHandlers, 'errorResponse'>,
): (c: Context<AppEnv>) => Promise<Response> {
  const host: ConsoleHost = {
    service,
    authenticate: tokenCheck(service),
    send: senderOf(service, operations),
    stream: (c, texts, headers) => streamed(c, service, texts, headers),
    async shopName(siteId) {
      const { name = siteId } = await callSite({ service, siteId, isRead: true }, (site) =>
        site.shopForPayer(),
      )
      return name
    },
    errorResponse: errors.errorResponse,
  }
  let pages: Promise<(c: Context<AppEnv>) => Promise<Response>> | undefined
  return async (c) => {
    // A module that could not be loaded is asked for again.
    pages ??= import('../console/console.ts')
      .then(({ createConsole }) => createConsole(host))
      .catch((error) => {
        pages = undefined
        throw error
      })
    return (await pages)(c)
  }
}

/** Calls an operation as the API does, but for a signed-in caller in place of an access token. @throws ApiError its refusal */
function senderOf(service: Service, operations: readonly Operation[]): ConsoleHost['send'] {
  const app = new App()
  app.use(async (c, next) => {
    c.set('traceId', c.env.outer?.var.traceId ?? '')
    await next()
  })
  const signedIn = async ({ env: { claims } }: Context<AppEnv>) => {
    if (!claims) throw unauthorized('nobody is signed in', 'Bearer')
    return claims
  }
  const isCounted = ({ env }: Context<AppEnv>) => !env.isContinued
  mount(app, operations, service, admission(service, signedIn, isCounted))
  app.onError((error) => {
    throw error
  })
  app.notFound(({ req }) => {
    throw new ApiError('http.url.not.found', `${req.path}: no such endpoint`)
  })
  const byId = new Map(operations.map((each) => [each.operationId, each]))
  return async (outer, claims, call) => {
    const operation = byId.get(call.operationId)
    if (!operation) throw new RangeError(`no operation is ${call.operationId}`)
    return app.fetch(requestOf(outer, operation, call), { outer, claims, isContinued: call.isContinued })
  }
}

function requestOf(c: Context<AppEnv>, operation: Operation, call: OperationCall): Request {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => segment(call.path?.[name] ?? ''))
  const given = Object.entries(call.query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  )
  const query = given.length > 0 ? `?${new URLSearchParams(given)}` : ''
  const headers = new Headers(call.headers)
  if (call.body !== undefined) headers.set('Content-Type', 'application/json')
  return new Request(originOf(c) + path + query, {
    method: operation.method.toUpperCase(),
    headers,
    signal: c.req.raw.signal,
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  })
}

/** A URL would leave `.` and `..` out, and so name something else. @throws ApiError 404, since nothing has such a name */
function segment(value: string): string {
  if (!['', '.', '..'].includes(value)) return encodeURIComponent(value)
  throw new ApiError('payin.resource.not.found', 'the path has an empty name, or one that is . or ..')
}
