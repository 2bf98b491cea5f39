// Runs the handler of an operation; the registry refuses a revoked key of an operator before.
import type { SiteContext } from '../gateway/context.ts'
import { callRegistry, unwrap } from '../gateway/site-client.ts'
import type { Operation } from './operation.ts'

/** What the operation gives. @throws ApiError its refusal; 401 for a revoked key of an operator */
export async function execute(
  site: SiteContext,
  operation: Operation,
  input: Parameters<Operation['handle']>[1],
): Promise<unknown> {
  if (operation.scopes.includes('operator'))
    unwrap(await callRegistry(site.service, (registry) => registry.admitOperator(site.caller)))
  return operation.handle(site, input)
}
