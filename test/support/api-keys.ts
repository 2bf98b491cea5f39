// API keys of a site, made, used and revoked.
import { ApiKeysAnswer, NewApiKeyAnswer } from '../../src/contract/api-key.ts'
import type { FreshSite } from './admin.ts'
import { tokenOf } from './service.ts'
import { strict } from './strict.ts'

export const TILL = { label: 'Till 3', scope: 'merchant', days: 365 }

export async function make({ ask }: FreshSite, body: Record<string, unknown> = {}) {
  const response = await ask('/apiKeys', { body: { ...TILL, ...body } })
  return strict(NewApiKeyAnswer).parse(await response.json())
}

export const list = async ({ ask }: FreshSite) =>
  ApiKeysAnswer.parse(await (await ask('/apiKeys')).json()).apiKeys

export const keyOf = async (site: FreshSite, id: string) => (await list(site)).find((key) => key.id === id)

export const revoke = ({ ask }: FreshSite, id: string, more: Parameters<FreshSite['ask']>[1] = {}) =>
  ask(`/apiKeys/${encodeURIComponent(id)}`, { method: 'DELETE', ...more })

/** Sends a read with a token. */
export const use = ({ ask }: FreshSite, token: string) => ask('/sbp/qrCodes', { token })

/** A report of a payment by a key. */
export const paid = async (site: FreshSite, jti: string, uid: string, scope = 'network') => {
  const { linkId } = await site.make()
  return site.report(linkId, uid, {}, { token: await tokenOf({ sub: site.siteId, jti, scope }) })
}
