// Refuses calls of a site that is deleted, whose tables are of an earlier build, or whose caller has no right any more.

import type { Caller } from '../../contract/caller.ts'
import type { Closing } from '../../contract/site-list.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { ApiKeys } from '../access/api-keys.ts'
import type { Context } from '../context.ts'
import { deleteSite, markDeleted, reopen } from '../operator/deletion.ts'
import { ok, SITE_DELETED, SITE_NOT_FOUND, siteOutdated } from '../outcomes.ts'
import { personRefusal } from '../people/admission.ts'
import { closingOf, deletedAtOf } from '../rows/site.ts'
import type { Tables } from './tables.ts'

export class CallAdmission {
  readonly #keys: ApiKeys
  readonly #tables: Tables
  /** What the table says: a call costs no query. */
  #isDeleted = false
  #closing: Closing | undefined

  constructor(keys: ApiKeys, tables: Tables) {
    this.#keys = keys
    this.#tables = tables
  }

  get isDeleted(): boolean {
    return this.#isDeleted
  }

  /** Reads what is in memory from the tables. */
  load(context: Pick<Context, 'sql' | 'now'>): void {
    this.#keys.load(context)
    this.#isDeleted = deletedAtOf(context.sql) !== undefined
    this.#closing = closingOf(context.sql)
  }

  /** The refusal of every call of a site whose tables are of an earlier build. */
  get refusalOfAll(): Refusal | undefined {
    const { earlierBuild } = this.#tables
    return earlierBuild === undefined ? undefined : siteOutdated(earlierBuild)
  }

  /** The refusal of a call before its site is read: one that would make a site, which the operator's does for the first owner alone. */
  refusalOfNew({ actor, makesSite }: Caller): Refusal | undefined {
    const refusal = this.refusalOfAll
    if (refusal) return refusal
    return actor === 'operator' && !makesSite && !this.#tables.exist ? SITE_NOT_FOUND : undefined
  }

  /** The refusal of a call when it is carried out, in its transaction. */
  refusal(caller: Caller, context: Pick<Context, 'sql' | 'now'>): Refusal | undefined {
    if (this.#isDeleted || this.isDeletionDue(context.now)) return SITE_DELETED
    // The network goes on, and the operator can undo the deletion.
    const { actor, reachesDeleted = actor === 'network' || actor === 'operator' } = caller
    if (this.#closing && !reachesDeleted) return SITE_DELETED
    // The registry admits the operator's people.
    return caller.person && actor !== 'operator'
      ? personRefusal(context, caller.person, caller)
      : this.#keys.admit(caller)
  }

  /** Whether a closed site is to be deleted for good. @param now Unix seconds */
  isDeletionDue(now: number): boolean {
    return this.#closing !== undefined && now >= this.#closing.deletesAt
  }

  /** Deletes the site, at first so that it can be undone; see deleteSite. @returns until when, unless it is for good */
  delete(context: Context, force: boolean, keepSeconds: number): Outcome<Closing | undefined> {
    if (this.isDeletionDue(context.now)) this.endDeletion(context)
    if (this.#isDeleted) return ok(undefined)
    const deleted = deleteSite(context, force, keepSeconds)
    this.load(context)
    return deleted.ok ? ok(this.#closing) : deleted
  }

  /** Deletes a closed site for good, as of the time that it was to be. */
  endDeletion({ sql }: Pick<Context, 'sql'>): void {
    if (this.#closing) markDeleted(sql, this.#closing.deletesAt)
    this.#isDeleted = true
    this.#closing = undefined
  }

  /** Undoes a deletion; on a site that is not deleted it changes nothing. */
  reopen(context: Context): Outcome<void> {
    reopen(context)
    this.#closing = undefined
    return ok(undefined)
  }
}
