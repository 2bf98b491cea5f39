// How the Worker calls a site's object: one RPC, sent again only where that is safe and worth it.

import { ApiError, type Outcome } from '../errors.ts'
import type { Service, SiteStub } from './service.ts'

const ATTEMPTS = 3
const BACKOFF_MS = 50

/** A call to the object of a site: see reachSite. @throws ApiError besides, the site's refusal */
export const callSite = async <T>(...call: Parameters<typeof reachSite<Outcome<T>>>): Promise<T> =>
  unwrap(await reachSite(...call))

/**
 * Calls the object of a site. Every operation of a site may be repeated, so a call that the platform names retryable
 * is sent again, after a backoff and on a fresh stub, because an exception can leave a stub broken.
 * @param isTransient which exceptions are worth it
 * @throws ApiError service.unavailable where the object is overloaded or does not come back
 */
export async function reachSite<T>(
  { site, sleep, random }: Pick<Service, 'site' | 'sleep' | 'random'>,
  siteId: string,
  call: (site: SiteStub) => Promise<T>,
  isTransient = (error: unknown) => hasMark(error, 'retryable'),
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(site(siteId))
    } catch (error) {
      // More calls would only add to an overload.
      if (hasMark(error, 'overloaded')) throw unavailable(siteId, 'overloaded', error)
      if (!isTransient(error)) throw error
      if (attempt === ATTEMPTS) throw unavailable(siteId, 'restarting', error)
      const jitter = (random(1)[0] ?? 0) / 256
      await sleep(BACKOFF_MS * 2 ** (attempt - 1) * (1 + jitter))
    }
  }
}

/** What a site answered. @throws ApiError its refusal */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  const { code, description, fields, retryAfter } = outcome
  throw new ApiError(code, description, { fields, retryAfter })
}

const hasMark = (error: unknown, mark: 'overloaded' | 'retryable'): boolean =>
  error instanceof Error && mark in error && Reflect.get(error, mark) === true

const unavailable = (siteId: string, state: string, fault: unknown) =>
  new ApiError('service.unavailable', `site ${siteId} is ${state}, send the request again`, { fault })
