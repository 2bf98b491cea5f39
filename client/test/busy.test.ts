// Long polls that are answered at once: the client must not ask again at once.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FpsQr } from '../src/index.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const code = { qrCode: { status: 'CREATED' } }
/** A client whose long polls are answered at once, and how often it asked. */
function client(answer: () => Response) {
  let asked = 0
  const fetch = async (_: string, { headers }: RequestInit) => {
    if (!new Headers(headers).has('Prefer')) return Response.json(code, { headers: { ETag: '"1"' } })
    asked++
    return answer()
  }
  const fps = new FpsQr({ baseUrl: 'https://qr.example', siteId: 'demo', token: 'token', fetch })
  return { fps, asked: () => asked }
}

it.each<[string, () => Response, (fps: FpsQr, signal: AbortSignal) => Promise<unknown>]>([
  [
    'a QR code that did not change',
    () => new Response(null, { status: 304 }),
    (fps, signal) => fps.waitForPayment('order-1', { signal }),
  ],
  [
    'a QR code behind a proxy that ignores If-None-Match',
    () => Response.json(code, { headers: { ETag: '"1"' } }),
    (fps, signal) => fps.waitForPayment('order-1', { signal }),
  ],
  [
    'an empty page of events',
    () => Response.json({ events: [], nextCursor: 'a-0' }),
    (fps, signal) => fps.events({ signal }).next(),
  ],
])('%s: a pause of 2 seconds after each answer', async (_, answer, wait) => {
  const { fps, asked } = client(answer)
  const stop = new AbortController()
  const waiting = wait(fps, stop.signal).catch((error: unknown) => error)
  for (let count = 1; count <= 3; count++) {
    await vi.advanceTimersByTimeAsync(count === 1 ? 0 : 1)
    expect(asked()).toBe(count)
    await vi.advanceTimersByTimeAsync(1_999)
    expect(asked()).toBe(count)
  }
  stop.abort()
  expect(await waiting).toMatchObject({ name: 'AbortError' })
})

it('a long poll that waited is asked again at once', async () => {
  let left = 3
  const applied = { headers: { 'Preference-Applied': 'wait=30' } }
  const { fps, asked } = client(() =>
    left-- > 0
      ? new Response(null, { status: 304, ...applied })
      : Response.json({ qrCode: { status: 'PAYED' } }),
  )
  await fps.waitForPayment('order-1')
  expect(asked()).toBe(4)
})
