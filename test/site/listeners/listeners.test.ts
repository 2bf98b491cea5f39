import { describe, expect, it } from 'vitest'
import { createListeners, FEED, type ListenerKind } from '../../../src/site/listeners/listeners.ts'
import { inNewSite } from '../../support/site.ts'

let latest = 0
/** A listener for a subject of version 0, unless said otherwise. */
const listener = (kind: ListenerKind, subject: number, more: { id?: string; version?: number } = {}) => ({
  id: `${latest++}`,
  kind,
  subject,
  version: 0,
  ...more,
})
const LONG = 60_000

describe('a listener', () => {
  it('ends when its subject has another version, and no other listener does', async () => {
    const listeners = createListeners()
    const ended: string[] = []
    const listen = (name: string, subject: number, version = 0) =>
      listeners.listen(listener('merchant', subject, { version }), LONG)?.then(() => ended.push(name))
    const [one, another] = [listen('one', 1), listen('another', 1)]
    const [ahead, other] = [listen('ahead', 1, 1), listen('other', 2)]
    listeners.notify(1, 1)
    await Promise.all([one, another])
    expect(ended).toEqual(['one', 'another'])
    listeners.notify(1, 2)
    listeners.notify(2, 1)
    await Promise.all([ahead, other])
    expect(ended).toEqual(['one', 'another', 'ahead', 'other'])
  })

  it('ends by its id alone; a second stop changes nothing', async () => {
    const listeners = createListeners()
    const stopped = listeners.listen(listener('payer', 1, { id: 'a' }), LONG)
    listeners.stop('b')
    expect(listeners.count()).toBe(1)
    listeners.stop('a')
    listeners.stop('a')
    await stopped
    expect(listeners.count()).toBe(0)
  })

  it('of the feed has no limit but its kind’s, and is ended by the feed’s next number alone', async () => {
    const listeners = createListeners()
    const ended: number[] = []
    const [first, second] = [3, 4].map((version) =>
      listeners.listen(listener('merchant', FEED, { version }), LONG)?.then(() => ended.push(version)),
    )
    listeners.notify(1, 7)
    listeners.notify(FEED, 4)
    await first
    expect([ended, listeners.count()]).toEqual([[3], 1])
    listeners.notify(FEED, 5)
    await second
    expect([ended, listeners.count()]).toEqual([[3, 4], 0])
  })

  it('replaces the one with its id', async () => {
    const listeners = createListeners()
    const first = listeners.listen(listener('payer', 1, { id: 'a' }), LONG)
    const second = listeners.listen(listener('payer', 2, { id: 'a' }), LONG)
    await first
    listeners.notify(2, 1)
    await second
  })
})

describe('a limit', () => {
  const numbers = Array.from({ length: 5010 }, (_, number) => number)
  const ones = (count: number) => Array.from({ length: count }, () => 1)

  /** In an object of its own, because the runtime limits the timers of each. */
  const limited = (work: (limit: ReturnType<typeof limitOf>) => void | Promise<void>) =>
    inNewSite(async () => {
      const limit = limitOf()
      await work(limit)
      limit.stopAll()
    })

  function limitOf() {
    const listeners = createListeners()
    let stopped = latest
    return {
      listeners,
      /** Listens for each subject; returns how many listeners are within the limits. */
      take: (kind: ListenerKind, subjects: readonly number[]) =>
        subjects.filter((subject) => listeners.listen(listener(kind, subject), LONG)).length,
      stopAll() {
        for (; stopped < latest; stopped++) listeners.stop(`${stopped}`)
      },
    }
  }

  it.each([
    ['payer', 'merchant'],
    ['merchant', 'payer'],
  ] as const)('of the %s’s listeners is not the %s’s: 5,000 of merchants, 4,000 of payers', (first, second) =>
    limited(({ take }) => {
      const most = { merchant: 5000, payer: 4000 }
      expect(take(first, numbers)).toBe(most[first])
      expect(take(second, numbers)).toBe(most[second])
      // The runtime has a limit too, and a write of the site needs a timer.
      const timers = Array.from({ length: 500 }, () => setTimeout(() => {}, LONG))
      for (const timer of timers) clearTimeout(timer)
    }),
  )

  it('is 100 payers for one QR code, and for merchants there is none', () =>
    limited(({ take }) => {
      expect(take('payer', ones(110))).toBe(100)
      expect(take('merchant', ones(110))).toBe(110)
      expect(take('payer', [2])).toBe(1)
    }))

  it.each<[string, (limit: ReturnType<typeof limitOf>) => void]>([
    ['are notified', ({ listeners }) => listeners.notify(1, 1)],
    ['are stopped', ({ stopAll }) => stopAll()],
  ])('is free again when its listeners %s', (_, end) =>
    limited((limit) => {
      for (let round = 0; round < 60; round++) {
        expect(limit.take('payer', ones(101))).toBe(100)
        end(limit)
      }
      expect(limit.take('payer', numbers)).toBe(4000)
    }),
  )

  it('is free again when the time of its listeners is over', () =>
    limited(async ({ listeners, take }) => {
      await Promise.all(ones(100).map((subject) => listeners.listen(listener('payer', subject), 1)))
      expect(take('payer', ones(101))).toBe(100)
      expect(take('payer', numbers)).toBe(3900)
    }))
})
