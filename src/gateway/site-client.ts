// Calls to a site's object: one RPC, repeated only where that is safe and useful.
import { ApiError, type Outcome } from '../errors.ts'
import type { Platform, SiteStub } from './context.ts'

/** What a call needs of the platform. */
type CallPlatform = Pick<Platform, 'site' | 'sleep' | 'random'>

const MAX_ATTEMPTS = 3
const BACKOFF_MS = 50

/**
 * Calls the object of a request's site.
 * @throws ApiError the object's refusal, or service.unavailable; see callObject
 */
export const callSite = async <T>(
  { service, siteId }: { service: CallPlatform; siteId: string },
  call: (site: SiteStub) => Promise<Outcome<T>>,
  isTransient?: (error: unknown) => boolean,
): Promise<T> => unwrap(await callObject(service, siteId, call, isTransient))

/**
 * Calls the object of a site. Every RPC method may be repeated. So a call that failed with an exception that the
 * platform marks as retryable is repeated after a backoff, on a fresh stub, because an exception can break a stub.
 * @param isTransient which exceptions are worth another attempt
 * @throws ApiError service.unavailable where the object is overloaded, stays unreachable or has no storage
 */
export async function callObject<T>(
  { site, sleep, random }: CallPlatform,
  siteId: string,
  call: (site: SiteStub) => Promise<T>,
  isTransient = (error: unknown) => isMarked(error, 'retryable'),
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(site(siteId))
    } catch (error) {
      // More calls would add to an overload.
      if (isMarked(error, 'overloaded')) throw unavailable(siteId, 'overloaded', error)
      if (isStorageFailure(error)) throw unavailable(siteId, 'without its storage', error)
      if (!isTransient(error)) throw error
      if (attempt === MAX_ATTEMPTS) throw unavailable(siteId, 'restarting', error)
      const jitter = (random(1)[0] ?? 0) / 256
      await sleep(BACKOFF_MS * 2 ** (attempt - 1) * (1 + jitter))
    }
  }
}

/** The value of an outcome. @throws ApiError the object's refusal */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  const { code, description, ...more } = outcome
  throw new ApiError(code, description, more)
}

const isMarked = (error: unknown, mark: 'overloaded' | 'retryable'): boolean =>
  error instanceof Error && mark in error && Reflect.get(error, mark) === true

/**
 * A disk that is full or fails, or a corrupted database: the write is rolled back, and other sites are not affected. If
 * the object cannot start for it, the runtime tells a reference only, by which its own log has the reason.
 */
const isStorageFailure = (error: unknown): boolean =>
  error instanceof Error &&
  /\bSQLITE_(FULL|READONLY|IOERR|CORRUPT|NOTADB|CANTOPEN)|^internal error; reference =/.test(error.message)

const unavailable = (siteId: string, state: string, fault: unknown) =>
  new ApiError('service.unavailable', `site ${siteId} is ${state}, send the request again`, { fault })
