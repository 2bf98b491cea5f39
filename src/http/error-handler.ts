// Errors become responses: the one place that writes the error object (contract, section 6).
import type { Context, ErrorHandler, NotFoundHandler } from 'hono'
import type { Config } from '../config.ts'
import { formatDateTime } from '../contract/date-time.ts'
import type { ErrorAnswer } from '../contract/error-answer.ts'
import { ApiError, ERRORS } from '../errors.ts'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { language } from './negotiation.ts'
import { json } from './response.ts'

/** Records how a request failed, for the log. Anything but an ApiError is an internal error, without detail. */
export function recordError(c: Context<AppEnv>, error: unknown): ApiError {
  const apiError =
    error instanceof ApiError
      ? error
      : new ApiError('internal.error', 'the service failed, quote traceId when you report it', { fault: error })
  c.set('errorCode', apiError.code)
  const fault = apiError.cause
  if (fault !== undefined) c.set('fault', (fault instanceof Error && fault.stack) || String(fault))
  return apiError
}

export interface ErrorHandlers {
  errorResponse(c: Context<AppEnv>, error: unknown): Response
  onError: ErrorHandler<AppEnv>
  notFound: NotFoundHandler<AppEnv>
  methodNotAllowed(c: Context, methods: string[]): Response
}

export function errorHandlers({
  utcOffset,
  now,
}: Pick<Config, 'utcOffset'> & Pick<Platform, 'now'>): ErrorHandlers {
  function errorResponse(c: Context<AppEnv>, error: unknown): Response {
    const { code, message, fields, headers } = recordError(c, error)
    const { status, userMessage, retryAfter } = ERRORS[code]
    const body: ErrorAnswer = {
      serviceName: 'payin-core',
      errorCode: code,
      description: message,
      userMessage: userMessage[language(c.req.header('Accept-Language'))],
      dateTime: formatDateTime(Math.floor(now() / 1000), utcOffset),
      traceId: c.get('traceId'),
      ...(fields && { cause: fields }),
    }
    return json(c, body, { ...headers, 'Retry-After': retryAfter?.toString() }, status)
  }

  return {
    errorResponse,
    onError: (error, c) => errorResponse(c, error),
    notFound: (c) => errorResponse(c, new ApiError('http.url.not.found', `${c.req.path}: no such endpoint`)),
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
