// Group commit: calls that are in flight together share one turn, and so one commit.

/** How many calls may wait for their turn: some tenths of a second at the speed of one site. */
const CAPACITY = 1000

export interface GroupCommit {
  /**
   * Runs a synchronous operation in the next turn, after those that came before it.
   * The answer leaves the object when the turn is committed: until then the output gate holds it.
   * @returns what the operation returns, or undefined where too many wait already; rejects with what it throws, which
   * is its own: the other operations of the turn go on
   */
  run<T>(operation: () => T): Promise<T> | undefined
}

/**
 * Makes one for an object. A call that writes by itself pays for a commit by itself, and commits are what costs; so
 * whatever has arrived by the next turn is applied in it, in order of arrival.
 * @param endOfTurn runs when a turn has applied its operations, in the same commit
 * @param nextTurn runs a function when the calls that have arrived by then are in the queue
 */
export function groupCommit(
  endOfTurn: () => void = () => {},
  nextTurn: (turn: () => void) => void = (turn) => setTimeout(turn, 0),
): GroupCommit {
  let queue: (() => void)[] = []

  function turn(): void {
    const calls = queue
    queue = []
    for (const call of calls) call()
    endOfTurn()
  }

  return {
    run<T>(operation: () => T) {
      if (queue.length >= CAPACITY) return undefined
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      queue.push(() => {
        try {
          resolve(operation())
        } catch (error) {
          reject(error)
        }
      })
      if (queue.length === 1) nextTurn(turn)
      return promise
    },
  }
}
