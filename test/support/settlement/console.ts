// Somebody who is signed in to the console of a site with files of banks.

import { siteClient } from '../client.ts'
import { type Browser, browserOf } from '../console.ts'
import { CONNECTOR, inProcess, ORIGIN, serviceWith, tokenOf } from '../service.ts'

const DAY_MS = 86_400_000
/** So long later a payment that no file has is EXPECTED. */
export const LATER_DAYS = 10

/** The service at its present time, to which payments are reported, and as it is later. */
export const present = serviceWith({ settings: CONNECTOR })
export const later = serviceWith({ settings: CONNECTOR, now: () => Date.now() + LATER_DAYS * DAY_MS })

/** A new site, as its merchant and the network call it. */
export const newSite = () => {
  const siteId = `settled-${crypto.randomUUID()}`
  return siteClient(siteId, inProcess(siteId, present))
}

/** A browser of somebody who is signed in at the later time. */
export async function accountant(siteId: string, scope = 'merchant:accounting'): Promise<Browser> {
  const browser = browserOf(later)
  const exp = Math.floor(Date.now() / 1000) + 30 * 86_400
  await browser.post('/sign-in', { token: await tokenOf({ sub: siteId, scope, exp }) })
  return browser
}

/** Sends the form of an upload, as a browser does. */
export function upload(
  browser: Browser,
  bytes: Uint8Array<ArrayBuffer>,
  { bank = 'tbank', format = 'registry', name = 'реестр.csv', uid = 'console-0123456789abcdef' } = {},
): Promise<Response> {
  const form = new FormData()
  for (const [field, value] of Object.entries({ uid, bank, format })) form.append(field, value)
  form.append('file', new File([bytes], name, { type: 'text/csv' }))
  return browser.send('/settlement/upload', {
    method: 'POST',
    body: form,
    headers: { Origin: ORIGIN, 'Sec-Fetch-Site': 'same-origin' },
  })
}

/** A page as it is read: line breaks and no-break spaces are spaces, without its tags. */
export const read = async (response: Response): Promise<string> =>
  (await response.text())
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&quot;/g, '"')
    .replaceAll(/\s+/g, ' ')
