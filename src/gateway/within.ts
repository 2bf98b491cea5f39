// `within`: waits for a promise, but not longer than a time limit.

/** What the work resolves to, or undefined after a time. */
export function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, milliseconds)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
