// Where the pages of the console are: those of a site are below /console/sites/{siteId}/ (contract, section 17).
import type { Context } from 'hono'
import { OPERATOR } from '../contract/access-token.ts'
import { SITE_ID } from '../contract/site-id.ts'

/** Whether a path below /console is of the operator's pages. */
export const isOperators = (path: string): boolean => path.startsWith('/operator/')

/** The site that the address of a page names; empty where it can be none. The operator's session is of no such page. */
export function siteInPath(c: Context): string {
  const siteId = c.req.param('siteId') ?? ''
  return SITE_ID.test(siteId) ? siteId : ''
}

/** From the page to /console/: `./` of /console/sign-in, `../../` of /console/sites/shop/qr. */
export const consoleOf = (c: Context): string => upTo(c, '/console/')

/** From a page of a site to /console/sites/{siteId}/; from another page to /console/. */
export function baseOf(c: Context): string {
  const [site] = /^\/console\/sites\/[^/]+\//.exec(c.req.path) ?? []
  return upTo(c, site ?? '/console/')
}

const upTo = (c: Context, folder: string): string =>
  '../'.repeat(c.req.path.split('/').length - folder.split('/').length) || './'

/** Below /console/: where the pages of a site begin, or the operator's. */
const folderOf = (siteId: string): string => (siteId === OPERATOR ? 'operator/' : `sites/${siteId}/`)

/** The first page of a site, or of the operator, below /console/. */
export const homeOf = (siteId: string): string =>
  siteId === OPERATOR ? `${folderOf(siteId)}sites` : folderOf(siteId)

/** A path below /console/, relative to it, whatever is given: it leads to no other origin. */
export function ownPath(next: string): string {
  const base = 'https://own.invalid/console/'
  const url = URL.parse(next, base)
  return url?.href.startsWith(base) ? `./${url.href.slice(base.length)}` : './'
}

/** The page that is shown after signing in to a site: the one that was asked for, if it is of this site. */
export function ownPathOf(siteId: string, next: string): string {
  const path = ownPath(next)
  if (path.startsWith(`./${folderOf(siteId)}`)) return path
  const isOfNoSite = !/^\.\/(sites|operator)\//.test(path)
  return isOfNoSite && siteId !== OPERATOR ? `./${folderOf(siteId)}${path.slice(2)}` : `./${homeOf(siteId)}`
}
