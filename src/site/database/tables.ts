// Makes and migrates the tables of a site: only this file handles a site without tables, or with those of an older version.
import { epochOf, setCreatedAt, setSiteId, siteIdIn } from '../rows/site.ts'
import type { SiteName } from '../rows/site-id.ts'
import type { Seconds } from '../time.ts'
import { areUpToDate, earlierBuildIn, hasTables, migrate } from './schema.ts'

const ROLLBACK = new Error('the transaction is rolled back')

export class Tables {
  readonly #storage: DurableObjectStorage
  readonly #name: SiteName
  readonly #now: () => Seconds
  readonly #rolledBack: () => void
  /** What is wrong with tables of a build before the schema, which the site keeps, and no call reads or changes. */
  readonly earlierBuild: string | undefined
  #areUpToDate = false

  /** @param rolledBack runs after each transaction that is rolled back */
  constructor(storage: DurableObjectStorage, name: SiteName, now: () => Seconds, rolledBack: () => void) {
    this.#storage = storage
    this.earlierBuild = earlierBuildIn(storage.sql)
    this.#name = name
    this.#now = now
    this.#rolledBack = rolledBack
    if (!name.isKnown && this.exist) {
      const siteId = siteIdIn(storage.sql)
      if (siteId !== undefined) name.introduce(siteId)
    }
  }

  /** Whether the tables have all versions of the schema. */
  get areUpToDate(): boolean {
    this.#areUpToDate ||= areUpToDate(this.#storage)
    return this.#areUpToDate
  }

  /** Deletes the whole database, and makes the tables anew with what the operation writes, in one commit. */
  async replace(operation: () => void): Promise<void> {
    // Not awaited: what follows is in the same commit.
    const deleted = this.#storage.deleteAll()
    this.#areUpToDate = false
    this.#rolledBack()
    this.write(operation)
    await deleted
    await this.#storage.sync()
  }

  /** False on a site that nobody wrote to, and on one with the tables of an earlier build. */
  get exist(): boolean {
    return this.#areUpToDate || (this.earlierBuild === undefined && hasTables(this.#storage))
  }

  /** Which database it is; undefined without tables. */
  get epoch(): string | undefined {
    return this.exist ? this.read(() => epochOf(this.#storage.sql)) : undefined
  }

  /**
   * Runs a read. Where the tables are missing or old, it sees those that a write would make, in a transaction that is
   * rolled back: so a read leaves nothing behind.
   */
  read<T>(operation: () => T): T {
    if (this.areUpToDate) return operation()
    return this.#transaction(operation, () => false)
  }

  /**
   * Runs a write in a transaction, which makes the tables first, or brings them up to date.
   * @param hasEffect false of a result that is worth no new tables: they are rolled back with all else
   * @throws what the write throws; then nothing is changed
   */
  write<T>(operation: () => T, hasEffect: (result: T) => boolean = () => true): T {
    if (this.areUpToDate) return this.#rollingBack(() => this.#storage.transactionSync(operation))
    const existed = this.exist
    return this.#transaction(operation, (result) => existed || hasEffect(result))
  }

  /** Runs an operation on tables that are up to date. @param isCommitted whether the transaction is committed */
  #transaction<T>(operation: () => T, isCommitted: (result: T) => boolean): T {
    let done: { result: T } | undefined
    try {
      this.#rollingBack(() =>
        this.#storage.transactionSync(() => {
          migrate(this.#storage)
          setSiteId(this.#storage.sql, this.#name.value)
          done = { result: operation() }
          setCreatedAt(this.#storage.sql, this.#now())
          if (!isCommitted(done.result)) throw ROLLBACK
        }),
      )
    } catch (error) {
      if (error !== ROLLBACK) throw error
    }
    if (!done) throw new Error('a transaction has no result')
    return done.result
  }

  #rollingBack<T>(transaction: () => T): T {
    try {
      return transaction()
    } catch (error) {
      this.#rolledBack()
      throw error
    }
  }
}
