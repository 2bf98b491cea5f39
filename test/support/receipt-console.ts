// Somebody who is signed in to the console of a site with a cash register.
import { browserOf } from './console.ts'
import { type FiscalSite, fiscalSite } from './fiscal-site.ts'
import { connected } from './refunds.ts'
import { CONNECTOR, serviceWith, tokenOf } from './service.ts'

/** A page as it is read: line breaks and no-break spaces are spaces. */
export const plain = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** @param register by default ATOL's */
export async function signedInToReceipts(scope = 'merchant:admin', register?: object) {
  const site = await fiscalSite(register)
  return { site, ...(await visitor(site, scope)) }
}

/** @param ms how much later than now it is for the pages */
export async function visitor(site: FiscalSite, scope: string, ms = 0) {
  const later = serviceWith({ settings: CONNECTOR, now: () => Date.now() + ms })
  const browser = browserOf(ms === 0 ? connected : later)
  const exp = Math.floor(Date.now() / 1000) + 7 * 86_400
  await browser.post('/sign-in', { token: await tokenOf({ sub: site.siteId, scope, exp }) })
  const page = async (path: string) => plain(await (await browser.get(path)).text())
  return { browser, page }
}
