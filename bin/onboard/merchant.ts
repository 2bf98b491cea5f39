// The hand-over to a merchant: tokens of its site, which are printed once, and the addresses where they work.
import * as z from 'zod'
import { type MintedToken, mint } from '../mint-token.ts'
import type { Document } from './entry.ts'

/** The key of a token that a merchant has: the token itself is nowhere. */
const MerchantKey = z.object({ id: z.string(), scope: z.string(), endsOn: z.string() })
type MerchantKey = z.output<typeof MerchantKey>

const PURPOSES = {
  merchant: 'for the shop’s server: codes, payments, refunds',
  'merchant:admin': 'for people: the console, settings, keys of notifications',
} as const

interface MerchantToken extends MintedToken {
  scope: keyof typeof PURPOSES
}

/** The label of a key, at most 60 characters: of a long siteId the end is left out, and never what the key is for. */
export const labelOf = (siteId: string, purpose: string): string =>
  `${siteId.slice(0, 59 - purpose.length)} ${purpose}`

export const merchantKeysOf = (document: Document, siteId: string): MerchantKey[] =>
  z.array(MerchantKey).safeParse(document.sites[siteId]?.merchantKeys).data ?? []

export async function makeTokens(secret: string, siteId: string, days: number): Promise<MerchantToken[]> {
  const scopes = ['merchant', 'merchant:admin'] as const
  return Promise.all(
    scopes.map(async (scope) => ({
      scope,
      ...(await mint(secret, { siteId, scope, days, label: labelOf(siteId, scope) })),
    })),
  )
}

/** @throws never; the site is in the document */
export function withKeys(document: Document, siteId: string, tokens: readonly MerchantToken[]): Document {
  const merchantKeys = tokens.map(
    ({ keyId, scope, expiresAt }): MerchantKey => ({
      id: keyId,
      scope,
      endsOn: new Date(expiresAt * 1000).toISOString(),
    }),
  )
  return { ...document, sites: { ...document.sites, [siteId]: { ...document.sites[siteId], merchantKeys } } }
}

/** @param address of the service, as merchants reach it */
export function addressLines(address: string, siteId: string): string[] {
  return [
    `siteId   ${siteId}`,
    `API      ${address}/payin/v1/sites/${siteId}`,
    `guides   ${address}/docs`,
    `console  ${address}/console`,
  ]
}

export const tokenLines = (tokens: readonly MerchantToken[]): string[] =>
  tokens.flatMap(({ scope, token, keyId, expiresAt }) => [
    '',
    `token ${PURPOSES[scope]} (scope ${scope}, key ${keyId}, until ${dayOf(expiresAt * 1000)}):`,
    token,
  ])

export const keyLines = (keys: readonly MerchantKey[]): string[] =>
  keys.map(({ id, scope, endsOn }) => `key ${id}, scope ${scope}, until ${dayOf(Date.parse(endsOn))}`)

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
