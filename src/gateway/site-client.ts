// Calls to a site's object: one RPC, repeated only where that is safe and useful.
import { OPERATOR } from '../contract/access-token.ts'
import { UNNAMED } from '../contract/site-id.ts'
import { ApiError, type Outcome } from '../errors.ts'
import type { Platform, RegistryStub, SiteStub } from './context.ts'
import { type ObjectState, stateIn } from './object-failure.ts'

/** What a call needs of the platform. */
type CallPlatform = Pick<Platform, 'site' | 'sleep' | 'random' | 'limited'>
type ObjectPlatform<Stub> = Pick<Platform, 'sleep' | 'random' | 'limited'> & {
  /** A fresh stub of an object. */
  object(name: string): Stub
}

const MAX_ATTEMPTS = 3
const BACKOFF_MS = 50

/**
 * Calls the object of a request's site. A write that cannot be stored, or takes too much memory, resets the object, and
 * fails the reads of others: these are repeated, because an object starts, and reads, without a write.
 * @throws ApiError the object's refusal, or service.unavailable; see callObject
 */
export const callSite = async <T>(
  { service, siteId, isRead = false }: { service: CallPlatform; siteId: string; isRead?: boolean },
  call: (site: SiteStub) => Promise<Outcome<T>>,
  isTransient = isRead ? isAwayOrRetryable : isRetryable,
): Promise<T> => unwrap(await callSiteObject(service, siteId, call, isTransient))

/** The same, of a call that refuses nothing. */
export const callSiteObject = <T>(
  { site, sleep, random, limited }: CallPlatform,
  siteId: string,
  call: (site: SiteStub) => Promise<T>,
  isTransient = isRetryable,
): Promise<T> =>
  callObject(
    { object: () => site(siteId), sleep, random, limited },
    `site ${siteId}`,
    async (object) => {
      try {
        return await call(object)
      } catch (error) {
        if (!isUnnamed(error)) throw error
        await site(siteId).introduce(siteId)
        return call(site(siteId))
      }
    },
    // The object can move again, between the introduction and the call.
    (error) => isUnnamed(error) || isTransient(error),
  )

/** What the objects of sites and the registry have alike: people, and how they are let in. */
type PeopleStub = Pick<
  SiteStub & RegistryStub,
  | 'people'
  | 'invited'
  | 'join'
  | 'passkey'
  | 'signIn'
  | 'addPasskey'
  | 'removePasskey'
  | 'personSessions'
  | 'endPersonSessions'
>

/**
 * Calls the object that has the people of a site; of OPERATOR, those of the deployment.
 * @throws ApiError the object's refusal, or service.unavailable; see callObject
 */
export const callPeople = async <T>(
  {
    service,
    siteId,
    isRead,
  }: { service: CallPlatform & Pick<Platform, 'registry'>; siteId: string; isRead?: boolean },
  call: (object: PeopleStub) => Promise<Outcome<T>>,
): Promise<T> =>
  siteId === OPERATOR
    ? unwrap(await callRegistry(service, call))
    : callSite({ service, siteId, ...(isRead && { isRead }) }, call)

/** Calls the registry. @throws ApiError service.unavailable; see callObject */
export const callRegistry = <T>(
  { registry, sleep, random, limited }: Pick<Platform, 'registry' | 'sleep' | 'random' | 'limited'>,
  call: (registry: RegistryStub) => Promise<T>,
): Promise<T> => callObject({ object: registry, sleep, random, limited }, 'the registry', call)

/**
 * Calls an object. Every RPC method may be repeated. So a call that failed with an exception that the
 * platform marks as retryable is repeated after a backoff, on a fresh stub, because an exception can break a stub.
 * @param name of the object, for the error
 * @param isTransient which exceptions are worth another attempt
 * @throws ApiError service.unavailable where the object is overloaded, stays unreachable, has no storage, or does not answer
 */
export async function callObject<T, Stub>(
  { object, sleep, random, limited }: ObjectPlatform<Stub>,
  name: string,
  call: (object: Stub) => Promise<T>,
  isTransient = isRetryable,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (!limited) return await call(object(name))
      const answered = await limited(call(object(name)).then((value) => ({ value })))
      if (!answered) throw new ApiError('service.unavailable', silent(name))
      return answered.value
    } catch (error) {
      // Another attempt would wait for the same instance.
      if (error instanceof ApiError) throw error
      const state = stateIn(error)
      const isRepeatable = isTransient(error)
      if (state === 'overloaded' || !isRepeatable || attempt === MAX_ATTEMPTS) {
        // The caller can call another object: workerd 1.20261117.1 crashes if that is in the turn in which a peer of the cluster went away.
        await sleep(0)
        throw state === undefined && !isRepeatable ? error : unavailable(name, state ?? 'restarting', error)
      }
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

/** The platform's mark of exceptions. */
const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'retryable' in error && error.retryable === true

/** An object that does not know its name has not run the call. */
const isUnnamed = (error: unknown): boolean => error instanceof Error && error.message.includes(UNNAMED)

const isAwayOrRetryable = (error: unknown): boolean => isRetryable(error) || stateIn(error) !== undefined

const silent = (name: string) =>
  `${name} does not answer, the request may have been carried out, send it again`

const unavailable = (name: string, state: ObjectState, fault: unknown) =>
  new ApiError('service.unavailable', `${name} is ${state}, send the request again`, { fault })
