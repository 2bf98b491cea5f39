// Work of several calls, which must not end between two of them.
import type { Platform } from './context.ts'

/** Lets the work end, and gives what it gives: the runtime ends a request whose client has disconnected. */
export function toEnd<T>(platform: Pick<Platform, 'waitUntil'>, work: Promise<T>): Promise<T> {
  platform.waitUntil(work.then(noResult, noResult))
  return work
}

const noResult = () => {}
