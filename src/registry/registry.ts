// The registry, one Durable Object of the deployment, and the only store of: the list of sites, operators' sessions and keys.
import { DurableObject } from 'cloudflare:workers'
import type { Caller } from '../contract/caller.ts'
import { logLine } from '../contract/log-line.ts'
import type { OperatorKey } from '../contract/operator-key.ts'
import type { RegistryEntry, Totals } from '../contract/registry-entry.ts'
import type { NewSession, Session } from '../contract/session.ts'
import type { ListedSite, SitesQuery } from '../contract/site-list.ts'
import type { Outcome } from '../errors.ts'
import { endSession, openSession, readSession } from '../site/access/sessions.ts'
import { migrate } from '../site/database/schema.ts'
import { KEY_REVOKED } from '../site/outcomes.ts'
import { recordHandle, siteOfHandle } from './handles.ts'
import { admitOperator, isRevoked, listOperatorKeys, revokeOperatorKey } from './keys.ts'
import { recordBackup, recordStart, recordStop } from './machine.ts'
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
  async totals({ test }: { test: boolean }): Promise<Totals> {
    return totalsOf(this.#sql, test)
  }

  /** A backup of all sites is complete. */
  async recordBackup(): Promise<void> {
    recordBackup(this.#sql, Date.now())
  }

  /** The process is told to stop. */
  async recordStop(): Promise<void> {
    recordStop(this.#sql)
  }

  /** A process has started. @param process tells it from others */
  async recordStart(process: number): Promise<void> {
    recordStart(this.#sql, process)
  }

  /** Admits an operator to an operation, unless the key is revoked. */
  async admitOperator(caller: Caller): Promise<Outcome<void>> {
    return admitOperator(this.#sql, caller, now())
  }

  /** The keys of operators that were used or revoked. */
  async operatorKeys(): Promise<OperatorKey[]> {
    return listOperatorKeys(this.#sql)
  }

  /** Revokes a key of an operator. @param by the key of the operator who asks @param refused those of REVOKED_KEYS */
  async revokeOperatorKey(
    by: string | undefined,
    id: string,
    refused: readonly string[],
  ): Promise<Outcome<string | undefined>> {
    return revokeOperatorKey(this.#sql, id, { by, refused, now: now() })
  }

  /** Records which site a WebAuthn user handle is of, before its passkey is stored; OPERATOR for the deployment's. */
  async recordHandle(handle: string, siteId: string): Promise<void> {
    recordHandle(this.#sql, handle, siteId)
  }

  /** The site of a user handle; undefined for an unknown one. */
  async siteOfHandle(handle: string): Promise<string | undefined> {
    return siteOfHandle(this.#sql, handle)
  }

  /** Begins a session of the operator, unless the key is revoked. */
  async openSession(session: NewSession): Promise<Outcome<void>> {
    if (isRevoked(this.#sql, session.keyId)) return KEY_REVOKED
    return openSession(this.#sql, session, now())
  }

  /** A session of the operator; undefined if it is unknown, or has ended. */
  async session(id: string): Promise<Session | undefined> {
    return readSession(this.#sql, id, now())
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

/** Unix seconds. */
const now = (): number => Math.floor(Date.now() / 1000)
