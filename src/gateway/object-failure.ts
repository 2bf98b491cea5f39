// What an exception of a call says of the object: whether it is away, and why, or whether the service has a defect.

/** Why an object does not serve, as the client is told. */
export type ObjectState = 'overloaded' | 'without its storage' | 'restarting'

/**
 * The messages of the runtime, where its marks do not say enough: those of workerd, and those that Cloudflare's network alone has
 * (https://developers.cloudflare.com/durable-objects/observability/troubleshooting). Every other code of SQLite is a defect.
 */
const MESSAGES: readonly [state: ObjectState, messages: RegExp][] = [
  // More calls would add to it.
  ['overloaded', /^(?:Durable Object|Service) (?:is )?overloaded\b|overflowing the storage cache/],
  // A disk that is full or fails, a corrupted database, no memory for SQLite: the write is rolled back, other sites go on.
  [
    'without its storage',
    /\bSQLITE_(?:BUSY|CANTOPEN|CORRUPT|FULL|IOERR|NOLFS|NOMEM|NOTADB|PERM|PROTOCOL|READONLY)(?: \(extended: \w+\))?$/,
  ],
  // If the object cannot start, the error has only a reference, by which the runtime's own log has the reason.
  ['without its storage', /^internal error(?:; reference =|$)/],
  ['without its storage', /^Internal error .*Durable Object storage .*caused object to be reset/],
  ['without its storage', /^Durable Object storage (?:operation exceeded timeout|is no longer accessible)/],
  ['without its storage', /can no longer access storage\.$|^cannot access storage because object has moved/],
  // The runtime has stopped the object, and starts it again with the next call.
  [
    'restarting',
    /^(?:Worker|Durable Object)(?:'s isolate)? (?:has )?exceeded (?:its )?(?:memory|CPU time) limit\b/,
  ],
  ['restarting', /^Durable Object reset because its code was updated/],
  ['restarting', /^A call to blockConcurrencyWhile\(\) in a Durable Object waited for too long/],
  ['restarting', /^(?:Actor|Alarm) exceeded (?:event|its allowed) execution time/],
  // Nobody knows whether the call has run.
  ['restarting', /^Network connection lost\b|^Cannot resolve Durable Object due to transient issue/],
  ['restarting', /^The execution context (?:which hosts|responding to) this call/],
  ['restarting', /^Couldn't complete operation because the execution context has ended/],
]

/**
 * Why the object does not serve. The message counts before the mark `overloaded`, because the runtime has it for a reset above the
 * memory limit, too. Undefined where the exception is a defect, or the platform's mark alone says what to do. */
export function stateIn(error: unknown): ObjectState | undefined {
  if (!(error instanceof Error)) return undefined
  const [state] = MESSAGES.find(([, messages]) => messages.test(error.message)) ?? []
  if (state) return state
  return 'overloaded' in error && error.overloaded === true ? 'overloaded' : undefined
}
