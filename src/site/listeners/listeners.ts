// The listeners of long polls: each waits for a change of a QR code, or for the site's next event.

/** A merchant's server, which has a token, or a payer, who has a link only. */
export type ListenerKind = 'merchant' | 'payer'

/**
 * Listeners of each kind at one site. Anyone with a link can be a payer, so payers have a limit of their own and never
 * use up the merchant's. Each listener has a timer, and workerd lets an object have 10,000: both limits together leave
 * some for its writes.
 */
const MAX_LISTENERS = { merchant: 5000, payer: 4000 } as const satisfies Record<ListenerKind, number>

/** A link is one payer's, on some devices and in some tabs, so one link never uses up the payers' limit. */
const MAX_PAYERS_PER_QR_CODE = 100

/** The subject of listeners for the site's next event: no QR code has this number, because row numbers begin at 1. */
export const FEED = 0

export interface Listener {
  /** Unique, chosen by the caller. */
  id: string
  kind: ListenerKind
  /** The number of the QR code's row, or FEED. */
  subject: number
  /** The version of the subject that the caller knows; of the feed, the number of its latest event. */
  version: number
}

interface Listeners {
  /**
   * Resolves when the subject has another version, when the time is over, or by `stop`.
   * @returns undefined at a limit
   */
  listen(listener: Listener, milliseconds: number): Promise<void> | undefined
  /** Ends the listeners of a subject that know another version. */
  notify(subject: number, version: number): void
  /** Ends one listener, if it still listens. */
  stop(id: string): void
  stopAll(): void
  count(): number
}

interface Entry extends Listener {
  end(): void
}

/** Makes an empty set of listeners. Each leaves it at the end of its own timer, whatever the clock says. */
export function createListeners(): Listeners {
  const byId = new Map<string, Entry>()
  const bySubject = new Map<number, Record<ListenerKind, Set<Entry>>>()
  const count = { merchant: 0, payer: 0 }

  function stop(id: string): void {
    byId.get(id)?.end()
  }

  return {
    stop,
    stopAll() {
      for (const { end } of [...byId.values()]) end()
    },
    count: () => byId.size,
    listen(listener, milliseconds) {
      const { id, kind, subject } = listener
      // A call that is sent again replaces the first.
      stop(id)
      const entries = bySubject.get(subject) ?? { merchant: new Set(), payer: new Set() }
      if (count[kind] >= MAX_LISTENERS[kind]) return undefined
      if (kind === 'payer' && entries.payer.size >= MAX_PAYERS_PER_QR_CODE) return undefined

      const { promise, resolve } = Promise.withResolvers<void>()
      const entry = { ...listener, end }
      const timer = setTimeout(end, milliseconds)
      function end(): void {
        clearTimeout(timer)
        byId.delete(id)
        entries[kind].delete(entry)
        if (entries.merchant.size + entries.payer.size === 0) bySubject.delete(subject)
        count[kind]--
        resolve()
      }
      byId.set(id, entry)
      entries[kind].add(entry)
      bySubject.set(subject, entries)
      count[kind]++
      return promise
    },
    notify(subject, version) {
      const { merchant = [], payer = [] } = bySubject.get(subject) ?? {}
      for (const entry of [...merchant, ...payer]) if (entry.version !== version) entry.end()
    },
  }
}
