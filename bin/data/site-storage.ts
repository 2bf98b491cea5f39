// Opens the database of an object outside that object, for the code of src/site that needs no object.
import { DatabaseSync } from 'node:sqlite'
import { hasTables, type TableStorage } from '../../src/site/database/schema.ts'
import { readablePath } from './backup-directory.ts'

/** The database as src/site uses it. */
export const siteStorage = (database: DatabaseSync): TableStorage => ({
  sql: {
    exec(query, ...bindings) {
      if (bindings.length === 0 && !/^\s*(SELECT|UPDATE)/i.test(query)) {
        // Several statements.
        database.exec(query)
        return { toArray: () => [], raw: () => [].values() }
      }
      const rows = database.prepare(query).all(...bindings)
      return { toArray: () => rows, raw: () => rows.map((row) => Object.values(row)).values() }
    },
  },
  transactionSync(work) {
    // A transaction can contain others, as in an object.
    database.exec('SAVEPOINT work')
    try {
      work()
      database.exec('RELEASE work')
    } catch (error) {
      database.exec('ROLLBACK TO work; RELEASE work')
      throw error
    }
  },
})

/**
 * Does something with the database of a site.
 * @returns undefined if it has no tables: nobody wrote to it, or it was emptied
 */
export const withSite = <T>(file: string, work: (storage: TableStorage) => T): T | undefined =>
  withDatabase(new DatabaseSync(file), work)

/** The same, to read, also while the service runs: the last connection that can write locks a database when it closes it. */
export const readingSite = <T>(file: string, work: (storage: TableStorage) => T): T | undefined =>
  withDatabase(new DatabaseSync(readablePath(file), { readOnly: true, timeout: 10_000 }), work)

function withDatabase<T>(database: DatabaseSync, work: (storage: TableStorage) => T): T | undefined {
  try {
    const storage = siteStorage(database)
    return hasTables(storage) ? work(storage) : undefined
  } finally {
    database.close()
  }
}
