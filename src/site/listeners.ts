// Those who wait for a QR code to change.

/** Whoever has a link can wait, so there must be an end to it. */
const CAPACITY = 5000

export interface Waiters {
  /** Waits until the QR code is woken or the time is over; undefined where too many wait already. */
  wait(qrCode: number, milliseconds: number): Promise<void> | undefined
  /** Ends every wait for the QR code. */
  wake(qrCode: number): void
  /** How many wait. */
  count(): number
}

/**
 * Makes the list of those who wait, empty. Nobody stays in it longer than the time of the wait: so whoever hung up
 * meanwhile, which the object is not told, is forgotten with it.
 */
export function waitersList(): Waiters {
  const waiting = new Map<number, Set<() => void>>()
  let count = 0
  return {
    wait(qrCode, milliseconds) {
      if (count === CAPACITY) return undefined
      count++
      const { promise, resolve } = Promise.withResolvers<void>()
      const ends = waiting.get(qrCode) ?? new Set()
      const timer = setTimeout(end, milliseconds)
      function end(): void {
        clearTimeout(timer)
        count--
        ends.delete(end)
        if (ends.size === 0) waiting.delete(qrCode)
        resolve()
      }
      ends.add(end)
      waiting.set(qrCode, ends)
      return promise
    },
    wake(qrCode) {
      for (const end of [...(waiting.get(qrCode) ?? [])]) end()
    },
    count: () => count,
  }
}
