// The restart of an object, as after a crash.
import { runInDurableObject } from 'cloudflare:test'

/**
 * Ends the object's instance at once; the next call of a new stub starts it from its database. `evictDurableObject` waits for
 * what the object writes a second later, which a test with many restarts has no time for.
 * @param stub makes a new stub: one that has called the instance that ended refuses every call
 */
export async function restart(stub: () => DurableObjectStub): Promise<void> {
  const call = runInDurableObject(stub(), (_, state) => state.abort('the test restarts it'))
  await call.catch((error: { durableObjectReset?: boolean }) => {
    if (!error.durableObjectReset) throw error
  })
}
