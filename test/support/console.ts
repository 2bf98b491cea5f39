// The console as a browser meets it: it keeps cookies, and sends forms as the console's own pages do.
import { exports } from 'cloudflare:workers'
import type { Fetch } from './client.ts'
import { ORIGIN, tokenOf } from './service.ts'

export type Browser = ReturnType<typeof browserOf>

/** A browser without cookies. Paths are below /console. @param fetch by default, the deployed Worker */
export function browserOf(fetch: Fetch = (request) => exports.default.fetch(request), origin = ORIGIN) {
  const cookies = new Map<string, string>()
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('Accept', headers.get('Accept') ?? 'text/html')
    if (cookies.size > 0 && !headers.has('Cookie')) {
      headers.set('Cookie', Array.from(cookies, (pair) => pair.join('=')).join('; '))
    }
    const response = await fetch(
      new Request(`${origin}/console${path}`, { redirect: 'manual', ...init, headers }),
    )
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/; Max-Age=0(;|$)/.test(cookie)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const post = (
    path: string,
    fields: Record<string, string> | URLSearchParams = {},
    headers: Record<string, string> = {},
  ) =>
    send(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin', ...headers },
    })
  return {
    cookies,
    send,
    get: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
    head: (path: string) => send(path, { method: 'HEAD' }),
    /** Sends a form. */
    post,
    /** Signs in with a token that has these claims. */
    signIn: async (claims: Record<string, unknown> = {}) =>
      post('/sign-in', { token: await tokenOf(claims) }),
  }
}
