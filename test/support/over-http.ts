// How the requests of a site reach a service in another process.
import { mintToken } from '../../bin/mint-token.ts'
import { requestOf, type Send } from './client.ts'

const SCOPES = { merchant: 'merchant:admin', network: 'network' }

/** Requests to a port. @param address of the service; a function where that changes */
export function overHttp(address: () => string, secret: string, siteId: string): Send {
  const tokens = new Map<string, Promise<string>>()
  return async (actor, path, call) => {
    const made = tokens.get(actor) ?? mintToken(secret, { siteId, scope: SCOPES[actor], days: 90 })
    tokens.set(actor, made)
    const token = call.token === undefined ? await made : call.token
    return fetch(requestOf(address() + path, { ...call, token }), { redirect: 'manual' })
  }
}
