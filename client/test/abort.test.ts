// Time limits of an attempt that are longer than a timer can be.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FpsQr } from '../src/index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** An answer that takes five seconds, unless the attempt ends before. */
const fetch = (_: string, { signal }: RequestInit): Promise<Response> =>
  new Promise((resolve, reject) => {
    setTimeout(() => resolve(Response.json({ qrCodeUid: 'order-1' })), 5000)
    signal?.addEventListener('abort', () => reject(signal.reason))
  })

it.each([2 ** 31 - 1, 2 ** 31, Number.POSITIVE_INFINITY])(
  'an attempt of at most %d ms waits for its answer',
  async (attemptTimeoutMs) => {
    const options = { attemptTimeoutMs, timeLimitMs: 0, fetch }
    const fps = new FpsQr({ baseUrl: 'https://qr.example', siteId: 'demo', token: 'token', ...options })
    const [answer] = await Promise.all([fps.getQrCode('order-1'), vi.advanceTimersByTimeAsync(5000)])
    expect(answer).toEqual({ qrCodeUid: 'order-1' })
  },
)
