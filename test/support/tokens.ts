// Tokens in the tests: bound by reports of the network, charged and deleted by the merchant.
import { runInDurableObject } from 'cloudflare:test'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { TokensAnswer } from '../../src/contract/token.ts'
import { qrCodeOf, reportTo } from './merchant.ts'
import { connected, refundingSite } from './refunds.ts'
import { type Call, call, tokenOf } from './service.ts'
import { strict } from './strict.ts'

export const ACCOUNT = 'customer-7'

/** A site of its own, of a deployment with a connector that is never called. */
export function tokenSite() {
  const site = refundingSite()
  const network = (path: string, body: unknown, fetch = connected) =>
    tokenOf({ sub: site.siteId, jti: 'network', scope: 'network' }).then((token) =>
      call(`/network/v1/sites/${site.siteId}${path}`, { method: 'PUT', token, body }, fetch),
    )
  /** The network's report of a binding: the customer's consent, unless said otherwise. */
  const bind = (
    linkId: string,
    body: Record<string, unknown> = {},
    bindingUid: string = crypto.randomUUID(),
    fetch = connected,
  ) => network(`/qrCodes/${linkId}/bindings/${bindingUid}`, { status: 'CREATED', ...body }, fetch)
  /** A QR code that binds an account. */
  const tokenCode = (more: Record<string, unknown> = {}) =>
    qrCodeOf(site, {
      qrCode: { type: 'TOKEN' },
      amount: undefined,
      tokenizationAccount: ACCOUNT,
      ...more,
    })
  const read = async (qrCodeUid: string, options = {}) =>
    qrCodeIn(await site.ask(`/sbp/qrCodes/${qrCodeUid}`, options))
  return {
    ...site,
    bind,
    tokenCode,
    read,
    /** The network's report of a payment of 5.00 RUB. */
    report: (linkId: string, paymentUid: string, body: Record<string, unknown> = {}) =>
      reportTo(site, linkId, body, paymentUid),
    /** A token of ACCOUNT that can be charged, and its QR code. */
    async bound(more: Record<string, unknown> = {}, fetch = connected) {
      const code = await tokenCode(more)
      const bindingUid = crypto.randomUUID()
      await bind(code.linkId, {}, bindingUid, fetch)
      const { token } = await read(code.qrCodeUid)
      return { ...code, bindingUid, value: token?.value ?? '' }
    },
    charge: (qrCodeUid: string, token: unknown, account: string | undefined = ACCOUNT, fetch = connected) =>
      site.ask(
        `/sbp/qrCodes/${qrCodeUid}/payments`,
        { body: { token, ...(account !== '' && { tokenizationAccount: account }) } },
        fetch,
      ),
    deleteToken: (token: unknown, customerAccountId: string = ACCOUNT, fetch = connected) =>
      site.ask('/tokens', { method: 'DELETE', body: { customerAccountId, token } }, fetch),
    tokens: async (account = ACCOUNT) =>
      strict(TokensAnswer).parse(await (await site.ask(`/tokens?customerAccountId=${account}`)).json())
        .tokens,
    /** A request of the merchant outside the site's own path. */
    askAt: async (path: string, options: Call, fetch = connected) =>
      call(path, { token: await tokenOf({ sub: site.siteId }), ...options }, fetch),
    /** The connector gets no instruction from now on. */
    async rest() {
      // The first write makes the tables.
      await qrCodeOf(site)
      await runInDurableObject(site.stub, (_, { storage }) => {
        storage.sql.exec(
          "INSERT OR REPLACE INTO endpoints (queue, failures, probe_at) VALUES ('external', 3, 4102444800000)",
        )
      })
    },
  }
}
export type TokenSite = ReturnType<typeof tokenSite>

export const qrCodeIn = async (response: Response): Promise<QrCodeAnswer> =>
  strict(QrCodeAnswer).parse(await response.json())
