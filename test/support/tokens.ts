// Tokens in the tests: bound by reports of the network, charged and deleted by the merchant.
import { runInDurableObject } from 'cloudflare:test'
import { expect, vi } from 'vitest'
import { TokensAnswer } from '../../src/contract/token.ts'
import type { Call } from './client.ts'
import { connected, refundingSite } from './refunds.ts'
import { call, errorOf, ORIGIN, tokenOf } from './service.ts'
import { strict } from './strict.ts'

export const ACCOUNT = 'customer-7'

/** A site of its own, of a deployment with a connector that is never called. */
export function tokenSite() {
  const site = refundingSite()
  /** A QR code that binds an account. */
  const tokenCode = (more: Record<string, unknown> = {}) =>
    site.make({
      qrCode: { type: 'TOKEN' },
      amount: undefined,
      tokenizationAccount: ACCOUNT,
      ...more,
    })
  return {
    ...site,
    get stub() {
      return site.stub
    },
    tokenCode,
    /** A token of ACCOUNT that can be charged, and its QR code. */
    async bound(more: Record<string, unknown> = {}, fetch = connected) {
      const code = await tokenCode(more)
      const bindingUid = crypto.randomUUID()
      await site.at(fetch).bind(code.linkId, {}, bindingUid)
      const { token } = await site.read(code.qrCodeUid)
      return { ...code, bindingUid, value: token?.value ?? '' }
    },
    charge: (qrCodeUid: string, token: unknown, account: string | undefined = ACCOUNT, fetch = connected) =>
      site.ask(
        `/sbp/qrCodes/${qrCodeUid}/payments`,
        { body: { token, ...(account !== '' && { tokenizationAccount: account }) } },
        fetch,
      ),
    deleteToken: (token: unknown, tokenizationAccount: string = ACCOUNT, fetch = connected) =>
      site.ask('/tokens', { method: 'DELETE', body: { tokenizationAccount, token } }, fetch),
    tokens: async (account = ACCOUNT) =>
      strict(TokensAnswer).parse(await (await site.ask(`/tokens?tokenizationAccount=${account}`)).json())
        .tokens,
    /** The payer's page. */
    page: (pageUrl: string, headers: Record<string, string> = {}, fetch = connected) =>
      call(
        pageUrl.slice(ORIGIN.length),
        { token: null, headers: { 'Accept-Language': 'en', ...headers } },
        fetch,
      ),
    /** The form on it that ends the saved account. */
    stop: (pageUrl: string, headers: Record<string, string> = {}, fetch = connected) =>
      call(
        `${pageUrl.slice(ORIGIN.length)}&end=1`,
        {
          token: null,
          body: 'action=end',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: ORIGIN, ...headers },
        },
        fetch,
      ),
    /** A request of the merchant outside the site's own path. */
    askAt: async (path: string, options: Call, fetch = connected) =>
      call(path, { token: await tokenOf({ sub: site.siteId }), ...options }, fetch),
    /** The connector may have got the instructions. */
    attempt: () =>
      runInDurableObject(site.stub, (_, { storage }) => {
        storage.sql.exec("UPDATE outbox SET attempted = 1 WHERE queue = 'external'")
      }),
    /** The connector gets no instruction from now on. */
    async rest() {
      // The first write makes the tables.
      await site.make()
      await runInDurableObject(site.stub, (_, { storage }) => {
        storage.sql.exec(
          "INSERT OR REPLACE INTO endpoints (queue, failures, probe_at, set_at, since) VALUES ('external', 3, 4102444800000, 0, 0)",
        )
      })
    },
  }
}
export type TokenSite = ReturnType<typeof tokenSite>

export const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000)

export const last = async (site: TokenSite) => (await site.feed()).at(-1)

/** The refusal of a report that changes nothing. */
export async function refusal(site: TokenSite, request: () => Promise<Response>) {
  const before = await site.feed()
  const response = await request()
  const { errorCode, cause } = await errorOf(response)
  expect(await site.feed()).toEqual(before)
  return { status: response.status, errorCode, fields: Object.keys(cause ?? {}) }
}
