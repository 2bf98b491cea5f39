// Group commit: concurrent writes to a site share a commit.
import type { Outcome } from '../errors.ts'

/** The size of the queue, a single write being 1: some tenths of a second at the speed of one site. */
const MAX_QUEUED = 1000

export interface WriteQueue {
  /**
   * Runs a synchronous operation: at once if no commit is in flight, otherwise in the next flush, in order of arrival.
   * The caller gets the outcome when the flush is committed: until then the output gate holds it back.
   * @param size how many writes the operation makes; an operation larger than the queue runs if nothing else is queued,
   * one of size 0 always
   * @returns the operation's outcome, or service.unavailable where the queue is full; rejects with what the operation
   * throws, and the other operations of the flush are not affected
   */
  run<T>(operation: () => Outcome<T>, size?: number): Promise<Outcome<T>>
}

interface Storage {
  /** Runs after the operations of a flush, in the same commit. */
  afterFlush(): void
  /** Resolves when everything written so far is committed. */
  committed(): Promise<void>
  /** Runs a function after the calls that have arrived by now are in the queue. */
  schedule(flush: () => void): void
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
export function writeQueue({ afterFlush, committed, schedule }: Storage): WriteQueue {
  let queue: (() => void)[] = []
  let queuedSize = 0
  let isBatching = false
  let flushes = 0

  function flush(): void {
    const operations = queue
    queue = []
    queuedSize = 0
    isBatching = true
    const latest = ++flushes
    const settle = () => {
      if (latest === flushes) isBatching = operations.length > 1 || queue.length > 0
    }
    try {
      for (const operation of operations) operation()
      afterFlush()
    } finally {
      // A commit that fails resets the object, and the platform fails its callers.
      committed().then(settle, settle)
    }
  }

  return {
    async run<T>(operation: () => Outcome<T>, size = 1) {
      if (size > 0 && queuedSize > 0 && queuedSize + size > MAX_QUEUED) return QUEUE_IS_FULL
      queuedSize += size
      const { promise, resolve, reject } = Promise.withResolvers<Outcome<T>>()
      queue.push(() => {
        try {
          resolve(operation())
        } catch (error) {
          reject(error)
        }
      })
      if (!isBatching) flush()
      else if (queue.length === 1) schedule(flush)
      return promise
    },
  }
}
