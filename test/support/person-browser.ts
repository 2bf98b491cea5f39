// A person of a site who is signed in to the console, with a browser and an authenticator.

import type { SiteRole } from '../../src/contract/role.ts'
import type { FreshSite } from './admin.ts'
import { type Authenticator, type Spoiled, softAuthenticator } from './authenticator.ts'
import type { Fetch } from './client.ts'
import { browserOf } from './console.ts'
import { type Guest, invited, join, PASSKEY_ORIGIN } from './guests.ts'
import { textOf } from './html.ts'
import { another } from './people.ts'

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
  { siteId }: Pick<FreshSite, 'siteId'>,
  { role = 'owner', id = another('person'), counts = false, fetch }: Options = {},
) {
  const code = await invited(siteId, { id, name: `Name of ${id}`, role })
  const authenticator = await softAuthenticator({ counts })
  const { browser } = await join(code, { browser: browserOf(fetch, PASSKEY_ORIGIN), authenticator })
  return {
    ...browser,
    id,
    passkey: authenticator.id,
    authenticator,
    /** Sends a form, and answers the page that asks for a confirmation. */
    confirm: (path: string, fields?: Fields, spoiled?: Spoiled) =>
      confirmed({ browser, authenticator }, path, fields, spoiled),
  }
}

/** Sends a form of a person, and answers the page that asks for a confirmation. */
export async function confirmed(
  { browser, authenticator }: Guest,
  path: string,
  fields: Fields = {},
  spoiled?: Spoiled,
): Promise<Response> {
  const asked = await questionIn(await browser.post(path, fields))
  return browser.post(path, await answerTo(asked, authenticator, spoiled))
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
  sent.append('assertion', await authenticator.get(options, PASSKEY_ORIGIN, spoiled))
  return sent
}
