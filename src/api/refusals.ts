// A refusal becomes an answer: the one place that writes the error object (contract, section 6).
import type { Context, ErrorHandler, NotFoundHandler } from 'hono'
import type { Config } from '../config.ts'
import { formatDateTime } from '../contract/date-time.ts'
import type { ErrorAnswer } from '../contract/error-answer.ts'
import { ApiError, ERRORS } from '../errors.ts'
import { json } from './answer.ts'
import { language } from './negotiation.ts'
import type { AppEnv, Service } from './service.ts'

/** Notes for the log line how a request ended; what is no refusal is a fault, and shown as no more than that. */
export function note(c: Context<AppEnv>, error: unknown): ApiError {
  const refusal =
    error instanceof ApiError
      ? error
      : new ApiError('internal.error', 'the service failed, quote traceId when you report it', {
          fault: error,
        })
  c.set('errorCode', refusal.code)
  const fault = refusal.cause
  if (fault !== undefined) c.set('fault', (fault instanceof Error && fault.stack) || String(fault))
  return refusal
}

export interface Refusals {
  refuse(c: Context<AppEnv>, error: unknown): Response
  onError: ErrorHandler<AppEnv>
  notFound: NotFoundHandler<AppEnv>
  methodNotAllowed(c: Context, methods: string[]): Response
}

export function refusals({ utcOffset, now }: Pick<Config, 'utcOffset'> & Pick<Service, 'now'>): Refusals {
  function refuse(c: Context<AppEnv>, error: unknown): Response {
    const { code, message, fields, headers, retryAfter } = note(c, error)
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
    return json(c, body, { ...headers, 'Retry-After': retryAfter?.toString() }, status)
  }

  return {
    refuse,
    onError: (error, c) => refuse(c, error),
    notFound: (c) =>
      refuse(c, new ApiError('http.url.not.found', `${c.req.path} is no address of this service`)),
    methodNotAllowed(c, methods) {
      const allow = methods.join(', ')
      const description = `the method is ${c.req.method}, must be one of ${allow}`
      return refuse(c, new ApiError('http.method.not.supported', description, { headers: { Allow: allow } }))
    },
  }
}
