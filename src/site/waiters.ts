// Those who wait for a QR code to change.

export interface Waiters {
  /** Waits until the QR code is woken, the time is over or the signal aborts, whichever comes first. */
  wait(qrCode: number, milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Ends every wait for the QR code. */
  wake(qrCode: number): void
}

/** Makes the list of those who wait, empty: nobody is left in it whose wait has ended. */
export function waitersList(): Waiters {
  const waiting = new Map<number, Set<() => void>>()
  return {
    wait(qrCode, milliseconds, signal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const ends = waiting.get(qrCode) ?? new Set()
      const timer = setTimeout(end, milliseconds)
      function end(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        ends.delete(end)
        if (ends.size === 0) waiting.delete(qrCode)
        resolve()
      }
      ends.add(end)
      waiting.set(qrCode, ends)
      signal?.addEventListener('abort', end)
      return promise
    },
    wake(qrCode) {
      for (const end of [...(waiting.get(qrCode) ?? [])]) end()
    },
  }
}
