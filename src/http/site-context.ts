// Makes the first parameter of every handler: the site, the caller and the origin of the request.
import type { Context } from 'hono'
import { isOfOperator, type Scope } from '../contract/access-token.ts'
import { type Caller, callerOf, type Holder } from '../contract/caller.ts'
import type { Service, SiteContext } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { type Authorized, isReport } from './auth.ts'
import type { Operation } from './operation.ts'
import { originOf } from './path.ts'

export const siteContext = (
  c: Context<AppEnv>,
  service: Service,
  { method, scopes }: Pick<Operation, 'method' | 'scopes'>,
  { siteId, prefix, claims }: Pick<Authorized, 'siteId'> & { claims: Holder } & Pick<SiteContext, 'prefix'>,
): SiteContext => ({
  service,
  siteId,
  caller: callerOf(actorOf(scopes), claims),
  origin: originOf(c),
  prefix,
  isRead: method === 'get',
  // Only a long poll needs it, and the runtime makes it when it is read.
  get signal() {
    return c.req.raw.signal
  },
})

function actorOf(scopes: readonly Scope[]): Caller['actor'] {
  if (isReport(scopes)) return 'network'
  return isOfOperator(scopes) ? 'operator' : 'merchant'
}
