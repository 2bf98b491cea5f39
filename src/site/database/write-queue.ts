// Group commit: concurrent writes to a site share a transaction, and so a commit.
import type { Outcome } from '../../errors.ts'
import { writeCounts } from './write-counts.ts'

/** How many writes of callers wait at most: some tenths of a second at the speed of one site. */
const MAX_QUEUED = 1000

export interface WriteQueue {
  /**
   * Runs a synchronous operation: at once if no commit is in flight, otherwise in the next flush, in order of arrival.
   * The caller gets the result when the flush is committed: until then the output gate delays it.
   * @param isOwn whether the object itself writes: it is never refused
   * @returns its outcome; service.unavailable where the queue is full
   * @throws what the operation throws: it does not affect the others of the flush
   */
  run<T>(operation: () => Outcome<T>, isOwn?: boolean): Promise<Outcome<T>>
}

interface Storage {
  /** Runs operations in one transaction. If one throws, it throws the same, and nothing is changed. */
  transaction(operations: readonly (() => Outcome<unknown>)[]): void
  /** Runs after the operations of a flush, in the same commit. An error of it is no failure of theirs; see failed. */
  afterFlush(): void
  /** What ran after a flush threw an error. */
  failed(error: unknown): void
  /** Resolves when everything written so far is committed. */
  committed(): Promise<void>
  /** Runs a function after the calls that have arrived by now are in the queue. */
  schedule(flush: () => void): void
}

interface Operation {
  run(): Outcome<unknown>
  fail(reason: unknown): void
  /** Gives the caller its outcome. After a failure it does nothing. */
  settle(): void
}

const QUEUE_IS_FULL = {
  ok: false,
  code: 'service.unavailable',
  description: 'the site has too many queued writes',
} as const

/**
 * Makes the queue of an object. A write on its own pays for a commit of its own, and commits are the main cost. So while
 * a commit is in flight, or after a flush of several operations, writes that arrive are applied in one flush.
 */
export function writeQueue({ transaction, afterFlush, failed, committed, schedule }: Storage): WriteQueue {
  let queue: Operation[] = []
  /** How many of the queue are writes of callers. */
  let queuedWrites = 0
  let isBatching = false
  let flushes = 0

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

  function follow(): void {
    try {
      afterFlush()
    } catch (error) {
      failed(error)
    }
  }

  function flush(): void {
    const operations = queue
    queue = []
    queuedWrites = 0
    isBatching = true
    const latest = ++flushes
    const settle = () => {
      if (latest === flushes) isBatching = operations.length > 1 || queue.length > 0
    }
    try {
      apply(operations)
      for (const operation of operations) operation.settle()
      follow()
    } finally {
      // A commit that fails resets the object, and the platform fails its callers.
      committed().then(settle, settle)
    }
  }

  return {
    async run<T>(operation: () => Outcome<T>, isOwn = false) {
      if (!isOwn && queuedWrites === MAX_QUEUED) {
        writeCounts.refused++
        return QUEUE_IS_FULL
      }
      if (!isOwn) queuedWrites++
      const { promise, resolve, reject } = Promise.withResolvers<Outcome<T>>()
      let outcome: Outcome<T> | undefined
      queue.push({
        run: () => (outcome = operation()),
        fail: reject,
        settle: () => {
          if (outcome) resolve(outcome)
        },
      })
      if (!isBatching) flush()
      else if (queue.length === 1) schedule(flush)
      return promise
    },
  }
}
