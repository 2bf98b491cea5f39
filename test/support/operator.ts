// The operator's requests, with a token of their own.
import type { Call, Fetch } from './client.ts'
import { call, tokenOf } from './service.ts'

/** Sends a request of the operator below `/operator/v1/sites`. */
export const operator = async (below: string, more: Call = {}, fetch?: Fetch): Promise<Response> => {
  const token = await tokenOf({ sub: '*', jti: 'operator', scope: 'operator' })
  return call(`/operator/v1/sites${below}`, { token, ...more }, fetch)
}
