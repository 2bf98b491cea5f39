// A person of a site who is signed in to the console, with a browser and an authenticator.

import type { SiteRole } from '../../src/contract/role.ts'
import type { FreshSite } from './admin.ts'
import { type Authenticator, type Spoiled, softAuthenticator } from './authenticator.ts'
import type { Fetch } from './client.ts'
import { browserOf } from './console.ts'
import { type Guest, invited, join, PASSKEY_ORIGIN } from './guests.ts'
import { answerAt, type Question, questionIn } from './passkey-pages.ts'
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

/** The fields of a form that answers the page which asks for a confirmation. */
export const answerTo = (question: Question, authenticator: Authenticator, spoiled?: Spoiled) =>
  answerAt(question, authenticator, PASSKEY_ORIGIN, spoiled)
