// Refuses calls of a site that is deleted, whose tables are of an earlier build, or whose caller's key is revoked.
import type { Caller } from '../../contract/caller.ts'
import type { Outcome, Refusal } from '../../errors.ts'
import type { ApiKeys } from '../access/api-keys.ts'
import type { Context } from '../context.ts'
import { markDeleted } from '../deletion.ts'
import { ok, SITE_DELETED, SITE_NOT_FOUND, siteOutdated } from '../outcomes.ts'
import { deletedAtOf } from '../rows/site.ts'
import type { Tables } from './tables.ts'

export class CallAdmission {
  readonly #keys: ApiKeys
  readonly #tables: Tables
  /** What the table says: a call costs no query. */
  #isDeleted = false

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
  }

  /** The refusal of every call of a site whose tables are of an earlier build. */
  get refusalOfAll(): Refusal | undefined {
    const { earlierBuild } = this.#tables
    return earlierBuild === undefined ? undefined : siteOutdated(earlierBuild)
  }

  /** The refusal of a call before its site is read: one that would make a site, which the operator's never does. */
  refusalOfNew({ actor }: Caller): Refusal | undefined {
    const refusal = this.refusalOfAll
    if (refusal) return refusal
    return actor === 'operator' && !this.#tables.exist ? SITE_NOT_FOUND : undefined
  }

  /** The refusal of a call when it is carried out. */
  refusal(caller: Caller): Refusal | undefined {
    return this.#isDeleted ? SITE_DELETED : this.#keys.admit(caller)
  }

  /** Deletes the site: from now on every call is refused. A second call changes nothing; see markDeleted. */
  delete(context: Context, force: boolean): Outcome<void> {
    if (this.#isDeleted) return ok(undefined)
    const marked = markDeleted(context, force)
    this.#isDeleted = marked.ok
    return marked
  }
}
