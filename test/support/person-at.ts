// The browser of a person at a service in another process: it keeps cookies, and sends forms as the console's own pages do.
import type { Authenticator, Spoiled } from './authenticator.ts'
import { answerAt, optionsIn, questionIn } from './passkey-pages.ts'

export type PersonBrowser = ReturnType<typeof personBrowser>

/** @param origin of the service, such as `http://localhost:8787`: an IP address has no passkeys */
export function personBrowser(origin: string) {
  const cookies = new Map<string, string>()
  const root = `${origin}/console/`
  /** The first page of the site that it is signed in to. */
  let start = root

  async function send(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = Array.from(cookies, (pair) => pair.join('=')).join('; ')
    const headers = { ...Object.fromEntries(new Headers(init.headers)), Accept: 'text/html', cookie }
    const response = await fetch(url, { redirect: 'manual', ...init, headers })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/; Max-Age=0(;|$)/.test(set)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const postTo = (url: string, fields: Record<string, string> | URLSearchParams) =>
    send(url, { method: 'POST', body: new URLSearchParams(fields), headers: { Origin: origin } })
  let own: Authenticator | undefined
  const begun = (response: Response, authenticator: Authenticator): Response => {
    const location = response.headers.get('Location')
    if (response.status === 303 && location) {
      start = new URL(location, response.url).href
      own = authenticator
    }
    return response
  }
  return {
    cookies,
    /** A page of the site; the paths have no slash at the beginning. */
    get: (path: string) => send(start + path),
    /** Sends a form, and answers the page that asks for a confirmation. */
    async post(path: string, fields: Record<string, string> = {}): Promise<Response> {
      const response = await postTo(start + path, fields)
      const isAsked = response.status === 403 && (await response.clone().text()).includes('data-options')
      if (!isAsked || !own) return response
      return postTo(start + path, await answerAt(await questionIn(response), own, origin))
    },
    invitation: (code: string) => send(`${root}join?code=${code}`),
    /** Joins by an invitation. @returns the answer to the page where that is refused */
    async join(code: string, authenticator: Authenticator): Promise<Response> {
      const page = await send(`${root}join?code=${code}`)
      if (page.status !== 200) return page
      const response = await authenticator.create(optionsIn(await page.text()), origin)
      return begun(await postTo(`${root}join`, { code, response }), authenticator)
    },
    signInPage: () => send(`${root}sign-in`),
    async signIn(authenticator: Authenticator, spoiled: Spoiled = {}): Promise<Response> {
      const page = await send(`${root}sign-in`)
      const response = await authenticator.get(optionsIn(await page.text()), origin, spoiled)
      return begun(await postTo(`${root}sign-in/passkey`, { response, next: '' }), authenticator)
    },
  }
}
