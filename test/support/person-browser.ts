// A person of a site who is signed in to the console, with a browser and an authenticator.

import { env } from 'cloudflare:workers'
import { createHmac } from 'node:crypto'
import type { SiteRole } from '../../src/contract/role.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import type { FreshSite } from './admin.ts'
import { type Authenticator, type Spoiled, softAuthenticator } from './authenticator.ts'
import type { Fetch } from './client.ts'
import { browserOf } from './console.ts'
import { textOf } from './html.ts'
import { added, another } from './people.ts'

/** Without PUBLIC_URL, the only host with passkeys. */
export const LOCAL = 'http://localhost'

export type Fields = Record<string, string> | URLSearchParams

interface Options {
  role?: SiteRole
  id?: string
  /** Whether the authenticator counts its uses. */
  counts?: boolean
  fetch?: Fetch
}

export type PersonBrowser = Awaited<ReturnType<typeof personBrowser>>

export async function personBrowser(
  site: FreshSite,
  { role = 'owner', id = another('person'), counts = false, fetch }: Options = {},
) {
  const invitation = await added(site, id, role)
  const invited = unwrap(await site.stub.invited(invitation))
  const authenticator = await softAuthenticator({ counts })
  const user = { id: invited?.handle ?? '' }
  await authenticator.create({ rp: { id: 'localhost' }, user, challenge: '' }, LOCAL)
  const { id: passkey, publicKey } = authenticator
  const session = crypto.getRandomValues(new Uint8Array(16)).toHex()
  unwrap(
    await site.stub.join(
      invitation,
      { id: passkey, publicKey, counter: counts ? 1 : 0, label: 'Phone' },
      session,
    ),
  )
  const browser = browserOf(fetch, LOCAL)
  browser.cookies.set('console-session', cookieOf(site.siteId, session))
  return {
    ...browser,
    id,
    passkey,
    session,
    authenticator,
    /** Sends a form, and answers the page that asks for a confirmation. */
    confirm: async (path: string, fields: Fields = {}, spoiled?: Spoiled) => {
      const asked = await questionIn(await browser.post(path, fields))
      return browser.post(path, await answerTo(asked, authenticator, spoiled))
    },
  }
}

const cookieOf = (siteId: string, id: string): string => {
  const mac = createHmac('sha256', env.TOKEN_SECRET).update(`session\0${siteId}\0${id}`).digest('hex')
  return `${siteId}.${id}.${mac}`
}

/** What the page that asks has: the hidden fields of its form, and the options for the authenticator. */
export interface Question {
  page: string
  fields: URLSearchParams
  options: { rpId: string; challenge: string; allowCredentials: { id: string }[] }
}

export async function questionIn(response: Response): Promise<Question> {
  const page = await response.text()
  const options = /data-options="([^"]+)"/.exec(page)?.[1]
  if (response.status !== 403 || !options) throw new Error(`${response.status} asks for no confirmation`)
  const form = page.slice(page.indexOf('data-options'))
  const fields = new URLSearchParams()
  for (const [, name = '', value = ''] of form.matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)">/g,
  )) {
    fields.append(textOf(name), textOf(value))
  }
  return { page, fields, options: JSON.parse(textOf(options)) }
}

/** The fields of the form that the browser sends then. */
export async function answerTo(
  { fields, options }: Question,
  authenticator: Authenticator,
  spoiled?: Spoiled,
): Promise<URLSearchParams> {
  const sent = new URLSearchParams(fields)
  sent.append('assertion', await authenticator.get(options, LOCAL, spoiled))
  return sent
}
