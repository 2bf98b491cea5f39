import { describe, expect, it } from 'vitest'
import { call, serviceWith } from '../support/service.ts'

const content = await new Response('body {}').arrayBuffer()
const headers = { 'Content-Type': 'text/css', ETag: '"abc"' }
const service = serviceWith({
  file: (path) => (path === '/page.css' ? { headers, content } : undefined),
})
const ask = (path: string, method = 'GET', more: Record<string, string> = {}) =>
  call(path, { method, token: null, headers: more }, service)

describe('a static file, where the platform does not serve it', () => {
  it('is served with its headers, and for HEAD without its content', async () => {
    const response = await ask('/page.css')
    expect([response.status, await response.text(), response.headers.get('ETag')]).toEqual([
      200,
      'body {}',
      '"abc"',
    ])
    const head = await ask('/page.css', 'HEAD')
    expect([head.status, await head.text(), head.headers.get('Content-Type')]).toEqual([200, '', 'text/css'])
  })

  it.each(['"abc"', 'W/"abc"', '"x", "abc"', '*'])('is 304 for If-None-Match %s', async (tag) => {
    expect((await ask('/page.css', 'GET', { 'If-None-Match': tag })).status).toBe(304)
  })

  it.each([
    ['/page.css', 'POST'],
    ['/page.css', 'DELETE'],
    ['/other.css', 'GET'],
    ['/page.css/', 'GET'],
    ['/__proto__', 'GET'],
  ])('%s %s is 404', async (path, method) => {
    expect((await ask(path, method)).status).toBe(404)
  })

  it('is not served in place of an endpoint', async () => {
    const all = serviceWith({ file: () => ({ headers, content }) })
    const statuses = ['/healthz', '/payin/v1/sites/demo/sbp/qrCodes', '/pay/demo/x'].map(
      async (path) => (await call(path, { token: null }, all)).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 401, 404])
  })
})
