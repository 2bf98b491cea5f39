import { type Context, Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { ApiError, ERRORS, type ErrorCode } from '../../src/errors.ts'
import type { AppEnv } from '../../src/http/app-env.ts'
import { type ErrorPage, errorHandlers } from '../../src/http/error-handler.ts'
import { requestLog } from '../../src/http/request-log.ts'
import { call, errorOf, serviceWith } from '../support/service.ts'

describe('the error object', () => {
  it('has every field, and its traceId is the header’s', async () => {
    const now = () => Date.parse('2026-11-20T17:10:32.987Z')
    const response = await call('/nothing', { token: null }, serviceWith({ now }))
    const error = await errorOf(response)
    expect(error).toEqual({
      serviceName: 'payin-core',
      errorCode: 'http.url.not.found',
      description: '/nothing: no such endpoint',
      userMessage: ERRORS['http.url.not.found'].userMessage.ru,
      dateTime: '2026-11-20T20:10:32+03:00',
      traceId: response.headers.get('X-Trace-Id'),
    })
    expect(response.headers.get('Content-Type')).toBe('application/json')
  })

  it.each([
    ['', 'ru'],
    ['ru', 'ru'],
    ['en', 'en'],
    ['en-US,en;q=0.9', 'en'],
    ['ru-RU, en;q=0.5', 'ru'],
    ['en;q=0.5, ru;q=0.6', 'ru'],
    ['de, en;q=0.1', 'en'],
    ['en;q=0, de', 'ru'],
    ['*', 'ru'],
    ['zh', 'ru'],
  ] as const)('has a text for the payer: for Accept-Language %j in %s', async (accept, language) => {
    const error = await errorOf(await call('/nothing', { headers: { 'Accept-Language': accept } }))
    expect(error.userMessage).toBe(ERRORS['http.url.not.found'].userMessage[language])
  })
})

const UNPRINTABLE: unknown = Object.create(null)
const throws = (fault: unknown) => () => {
  throw fault
}
const REFUSAL = new ApiError('events.cursor.gone', 'the cursor is of another feed')

/** A service that does nothing but fail: in its handler, in its error page, or by its clock. */
async function failing({
  handler = throws(REFUSAL),
  page = () => undefined,
  nowFailsAt = 0,
}: {
  handler?: (c: Context<AppEnv>) => Response
  page?: ErrorPage
  /** Which call of the clock fails: the second one is that of the error object. */
  nowFailsAt?: number
}) {
  const lines: string[] = []
  let calls = 0
  const now = () => {
    calls++
    if (calls === nowFailsAt) throw new Error('the clock failed')
    return Date.parse('2026-11-20T17:10:32Z')
  }
  const app = new Hono<AppEnv>()
  const log = (line: string) => void lines.push(line)
  app.use(requestLog({ now, log, random: (bytes) => new Uint8Array(bytes).fill(1) }))
  app.get('/', handler)
  app.onError(errorHandlers({ utcOffset: '+03:00', publicUrl: undefined, now }, page).onError)
  const response = await app.fetch(new Request('http://qr.test/'))
  return { response, error: await errorOf(response), lines }
}

// A browser test finds these sections in the documentation as it is built.
it.each(Object.keys(ERRORS) as ErrorCode[])('%s leads to its section of the documentation', async (code) => {
  const { response } = await failing({ handler: throws(new ApiError(code, 'a refusal')) })
  expect(response.headers.get('Link')).toBe(`<http://qr.test/docs/errors#${code}>; rel="help"`)
})

describe('whatever fails while an error is answered', () => {
  it.each<[what: string, Parameters<typeof failing>[0], code: keyof typeof ERRORS, fault: string]>([
    ['a page that throws', { page: throws(new Error('no page')) }, 'events.cursor.gone', 'no page'],
    [
      'a page that is rejected',
      { page: () => Promise.reject(new Error('no page')) },
      'events.cursor.gone',
      'no page',
    ],
    [
      'a page that throws no Error',
      { page: throws(UNPRINTABLE) },
      'events.cursor.gone',
      'other than an Error',
    ],
    ['a clock that fails', { nowFailsAt: 2 }, 'internal.error', 'the clock failed'],
    [
      'a fault and a page that throws',
      { handler: throws(new Error('a defect')), page: throws('no page') },
      'internal.error',
      'a defect',
    ],
    ['a handler that throws a text', { handler: throws('a text') }, 'internal.error', 'a text'],
    ['a handler that throws null', { handler: throws(null) }, 'internal.error', 'other than an Error'],
    [
      'a handler that throws an object',
      { handler: throws(UNPRINTABLE) },
      'internal.error',
      'other than an Error',
    ],
  ])(
    '%s: the answer is an error object with all headers, and is logged with the fault',
    async (_, parts, code, fault) => {
      const { response, error, lines } = await failing(parts)
      expect(response.status).toBe(ERRORS[code].status)
      expect(error).toMatchObject({ errorCode: code, traceId: '01'.repeat(8) })
      expect(response.headers.get('X-Trace-Id')).toBe('01'.repeat(8))
      for (const name of ['Content-Security-Policy', 'X-Content-Type-Options', 'Strict-Transport-Security'])
        expect(response.headers.has(name), name).toBe(true)
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(lines).toHaveLength(1)
      const line = JSON.parse(lines[0] ?? '')
      expect(line).toMatchObject({ traceId: '01'.repeat(8), status: ERRORS[code].status, errorCode: code })
      expect(line.fault).toContain(fault)
      expect(JSON.stringify(error)).not.toContain(fault)
    },
  )

  it('the log has the first fault and the fault of the page', async () => {
    const { lines } = await failing({
      handler: throws(new Error('a defect')),
      page: throws(new Error('no page')),
    })
    expect(JSON.parse(lines[0] ?? '').fault).toMatch(/a defect[\s\S]*no page/)
  })
})
