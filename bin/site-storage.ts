// A site's database outside its object, for the code of src/site that makes the tables.
import type { DatabaseSync } from 'node:sqlite'
import type { TableStorage } from '../src/site/migrations.ts'

/** The database as src/site/migrations.ts uses it. */
export const siteStorage = (database: DatabaseSync): TableStorage => ({
  sql: {
    exec(query, ...bindings) {
      if (bindings.length === 0 && !/^\s*SELECT/i.test(query)) {
        // Several statements.
        database.exec(query)
        return { toArray: () => [] }
      }
      const rows = database.prepare(query).all(...bindings)
      return { toArray: () => rows }
    },
  },
  transactionSync(work) {
    database.exec('BEGIN')
    try {
      work()
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  },
})
