// Which calls a site refuses whatever they ask: all of a deleted site, those of a revoked key, and the operator's where no
// site is.
import type { Caller } from '../contract/caller.ts'
import type { Outcome, Refusal } from '../errors.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Context } from './context.ts'
import { markDeleted } from './deletion.ts'
import { ok, SITE_DELETED, SITE_NOT_FOUND } from './outcomes.ts'
import { deletedAtOf } from './rows/site.ts'
import type { Tables } from './tables.ts'

export class Admission {
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

  /** The refusal of a call that would make a site, which the operator's never does. */
  refusalOfNew({ actor }: Caller): Refusal | undefined {
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
