// The Durable Object that has the list of sites: one for the deployment. Nothing else has that list.
import { DurableObject } from 'cloudflare:workers'
import type { Announcement, Figures, Totals } from '../contract/announcement.ts'
import { logLine } from '../contract/log-line.ts'
import type { NewSession, Session } from '../contract/session.ts'
import type { ListedSite, SitesQuery } from '../contract/site-list.ts'
import type { Outcome } from '../errors.ts'
import { migrate } from '../site/migrations.ts'
import { endSession, openSession, readSession } from '../site/sessions.ts'
import { listSites, REGISTRY_MIGRATIONS, recordFigures, recordSite, totalsOf } from './sites.ts'

/** A call that writes has its answer when that is on disk: the platform's output gate delays it. */
export class Registry extends DurableObject {
  #hasTables = false

  /** Records a site. */
  async announce(announcement: Announcement): Promise<void> {
    if (recordSite(this.#sql, announcement)) return
    const { siteId: site } = announcement
    const message = 'a site has another database than the registry knows'
    console.log(logLine(Date.now(), 'warning', message, { site }))
  }

  /** Records the figures of a site. @returns false if the site was not announced yet */
  async tell(siteId: string, figures: Figures): Promise<boolean> {
    return recordFigures(this.#sql, siteId, figures)
  }

  /** A page of the sites, by their names; one more than the limit says that there are more. */
  async list(query: SitesQuery): Promise<ListedSite[]> {
    return listSites(this.#sql, query)
  }

  /** The figures of all sites. */
  async totals(): Promise<Totals> {
    return totalsOf(this.#sql)
  }

  /** Begins a session of the operator. */
  async openSession(session: NewSession): Promise<Outcome<void>> {
    return openSession(this.#sql, session, Date.now() / 1000)
  }

  /** A session of the operator; undefined if it is unknown, or has ended. */
  async session(id: string): Promise<Session | undefined> {
    return readSession(this.#sql, id, Date.now() / 1000)
  }

  async endSession(id: string): Promise<void> {
    endSession(this.#sql, id)
  }

  get #sql(): SqlStorage {
    if (!this.#hasTables) migrate(this.ctx.storage, REGISTRY_MIGRATIONS)
    this.#hasTables = true
    return this.ctx.storage.sql
  }
}
