// Group commit: concurrent writes to a site share a transaction, and so a commit.
import type { Outcome } from '../errors.ts'

/** The size of the queue, a single write being 1: some tenths of a second at the speed of one site. */
const MAX_QUEUED = 1000

export interface WriteQueue {
  /**
   * Runs synchronous operations: at once if no commit is in flight, otherwise in the next flush, in order of arrival.
   * The caller gets the results when the flush is committed: until then the output gate delays them.
   * @param size how many writes the operations are, by default their number; operations larger than the queue run if
   * nothing else is queued, those of size 0 always
   * @returns the result of each, in their order: one that throws does not affect the others, here or of the flush;
   * service.unavailable where the queue is full
   */
  run<T>(
    operations: readonly (() => Outcome<T>)[],
    size?: number,
  ): Promise<Outcome<PromiseSettledResult<Outcome<T>>[]>>
}

/** Writes that come after such a pause are too few to share commits. To wait for a commit costs a twentieth of a create. */
export const PAUSE_MS = 20

interface Storage {
  /** Unix milliseconds. */
  now(): number
  /** Runs operations in one transaction. If one throws, it throws the same, and nothing is changed. */
  transaction(operations: readonly (() => Outcome<unknown>)[]): void
  /** Runs after the operations of a flush, in the same commit. */
  afterFlush(): void
  /** Resolves when everything written so far is committed. */
  committed(): Promise<void>
  /** Runs a function after the calls that have arrived by now are in the queue. */
  schedule(flush: () => void): void
}

interface Operation {
  run(): Outcome<unknown>
  fail(reason: unknown): void
}

const QUEUE_IS_FULL = {
  ok: false,
  code: 'service.unavailable',
  description: 'the site has too many queued writes',
} as const

/**
 * Makes the queue of an object. A write on its own pays for a commit of its own, and commits are the main cost. So while
 * a commit is in flight, or after a flush of several operations, writes that arrive are applied in one flush. A
 * write after a pause does not make the next one wait.
 */
export function writeQueue({ now, transaction, afterFlush, committed, schedule }: Storage): WriteQueue {
  let queue: { operations: Operation[]; settle(): void }[] = []
  let queuedSize = 0
  let isBatching = false
  let flushes = 0
  let flushedAt = Number.NEGATIVE_INFINITY

  /** One transaction for all. If one operation throws, it is rolled back, and each runs in a transaction of its own. */
  function apply(operations: readonly Operation[]): void {
    try {
      transaction(operations.map(({ run }) => run))
    } catch (error) {
      const [first, ...others] = operations
      if (others.length === 0) first?.fail(error)
      else for (const operation of operations) apply([operation])
    }
  }

  function flush(): void {
    const calls = queue
    const time = now()
    const isAfterPause = calls.length === 1 && Math.abs(time - flushedAt) >= PAUSE_MS
    flushedAt = time
    queue = []
    queuedSize = 0
    isBatching = true
    const latest = ++flushes
    const settle = () => {
      if (latest === flushes) isBatching = calls.length > 1 || queue.length > 0
    }
    try {
      apply(calls.flatMap(({ operations }) => operations))
      for (const call of calls) call.settle()
      afterFlush()
    } finally {
      // A commit that fails resets the object, and the platform fails its callers.
      if (isAfterPause) settle()
      else committed().then(settle, settle)
    }
  }

  return {
    async run<T>(operations: readonly (() => Outcome<T>)[], size = operations.length) {
      if (size > 0 && queuedSize > 0 && queuedSize + size > MAX_QUEUED) return QUEUE_IS_FULL
      queuedSize += size
      const { promise, resolve } = Promise.withResolvers<Outcome<PromiseSettledResult<Outcome<T>>[]>>()
      const results: PromiseSettledResult<Outcome<T>>[] = []
      queue.push({
        operations: operations.map((operation, index) => ({
          run() {
            const value = operation()
            results[index] = { status: 'fulfilled', value }
            return value
          },
          fail(reason) {
            results[index] = { status: 'rejected', reason }
          },
        })),
        settle: () => resolve({ ok: true, value: results }),
      })
      if (!isBatching) flush()
      else if (queue.length === 1) schedule(flush)
      return promise
    },
  }
}
