// Tokens, for their merchant: charge, list, delete (contract, section 9).
import type * as z from 'zod/mini'
import { CHARGED_QR_CODE_EXAMPLE, QrCodeAnswer } from '../contract/qr-code-answer.ts'
import { cursorOf } from '../contract/query.ts'
import {
  accountOf,
  CHARGE_EXAMPLES,
  ChargeBody,
  type ListedToken,
  listedTokenAnswer,
  TOKEN_DELETION_EXAMPLES,
  TOKENS_EXAMPLE,
  TokenDeletionBody,
  TokensAnswer,
  TokensQuery,
} from '../contract/token.ts'
import { QrCodePath } from '../contract/uid.ts'
import { connectionOf, metricsOf } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { tokenKey } from '../gateway/tokens.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { answerOf, replayed } from './answer.ts'

const TAG = {
  name: 'Tokens',
  description: 'A customer binds an account once; you charge it later with the token',
}

const TOKENS = '/payin/v1/sites/{siteId}/tokens'

/** The operations on tokens. */
export const tokens = () => [
  operation({
    operationId: 'payByToken',
    method: 'post',
    path: '/payin/v1/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/payments',
    parameters: QrCodePath,
    tag: TAG,
    summary: 'Charge a token',
    description: `Pays a DYNAMIC QR code that has an amount, without the customer. The payment is WAITING until the \
payment network carries it out. A token is charged once on a QR code: if you send the request again, the response has \
the present state of the QR code, also after a decline. If a request got no response, send it again. To charge the token \
again, create another QR code.`,
    scopes: ['merchant'],
    body: { schema: ChargeBody, examples: CHARGE_EXAMPLES },
    answer: {
      schema: QrCodeAnswer,
      description: 'The QR code with the payment',
      headers: ['Idempotent-Replayed'],
      examples: { charged: CHARGED_QR_CODE_EXAMPLE },
    },
    errors: [
      'payin.resource.not.found',
      'payin.incorrect-method-invocation',
      'site.restored',
      'network.changed',
      'network.not.connected',
    ],
    handle: payByToken,
  }),
  operation({
    operationId: 'listTokens',
    method: 'get',
    path: TOKENS,
    query: TokensQuery,
    tag: TAG,
    summary: 'List the tokens of a customer',
    description:
      'Newest first. The list has tokens that ended too. `account=any` lists those of all customers.',
    scopes: ['merchant'],
    answer: {
      schema: TokensAnswer,
      description: 'A page of tokens',
      headers: [],
      examples: { one: TOKENS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: listTokens,
    toContent: tokensContent,
  }),
  operation({
    operationId: 'deleteToken',
    method: 'delete',
    path: TOKENS,
    tag: TAG,
    summary: 'Delete a token',
    description:
      'No new charge of the token is taken, and a charge that was not sent is withdrawn. One that was sent can still move money: its result is reported. The payment network is told; a bank that has no call for it goes on showing the consent. The same request again gets the same response.',
    scopes: ['merchant'],
    body: { schema: TokenDeletionBody, examples: TOKEN_DELETION_EXAMPLES },
    answer: { status: 204, description: 'The token is deleted', headers: [] },
    errors: ['payin.resource.not.found', 'site.restored', 'network.changed', 'network.not.connected'],
    handle: deleteToken,
  }),
]

async function payByToken(
  site: SiteContext,
  { path, body }: { path: QrCodePath; body: z.output<typeof ChargeBody> },
): Promise<ResponseContent<QrCodeAnswer>> {
  const { service, siteId } = site
  const token = tokenKey(body.token, body.tokenizationAccount)
  const { qrCode, isReplayed } = await callSite(site, (object) =>
    object.charge(site.caller, path, token, connectionOf(service.config, siteId)),
  )
  if (!isReplayed) metricsOf(service, siteId)?.add('payments', { status: 'WAITING', applied: true })
  return {
    value: answerOf(site, qrCode),
    headers: replayed(isReplayed),
  }
}

const listTokens = (site: SiteContext, { query }: { query: z.output<typeof TokensQuery> }) =>
  callSite(site, (object) =>
    object.tokens(site.caller, query.account === 'any' ? undefined : accountOf(query), query),
  )

const tokensContent = (
  { service: { config } }: SiteContext,
  { tokens, next }: { tokens: ListedToken[]; next?: number | undefined },
): ResponseContent<TokensAnswer> => ({
  value: {
    tokens: tokens.map((token) => listedTokenAnswer(token, config.utcOffset)),
    ...(next !== undefined && { nextCursor: cursorOf(next) }),
  },
})

async function deleteToken(
  site: SiteContext,
  { body }: { body: z.output<typeof TokenDeletionBody> },
): Promise<ResponseContent<never>> {
  const token = tokenKey(body.token, accountOf(body))
  const connection = connectionOf(site.service.config, site.siteId)
  await callSite(site, (object) => object.deleteToken(site.caller, token, connection))
  return { status: 204 }
}
