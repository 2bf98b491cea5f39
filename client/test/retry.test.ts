import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { apiError, ConnectionError, FpsQrError } from '../src/errors.ts'
import { retryAfterMs, retryDelay } from '../src/retry.ts'

const refused = (httpStatus: number, errorCode?: string, retryAfter?: number) =>
  apiError('GET /', {
    httpStatus,
    ...(errorCode && { answer: { errorCode } }),
    ...(retryAfter && { retryAfterMs: retryAfter }),
  })

it.each([
  ['a lost connection', new ConnectionError('lost')],
  ['429', refused(429, 'http.too.many.requests')],
  ['500', refused(500, 'internal.error')],
  ['502 of a proxy', refused(502)],
  ['503', refused(503, 'service.unavailable')],
])('%s is repeated', (_, error) => expect(retryDelay(error, 1, 250, 0)).toBe(125))

it.each([
  ['400', refused(400, 'validation.error')],
  ['401', refused(401, 'auth.unauthorized')],
  ['404', refused(404, 'payin.resource.not.found')],
  ['409', refused(409, 'payin.resource.already.exists')],
  ['410', refused(410, 'events.cursor.gone')],
  ['503 of a deployment without a network', refused(503, 'network.not.connected')],
  ['an answer that is not the service’s', new FpsQrError('a redirect')],
  ['a defect', new TypeError('undefined is not a function')],
])('%s is not repeated', (_, error) => expect(retryDelay(error, 1, 250, 0)).toBeUndefined())

it('the pause doubles up to 10 seconds, is random by half, and never less than Retry-After', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(3_600_000),
      (attempt, random, retryAfter) => {
        const most = Math.min(10_000, 250 * 2 ** (attempt - 1))
        const delay = retryDelay(refused(503, undefined, retryAfter), attempt, 250, random) ?? Number.NaN
        expect(delay).toBeGreaterThanOrEqual(retryAfter + most / 2)
        expect(delay).toBeLessThanOrEqual(retryAfter + most)
      },
    ),
  )
})

const NOW = Date.parse('2026-11-20T20:00:00Z')
it.each([
  [null, undefined],
  ['0', 0],
  ['10', 10_000],
  ['Fri, 20 Nov 2026 20:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 19:00:00 GMT', 0],
  ['99999999999', 3_600_000],
  ['soon', undefined],
])('Retry-After: %s is %s ms', (header, ms) => expect(retryAfterMs(header, NOW)).toBe(ms))
