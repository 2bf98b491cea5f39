// A live site and a test site of one deployment, whose links come from a bank.
import { runInDurableObject } from 'cloudflare:test'
import { freshSite } from './admin.ts'
import { bankSite } from './bank-links.ts'
import type { Call, Fetch } from './client.ts'
import { call, FORM, ORIGIN, tokenOf } from './service.ts'

export type AnySite = ReturnType<typeof freshSite>

/** What a page of the sandbox says. */
export const MARK = 'Тестовый стенд: деньги не списываются'

/** Both kinds of sites, and what their connector was asked. @param settings besides TEST_SITES and the addresses of links */
export function bothKinds(settings: Record<string, unknown> = {}) {
  const live = bankSite(undefined, {
    TEST_SITES: 'on',
    LINK_BASE_URL: 'https://qr.nspk.ru',
    LINK_TOKEN_BASE_URL: 'https://sub.nspk.ru',
    ...settings,
  })
  const { service, asked } = live
  return { live, test: freshSite(service, '-test'), service, asked }
}

/** Sends a request of the sandbox's operations, by default with a token of the site. */
export const inSandbox = async (
  { siteId }: AnySite,
  service: Fetch,
  below: string,
  { token, ...more }: Call = {},
): Promise<Response> => {
  const sent = token === undefined ? await tokenOf({ sub: siteId }) : token
  return call(`/sandbox/v1/sites/${siteId}/qrCodes${below}`, { body: {}, ...more, token: sent }, service)
}

/** Opens an address of the service as a browser does. */
export const open = (link: string, service: Fetch, more: Call = {}): Promise<Response> =>
  call(link.slice(ORIGIN.length), { token: null, headers: { Accept: 'text/html' }, ...more }, service)

/** Sends the form of the payer's page. */
export const submit = (link: string, service: Fetch, action = 'pay'): Promise<Response> =>
  open(link, service, { body: `action=${action}`, headers: FORM })

/** The networks of all payments, tokens and instructions that the site has. */
export const networksOf = ({ stub }: AnySite): Promise<unknown[]> =>
  runInDurableObject(stub, (_, { storage: { sql } }) =>
    sql
      .exec(
        `SELECT network FROM payments UNION SELECT network FROM tokens
           UNION SELECT queue FROM outbox WHERE queue <> 'merchant'`,
      )
      .toArray()
      .map(({ network }) => network),
  )
