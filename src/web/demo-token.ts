// A token of the site of the demonstration, with which the documentation tries operations, where the deployment is a sandbox.
import type { Context } from 'hono'
import type { Service } from '../gateway/context.ts'
import { signToken } from '../http/access-tokens.ts'
import type { AppEnv } from '../http/app-env.ts'
import { limitRate } from '../http/auth.ts'
import { json } from '../http/response.ts'
import { requireSameOrigin } from '../http/same-origin.ts'
import { DEMO_SITE } from './demo-site.ts'

const SECONDS = 3600

/** POST /docs-token: for pages of this service alone. */
export const demoToken = (service: Service) => async (c: Context<AppEnv>) => {
  const { config } = service
  requireSameOrigin(c, config)
  c.set('siteId', DEMO_SITE)
  await limitRate(service, 'form', DEMO_SITE)
  const issuedAt = Math.floor(service.now() / 1000)
  const token = await signToken(config.secrets[0], {
    siteId: DEMO_SITE,
    keyId: `docs-${service.random(8).toHex()}`,
    scope: 'merchant',
    issuedAt,
    expiresAt: issuedAt + SECONDS,
    label: 'docs',
  })
  return json(c, { siteId: DEMO_SITE, token, expiresIn: SECONDS })
}
