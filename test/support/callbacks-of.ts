// The addresses of a site for notifications, and the servers behind them.
import { runInDurableObject } from 'cloudflare:test'
import { CallbackAnswer } from '../../src/contract/callback.ts'
import type { FreshSite } from './admin.ts'
import { configure, makeKey, type Received, shopUrl } from './merchant.ts'
import { strict } from './strict.ts'

export const putCallback = (
  { ask }: FreshSite,
  id: string,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Response> =>
  ask(`/settings/callbacks/${id}`, {
    method: 'PUT',
    body: { url: shopUrl(id), types: ['PAYMENT', 'REFUND', 'TOKEN'], ...body },
    headers,
  })

/** Sets an address, which must succeed. */
export async function setCallback(site: FreshSite, id: string, body: Record<string, unknown> = {}) {
  const response = await putCallback(site, id, body)
  if (response.status !== 200) throw new Error(await response.text())
  return strict(CallbackAnswer).parse(await response.json())
}

/** Sets addresses, each with a key, on the server of its name. @returns the keys */
export async function notifiedShops(site: FreshSite, ...ids: string[]): Promise<Record<string, string>> {
  if (ids.includes('default')) await configure(site, { callbackUrl: shopUrl('default') })
  const keys: Record<string, string> = {}
  for (const id of ids) {
    if (id !== 'default') await setCallback(site, id)
    keys[id] = (await makeKey(site, `/callbacks/${id}`)).key
  }
  return keys
}

/** The name of the server that got it. */
export const shopOf = ({ url }: Pick<Received, 'url'>): string => new URL(url).hostname.split('.')[0] ?? ''

/** The rows of a query in the database of a site. */
export const rowsIn = (
  { stub }: FreshSite,
  query: string,
  ...bindings: (string | number)[]
): Promise<Record<string, unknown>[]> =>
  runInDurableObject(stub, (_, { storage }) => storage.sql.exec(query, ...bindings).toArray())
