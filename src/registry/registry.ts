// The Durable Object that has the list of sites: one for the deployment. Nothing else has that list.
import { DurableObject } from 'cloudflare:workers'
import { logLine } from '../contract/log-line.ts'
import type { RegistryEntry, Totals } from '../contract/registry-entry.ts'
import type { NewSession, Session } from '../contract/session.ts'
import type { ListedSite, SitesQuery } from '../contract/site-list.ts'
import type { Outcome } from '../errors.ts'
import { endSession, openSession, readSession } from '../site/access/sessions.ts'
import { migrate } from '../site/database/schema.ts'
import { listSites, REGISTRY_SCHEMA, recordSite, totalsOf } from './sites.ts'

/** A call that writes has its answer when that is on disk: the platform's output gate delays it. */
export class Registry extends DurableObject {
  #hasTables = false

  /** Records what a site tells. */
  async record(site: string, entry: RegistryEntry): Promise<void> {
    if (recordSite(this.#sql, site, entry)) return
    const message = 'a site has another database than the registry knows'
    console.log(logLine(Date.now(), 'warning', message, { site }))
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
    if (!this.#hasTables) migrate(this.ctx.storage, REGISTRY_SCHEMA)
    this.#hasTables = true
    return this.ctx.storage.sql
  }
}
