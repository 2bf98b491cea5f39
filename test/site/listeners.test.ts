import { afterEach, describe, expect, it } from 'vitest'
import { createListeners, type ListenerKind } from '../../src/site/listeners.ts'

let latest = 0
/** A listener for a QR code of version 0, unless said otherwise. */
const listener = (kind: ListenerKind, qrCode: number, more: { id?: string; version?: number } = {}) => ({
  id: `${latest++}`,
  kind,
  qrCode,
  version: 0,
  ...more,
})
const LONG = 60_000

describe('a listener', () => {
  it('ends when its QR code has another version, and no other listener does', async () => {
    const listeners = createListeners()
    const ended: string[] = []
    const listen = (name: string, qrCode: number, version = 0) =>
      listeners.listen(listener('merchant', qrCode, { version }), LONG)?.then(() => ended.push(name))
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

  it('ends by its id alone, and again is nothing', async () => {
    const listeners = createListeners()
    const stopped = listeners.listen(listener('payer', 1, { id: 'a' }), LONG)
    listeners.stop('b')
    listeners.stop('a')
    listeners.stop('a')
    await stopped
    listeners.notify(1, 1)
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
  const listeners = createListeners()
  /** How many listeners are taken of one for each QR code, by number. */
  const take = (kind: ListenerKind, qrCodes: readonly number[]) =>
    qrCodes.filter((qrCode) => listeners.listen(listener(kind, qrCode), LONG)).length
  const numbers = Array.from({ length: 5010 }, (_, number) => number)
  const ones = (count: number) => Array.from({ length: count }, () => 1)
  const stopAll = () => {
    for (let id = 0; id < latest; id++) listeners.stop(`${id}`)
  }
  afterEach(stopAll)

  it.each([
    ['payer', 'merchant'],
    ['merchant', 'payer'],
  ] as const)('of the %s is not the %s’s: 5,000 merchants, 4,000 payers', (first, second) => {
    const most = { merchant: 5000, payer: 4000 }
    expect(take(first, numbers)).toBe(most[first])
    expect(take(second, numbers)).toBe(most[second])
    // The runtime has a limit too, and a write of the site needs a timer.
    const timers = Array.from({ length: 500 }, () => setTimeout(() => {}, LONG))
    for (const timer of timers) clearTimeout(timer)
  })

  it('is 100 payers of one QR code, and no number of merchants', () => {
    expect(take('payer', ones(110))).toBe(100)
    expect(take('merchant', ones(110))).toBe(110)
    expect(take('payer', [2])).toBe(1)
  })

  it.each<[string, () => void]>([
    ['are notified', () => listeners.notify(1, 1)],
    ['are stopped', stopAll],
  ])('is free again when its listeners %s', (_, end) => {
    for (let round = 0; round < 60; round++) {
      expect(take('payer', ones(101))).toBe(100)
      end()
    }
    expect(take('payer', numbers)).toBe(4000)
  })

  it('is free again when the time of its listeners is over', async () => {
    await Promise.all(ones(100).map((qrCode) => listeners.listen(listener('payer', qrCode), 1)))
    expect(take('payer', ones(101))).toBe(100)
    expect(take('payer', numbers)).toBe(3900)
  })
})
