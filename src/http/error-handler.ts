// Errors become responses: the one place that writes the error object (contract, section 6).
import type { Context, ErrorHandler, NotFoundHandler } from 'hono'
import type { Config } from '../config.ts'
import { formatDateTime } from '../contract/date-time.ts'
import type { ErrorAnswer } from '../contract/error-answer.ts'
import { ApiError, DEFECT, ERRORS } from '../errors.ts'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { language } from './negotiation.ts'
import { originOf, withoutEmptySegments } from './path.ts'
import { json } from './response.ts'

/** The endpoint that a path would name without a slash too many, with `sites` for `site`, or with the `sbp` that it lacks. */
function endpointNear(path: string, endpoints: readonly string[]): string | undefined {
  const corrected = withoutEmptySegments(path).replace(/\/$/, '').replace('/v1/site/', '/v1/sites/')
  const candidates = [corrected, corrected.replace(/(\/sites\/[^/]+)(\/qrCodes)/, '$1/sbp$2')]
  return endpoints.find((endpoint) => {
    const pattern = new RegExp(
      `^(?:/partner)?${endpoint.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
    )
    return candidates.some((candidate) => candidate !== path && pattern.test(candidate))
  })
}

/** Records how a request failed, for the log. Anything but an ApiError is an internal error, without detail. */
export function recordError(c: Context<AppEnv>, error: unknown): ApiError {
  const apiError =
    error instanceof ApiError ? error : new ApiError('internal.error', DEFECT, { fault: error })
  c.set('errorCode', apiError.code)
  if (apiError.cause !== undefined) recordFault(c, apiError.cause)
  return apiError
}

/** Adds a fault to those that the log line has. */
function recordFault(c: Context<AppEnv>, fault: unknown): void {
  // Whatever can be thrown becomes a text here: the conversion of an object can throw.
  const text =
    fault instanceof Error ? (fault.stack ?? fault.message) : typeof fault === 'string' ? fault : ''
  c.set('fault', [c.var.fault, text || 'something other than an Error was thrown'].filter(Boolean).join('\n'))
}

/**
 * The response where the error response failed too. It depends on nothing but constants, the trace id and the time.
 * @param now Unix seconds
 */
export function lastResort(c: Context<AppEnv>, fault: unknown, now: number): Response {
  const code = 'internal.error'
  c.set('errorCode', code)
  recordFault(c, fault)
  const { status, userMessage } = ERRORS[code]
  const body: ErrorAnswer = {
    serviceName: 'payin-core',
    errorCode: code,
    description: DEFECT,
    userMessage: userMessage.ru,
    dateTime: formatDateTime(now, '+00:00'),
    traceId: c.get('traceId'),
  }
  return json(c, body, {}, status)
}

/** What a request can get instead of the error object; undefined: it gets the error object. */
export type ErrorPage = (c: Context<AppEnv>, error: ApiError) => Promise<Response> | undefined

export interface ErrorHandlers {
  /** @param page instead of the page that the service has by default */
  errorResponse(c: Context<AppEnv>, error: unknown, page?: ErrorPage): Promise<Response>
  onError: ErrorHandler<AppEnv>
  notFound: NotFoundHandler<AppEnv>
  methodNotAllowed(c: Context, methods: string[]): Response | Promise<Response>
}

/** @param endpoints the paths of the operations, which the answer to a path that is nearly one of them names */
export function errorHandlers(
  { utcOffset, publicUrl, now }: Pick<Config, 'utcOffset' | 'publicUrl'> & Pick<Platform, 'now'>,
  errorPage: ErrorPage,
  endpoints: readonly string[] = [],
): ErrorHandlers {
  async function errorResponse(c: Context<AppEnv>, error: unknown, page = errorPage): Promise<Response> {
    const apiError = recordError(c, error)
    try {
      const shown = await page(c, apiError)
      if (shown) return shown
    } catch (fault) {
      // The error object still says what failed first.
      recordFault(c, fault)
    }
    const { code, message, fields, headers, retryAfter } = apiError
    const { status, userMessage } = ERRORS[code]
    const body: ErrorAnswer = {
      serviceName: 'payin-core',
      errorCode: code,
      description: message,
      userMessage: userMessage[language(c.req.header('Accept-Language'))],
      dateTime: formatDateTime(Math.floor(now() / 1000), utcOffset),
      traceId: c.get('traceId'),
      ...(fields && { cause: fields }),
    }
    const help = `<${publicUrl ?? originOf(c)}/docs/errors#${code}>; rel="help"`
    return json(c, body, { ...headers, Link: help, 'Retry-After': retryAfter?.toString() }, status)
  }

  return {
    errorResponse,
    onError: (error, c) => errorResponse(c, error),
    notFound(c) {
      const { path } = c.req
      const near = endpointNear(path, endpoints)
      return errorResponse(
        c,
        new ApiError(
          'http.url.not.found',
          `${path}: no such endpoint${near ? `, did you mean ${near}` : ''}`,
        ),
      )
    },
    methodNotAllowed(c, methods) {
      const allow = methods.join(', ')
      const description = `the method is ${c.req.method}, must be one of ${allow}`
      return errorResponse(
        c,
        new ApiError('http.method.not.supported', description, { headers: { Allow: allow } }),
      )
    },
  }
}
