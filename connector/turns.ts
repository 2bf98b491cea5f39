// A mutex for each key.

export class Turns {
  /** The latest work about each thing, while it lasts. */
  readonly #latest = new Map<string, Promise<unknown>>()

  /** Runs the work when all earlier work of the id has ended, however that ended. */
  take<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#latest.get(id)
    const turn = (async () => {
      await before?.catch(() => {})
      return work()
    })().finally(() => {
      if (this.#latest.get(id) === turn) this.#latest.delete(id)
    })
    this.#latest.set(id, turn)
    return turn
  }
}
