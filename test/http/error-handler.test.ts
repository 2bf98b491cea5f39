import { describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/errors.ts'
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
