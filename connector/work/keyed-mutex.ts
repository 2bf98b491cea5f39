// A mutex for each key.

export class KeyedMutex {
  /** The latest work of each key, while it lasts. */
  readonly #latest = new Map<string, Promise<unknown>>()

  /** Runs the work when all earlier work of the key has ended, however that ended. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#latest.get(key)
    const result = (async () => {
      await before?.catch(() => {})
      return work()
    })().finally(() => {
      if (this.#latest.get(key) === result) this.#latest.delete(key)
    })
    this.#latest.set(key, result)
    return result
  }
}
