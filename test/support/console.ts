// The console as a browser meets it: it keeps cookies, and sends forms as the console's own pages do.
import { exports } from 'cloudflare:workers'
import type { Fetch } from './client.ts'
import { ORIGIN, tokenOf } from './service.ts'

export type Browser = ReturnType<typeof browserOf>

/** The name of the cookie of a site's session, or of the operator's. */
export const sessionName = (siteId: string): string => `console-session-${siteId}`

/** Pages that are of no site. */
const OF_NO_SITE = /^\/(sites|operator|sign-in)([/?]|$)/

/**
 * A browser without cookies. Paths are below /console; those of a site's pages, such as /qr, are of the site to which the browser
 * has signed in last. @param fetch by default, the deployed Worker */
export function browserOf(fetch: Fetch = (request) => exports.default.fetch(request), origin = ORIGIN) {
  const cookies = new Map<string, string>()
  /** Sends a request to the path as it is. */
  async function raw(path: string, init: RequestInit = {}): Promise<Response> {
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
      cookies.delete(name)
      if (!/; Max-Age=0(;|$)/.test(cookie)) cookies.set(name, value)
    }
    return response
  }
  /** Where the pages of the browser's site are, below /console. */
  function base(): string {
    const [siteId] = Array.from(cookies.keys(), (name) => name.split(sessionName(''))[1] ?? [])
      .flat()
      .slice(-1)
    if (siteId === undefined) return ''
    return siteId === '*' ? '' : `/sites/${siteId}`
  }
  function send(path: string, init?: RequestInit): Promise<Response> {
    if (OF_NO_SITE.test(path)) return raw(path, init)
    const isOperator = base() === '' && cookies.has(sessionName('*'))
    return raw(isOperator && path === '/sign-out' ? '/operator/sign-out' : base() + path, init)
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
    base,
    raw,
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
