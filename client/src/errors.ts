// The errors that the client throws. None of them contains the access token.
import type { ErrorAnswer } from './schema.ts'

/** The class of them all, but for RangeError: an argument breaks its rule, and nothing was sent. */
export class FpsQrError extends Error {
  override readonly name: string = 'FpsQrError'
}

/**
 * There was no answer: no connection, it was lost, or no complete answer came in time. The request may have been
 * carried out: send it again with the same identifiers.
 */
export class ConnectionError extends FpsQrError {
  override readonly name: string = 'ConnectionError'
}

/** Nothing listens at the address of the service: the request was not sent. */
export class ConnectionRefusedError extends ConnectionError {
  override readonly name = 'ConnectionRefusedError'
}

/** The service refused the request. */
export class ApiError extends FpsQrError {
  override readonly name: string = 'ApiError'
  readonly httpStatus: number
  /** What is wrong, such as `validation.error`; absent where something between answered, not the service. */
  readonly errorCode: string | undefined
  /** The path of each broken field, and its broken rules. */
  override readonly cause: Record<string, string[]> | undefined
  /** The operator finds the request in the log by it. */
  readonly traceId: string | undefined
  /** For the payer: in Russian, or in English if the request prefers it. */
  readonly userMessage: string | undefined
  /** Milliseconds after which the same request can succeed. */
  readonly retryAfterMs: number | undefined

  constructor(request: string, refusal: Refusal) {
    const { httpStatus, answer = {}, traceId = answer.traceId, retryAfterMs } = refusal
    const { errorCode, description = 'the answer is not the service’s' } = answer
    super(`${request}: ${httpStatus} ${errorCode ?? ''}: ${description} (trace ${traceId ?? 'unknown'})`)
    this.httpStatus = httpStatus
    this.errorCode = errorCode
    this.cause = answer.cause
    this.traceId = traceId
    this.userMessage = answer.userMessage
    this.retryAfterMs = retryAfterMs
  }
}

/** 400: a field breaks its rule; `cause` names each. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}

/** 401, 403: the access token is not accepted, or does not allow the operation. */
export class AccessError extends ApiError {
  override readonly name = 'AccessError'
}

/** 404: no such QR code, payment or refund. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 409: the identifier was used with other fields, which `cause` names; or the state does not allow the operation. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/** 410 events.cursor.gone: the site was restored from a backup, so the cursor is not of its present feed. */
export class CursorGoneError extends ApiError {
  override readonly name = 'CursorGoneError'
}

/** 429: too many requests, also after the client's own repeats. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** 500 to 599: the service or something before it failed, also after the client's own repeats. */
export class UnavailableError extends ApiError {
  override readonly name = 'UnavailableError'
}

/** A notification that must not be trusted: answer 401. */
export class NotificationError extends FpsQrError {
  override readonly name = 'NotificationError'
}

interface Refusal {
  httpStatus: number
  answer?: Partial<ErrorAnswer> | undefined
  traceId?: string | undefined
  retryAfterMs?: number | undefined
}

/** The error of an answer. @param request its method and path */
export function apiError(request: string, refusal: Refusal): ApiError {
  const { httpStatus, answer } = refusal
  // A proxy or another server answered: its 404 does not say that a QR code is missing, nor its 409 that one exists.
  if (answer === undefined && httpStatus < 500 && httpStatus !== 429) return new ApiError(request, refusal)
  if (httpStatus === 400) return new InvalidRequestError(request, refusal)
  if (httpStatus === 401 || httpStatus === 403) return new AccessError(request, refusal)
  if (httpStatus === 404) return new NotFoundError(request, refusal)
  if (httpStatus === 409) return new ConflictError(request, refusal)
  if (answer?.errorCode === 'events.cursor.gone') return new CursorGoneError(request, refusal)
  if (httpStatus === 429) return new RateLimitError(request, refusal)
  if (httpStatus >= 500) return new UnavailableError(request, refusal)
  return new ApiError(request, refusal)
}
