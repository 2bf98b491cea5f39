// The lists by which a connector finds what its bank did not tell of bindings and charges (contract, section 14).
import type * as z from 'zod/mini'
import {
  NETWORK_BINDINGS_EXAMPLE,
  NetworkBindingsAnswer,
  NetworkBindingsQuery,
  networkBindingAnswer,
  partCursorOf,
  WAITING_CHARGES_EXAMPLE,
  WaitingChargesAnswer,
  WaitingChargesQuery,
  waitingChargeAnswer,
} from '../contract/network-tokens.ts'
import { networkOf } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { NETWORK_TAG } from './network.ts'

/** The operations by which a connector reconciles bindings and charges. */
export const networkTokens = () => [
  operation({
    operationId: 'listNetworkBindings',
    method: 'get',
    path: '/network/v1/sites/{siteId}/bindings',
    query: NetworkBindingsQuery,
    tag: NETWORK_TAG,
    summary: 'List bindings to ask the bank about',
    description: `Consents that are awaited, tokens that can be charged, or tokens that ended. A connector with a new disk, \
and one whose service was restored, learns from it what stands. A page can have fewer bindings than \`limit\`: read on \
while there is a \`nextCursor\`.`,
    scopes: ['network'],
    answer: {
      schema: NetworkBindingsAnswer,
      description: 'A page of bindings',
      headers: [],
      examples: { page: NETWORK_BINDINGS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: listBindings,
  }),
  operation({
    operationId: 'listWaitingCharges',
    method: 'get',
    path: '/network/v1/sites/{siteId}/charges',
    query: WaitingChargesQuery,
    tag: NETWORK_TAG,
    summary: 'List charges that wait for their report',
    description:
      'Oldest first. A connector asks its bank about each of these, and charges none of them again.',
    scopes: ['network'],
    answer: {
      schema: WaitingChargesAnswer,
      description: 'A page of charges',
      headers: [],
      examples: { page: WAITING_CHARGES_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: listCharges,
  }),
]

async function listBindings(
  site: SiteContext,
  { query }: { query: NetworkBindingsQuery },
): Promise<ResponseContent<z.infer<typeof NetworkBindingsAnswer>>> {
  const { config } = site.service
  const { network } = networkOf(config, site.siteId)
  const { bindings, next } = await callSite(site, (object) =>
    object.networkBindings(site.caller, network, query),
  )
  return {
    value: {
      bindings: bindings.map((binding) => networkBindingAnswer(binding, config.utcOffset)),
      ...(next && { nextCursor: partCursorOf(next) }),
    },
  }
}

async function listCharges(
  site: SiteContext,
  { query }: { query: WaitingChargesQuery },
): Promise<ResponseContent<z.infer<typeof WaitingChargesAnswer>>> {
  const { config } = site.service
  const { network } = networkOf(config, site.siteId)
  const { charges, next } = await callSite(site, (object) =>
    object.waitingCharges(site.caller, network, query),
  )
  return {
    value: {
      charges: charges.map((charge) => waitingChargeAnswer(charge, config.utcOffset)),
      ...(next && { nextCursor: partCursorOf(next) }),
    },
  }
}
