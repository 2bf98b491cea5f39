// The Durable Object that has the list of sites: one for the deployment. Nothing else has that list.
import { DurableObject } from 'cloudflare:workers'
import type { Announcement } from '../contract/announcement.ts'
import { migrate } from '../site/migrations.ts'
import { REGISTRY_MIGRATIONS, recordSite } from './sites.ts'

export class Registry extends DurableObject {
  /** Records a site, and resolves when it is on disk. */
  async announce(announcement: Announcement): Promise<void> {
    const { storage } = this.ctx
    migrate(storage, REGISTRY_MIGRATIONS)
    if (!recordSite(storage.sql, announcement)) {
      const { siteId: site } = announcement
      console.log(JSON.stringify({ warning: 'a site has another database than the registry knows', site }))
    }
    await storage.sync()
  }
}
