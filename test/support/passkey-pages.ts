// What the pages of passkeys say to a browser.
import type { Authenticator, Spoiled } from './authenticator.ts'
import { textOf } from './html.ts'

/** The options that a page gives to the browser. */
export function optionsIn(html: string) {
  const [, text = ''] = /data-options="([^"]+)"/.exec(html) ?? []
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

/** The code of the invitation in an answer of the API or a page; empty where it has none. */
export const codeIn = (text: string): string => /\/console\/join\?code=([^"&<\s]+)/.exec(text)?.[1] ?? ''

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
export async function answerAt(
  { fields, options }: Question,
  authenticator: Authenticator,
  origin: string,
  spoiled?: Spoiled,
): Promise<URLSearchParams> {
  const sent = new URLSearchParams(fields)
  sent.append('assertion', await authenticator.get(options, origin, spoiled))
  return sent
}
