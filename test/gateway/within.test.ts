import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { within } from '../../src/gateway/within.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it.each([
  ['is done', async () => 1, { value: 1 }],
  ['fails', () => Promise.reject(new Error('it fails')), { reason: new Error('it fails') }],
])('no timer stays where the work %s', async (_, work, result) => {
  const [settled] = await Promise.allSettled([within(1000, work())])
  expect(settled).toMatchObject(result)
  expect(vi.getTimerCount()).toBe(0)
})

it('work that takes longer than its time has no result', async () => {
  const limited = within(1000, new Promise<number>(() => {}))
  const early = vi.fn()
  limited.then(early)
  await vi.advanceTimersByTimeAsync(999)
  expect(early).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(await limited).toBeUndefined()
})
