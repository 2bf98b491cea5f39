// The errors that operations have in common.
import type { ErrorCode } from '../errors.ts'

/** What every operation can answer, besides its own errors. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'auth.unauthorized',
  'auth.forbidden',
  'http.method.not.supported',
  'http.media.type.not.acceptable',
  'http.misdirected.request',
  'internal.error',
  'service.unavailable',
]
/** What every operation on a site can answer besides: its siteId is malformed. */
export const SITE_ERRORS: readonly ErrorCode[] = ['http.url.not.found', 'site.outdated']
/** What every operation with a body can answer besides. */
export const BODY_ERRORS: readonly ErrorCode[] = [
  'http.message.conversion.failed',
  'validation.error',
  'http.message.too.large',
  'http.media.type.not.supported',
]
/** What every operation but the reports of the payment network can answer besides: the rate limit. */
export const LIMITED_ERRORS: readonly ErrorCode[] = ['http.too.many.requests']
