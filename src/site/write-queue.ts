// Group commit: calls that are in flight together share one turn, and so one commit.

/** How much may wait for its turn, a creation being 1: some tenths of a second at the speed of one site. */
const CAPACITY = 1000

export interface GroupCommit {
  /**
   * Runs a synchronous operation: at once where nobody else is about, else in the next turn, after those that came
   * before it. The answer leaves the object when the turn is committed: until then the output gate holds it.
   * @param size how much the operation does; a large one is run where nothing else waits
   * @returns what the operation returns, or undefined where too many wait already; rejects with what it throws, which
   * is its own: the other operations of the turn go on
   */
  run<T>(operation: () => T, size?: number): Promise<T> | undefined
}

interface Turns {
  /** Runs when a turn has applied its operations, in the same commit. */
  ended(): void
  /** Resolves when what was written is committed. */
  committed(): Promise<void>
  /** Runs a function when the calls that have arrived by then are in the queue. */
  next(turn: () => void): void
}

/**
 * Makes one for an object. A call that writes by itself pays for a commit by itself, and commits are what costs; so
 * while others are about, whatever has arrived by the next turn is applied in it, in order of arrival. Others are
 * about while a commit is under way, and after a turn that was shared.
 */
export function groupCommit({ ended, committed, next }: Turns): GroupCommit {
  let queue: (() => void)[] = []
  let waiting = 0
  let shared = false
  let turns = 0

  function turn(): void {
    const calls = queue
    queue = []
    waiting = 0
    shared = true
    const latest = ++turns
    const settle = () => {
      if (latest === turns) shared = calls.length > 1 || queue.length > 0
    }
    try {
      for (const call of calls) call()
      ended()
    } finally {
      // A commit that fails resets the object, and whoever waits is told by the platform.
      committed().then(settle, settle)
    }
  }

  return {
    run<T>(operation: () => T, size = 1) {
      if (waiting > 0 && waiting + size > CAPACITY) return undefined
      waiting += size
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      queue.push(() => {
        try {
          resolve(operation())
        } catch (error) {
          reject(error)
        }
      })
      if (!shared) turn()
      else if (queue.length === 1) next(turn)
      return promise
    },
  }
}
