// The object of a merchant site, with the settings of the deployment.
import { Site as SiteObject } from '../site/site.ts'
import { settings } from './deployment.ts'

export class Site extends SiteObject {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env, settings.ok ? { retentionDays: settings.config.retentionDays ?? null } : {})
  }
}
