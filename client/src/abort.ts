// Time limits and pauses that end with the caller's AbortSignal.

/** The longest time of a timer, about 25 days: setTimeout takes a longer one as a millisecond. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Waits. @throws the signal's reason as soon as it is aborted */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * Runs a task whose signal is aborted with the caller's, or after the time. AbortSignal.any is not in every Node 20,
 * and its signals would outlive the requests of a long wait.
 */
export async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal?.reason)
  const timer = setTimeout(
    () => controller.abort(new Error(`no complete answer within ${ms} ms`)),
    Math.min(ms, MAX_TIMER_MS),
  )
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await task(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
