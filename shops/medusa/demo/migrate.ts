// Makes the database of the shop and its tables. Its settings are in the environment.
import { join } from 'node:path'
import migrate from '@medusajs/medusa/commands/db/migrate'

await migrate.default({
  directory: join(import.meta.dirname, 'app'),
  ...{ skipLinks: false, skipScripts: true, skipSearch: true },
  ...{ executeAllLinks: false, executeSafeLinks: true, executeAllSearch: false, executeSafeSearch: true },
  ...{ concurrency: 1, allOrNothing: false },
})
