// The object of a merchant site, with the settings of the deployment.
import type { Config } from '../config.ts'
import { SANDBOX_REGISTER } from '../contract/receipts/cash-register.ts'
import { isSandbox } from '../gateway/connection.ts'
import { Site as SiteObject } from '../site/site.ts'
import { settings } from './deployment.ts'

export class Site extends SiteObject {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env, settings.ok ? settingsOf(settings.config) : {})
  }
}

const settingsOf = (config: Config) => ({
  retentionDays: config.retentionDays ?? null,
  settlement: { days: config.settlementDays, utcOffset: config.utcOffset },
  ownRegister: (siteId: string) => (isSandbox(config, siteId) ? SANDBOX_REGISTER : undefined),
})
